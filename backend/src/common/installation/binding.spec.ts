import { describe, expect, it } from '@jest/globals';
import { mergeBindings, type InstallationBinding, isSameMachine, compareBindings } from './binding.js';
import { listDatabaseAddresses } from './read-binding.js';

const MACHINE = { id: 'm1', container: null, cards: ['52:54:00:00:00:01'] };
const CONTAINER = { id: 'image', container: 'c1', cards: ['02:42:ac:11:00:02'] };
const FOLDER = { path: '/srv/runward/postgres/data', inode: '17', createdAt: 1000 };
const COPIED = { ...FOLDER, inode: '18', createdAt: 2000 };
const DATABASE = { systemId: '7', name: 'runward', tableId: 16400, addresses: ['db:5432'] };

const embedded = (more: Partial<InstallationBinding> = {}): InstallationBinding => ({
  ...{ environment: null, machine: MACHINE, folder: FOLDER, database: null },
  ...more,
});
const external = (
  more: Partial<typeof DATABASE> = {},
  environment: string | null = null,
  machine = MACHINE,
): InstallationBinding => ({ environment, machine, folder: null, database: { ...DATABASE, ...more } });

const copy = (sign: string) => ({ kind: 'copy', sign });
const [SAME, RESTORED] = [{ kind: 'same' }, { kind: 'restored' }];

describe('judgeBinding of an embedded database', () => {
  it.each([
    ['the same folder', embedded(), embedded(), SAME],
    ['a renamed folder', embedded(), embedded({ folder: { ...FOLDER, path: '/srv/other/data' } }), SAME],
    ['a backup in its place', embedded(), embedded({ folder: COPIED }), RESTORED],
    ['a reused inode', embedded(), embedded({ folder: { ...FOLDER, createdAt: 2000 } }), RESTORED],
    ['a copy beside it', embedded(), embedded({ folder: { ...COPIED, path: '/srv/copy/data' } }), copy('folder')],
    [
      'a copy at the same path of another machine',
      embedded(),
      embedded({ folder: COPIED, machine: { ...MACHINE, id: 'm2' } }),
      copy('machine'),
    ],
    [
      'a clone of the machine with another network card',
      embedded(),
      embedded({ machine: { ...MACHINE, cards: ['52:54:00:00:00:02'] } }),
      copy('machine'),
    ],
    [
      'a machine that got a second network card',
      embedded(),
      embedded({ machine: { ...MACHINE, cards: ['52:54:00:00:00:02', ...MACHINE.cards] } }),
      SAME,
    ],
    [
      'a volume in a new container',
      embedded({ machine: CONTAINER }),
      embedded({ machine: { id: 'image', container: 'c2', cards: ['02:42:ac:11:00:09'] } }),
      SAME,
    ],
    [
      'a copied volume in another container of the image',
      embedded({ machine: CONTAINER }),
      embedded({ machine: { id: 'image', container: 'c2', cards: ['02:42:ac:11:00:09'] }, folder: COPIED }),
      copy('machine'),
    ],
    [
      'a backup in the volume of a new container of a named installation',
      embedded({ machine: CONTAINER, environment: 'production' }),
      embedded({ machine: { ...CONTAINER, container: 'c2' }, environment: 'production', folder: COPIED }),
      RESTORED,
    ],
    [
      'another name of the installation',
      embedded({ environment: 'production' }),
      embedded({ environment: 'staging' }),
      copy('environment'),
    ],
    ['no name any more', embedded({ environment: 'production' }), embedded(), copy('environment')],
    ['a name for the first time', embedded(), embedded({ environment: 'production' }), SAME],
    ['an external database instead', embedded(), external(), copy('database')],
  ])('recognizes %s', (_, stored, present, verdict) => {
    expect(compareBindings(stored, present, false)).toEqual(verdict);
  });
});

describe('judgeBinding of an external database', () => {
  it.each([
    ['the same', external(), external(), SAME],
    ['a process on another machine', external(), external({}, null, { ...MACHINE, id: 'm2' }), SAME],
    ['a dump restored over it', external(), external({ tableId: 20000 }), RESTORED],
    ['a dump restored in another server', external(), external({ systemId: '8', tableId: 20000 }), copy('server')],
    ['a dump restored under another name', external(), external({ name: 'staging', tableId: 20000 }), copy('database')],
    ['a clone of the server', external(), external({ addresses: ['clone:5432'] }), copy('address')],
    ['one of several known addresses', external({ addresses: ['a:1', 'b:1'] }), external({ addresses: ['b:1'] }), SAME],
  ])('recognizes %s', (_, stored, present, verdict) => {
    expect(compareBindings(stored, present, false)).toEqual(verdict);
  });

  it('accepts any address of a database that other processes are using, and stores it', () => {
    const present = external({ addresses: ['pooler:6432'] });
    expect(compareBindings(external(), present, true)).toEqual(SAME);
    const kept = mergeBindings(external(), present);
    expect(kept.database?.addresses).toEqual(['pooler:6432', 'db:5432']);
    expect(compareBindings(kept, external(), false)).toEqual(SAME);
  });

  it('keeps the data folder while other processes reach the embedded database by its address', () => {
    const elsewhere = { ...MACHINE, id: 'm2' };
    const kept = mergeBindings(embedded(), external({}, null, elsewhere));
    expect(compareBindings(kept, embedded(), false)).toEqual(SAME);
    expect(compareBindings(kept, embedded({ folder: { ...COPIED, path: '/srv/copy/data' } }), false)).toEqual(
      copy('folder'),
    );
    expect(compareBindings(mergeBindings(kept, embedded()), external(), false)).toEqual(SAME);
  });
});

describe('the addresses of a connection URL', () => {
  it.each([
    ['postgres://runward:p%40ss@DB.example:6543/runward', ['db.example:6543']],
    ['postgres://runward@db/runward?sslmode=require', ['db:5432']],
    ['postgres://u@h1:1,h2:2/runward?target_session_attrs=read-write', ['h1:1', 'h2:2']],
    ['postgres://u@[2001:db8::1]:5433/runward', ['[2001:db8::1]:5433']],
    ['postgres://u@localhost:5433/runward', ['local(m1):5433']],
    ['postgres://u@127.0.0.1/runward', ['local(m1):5432']],
    ['postgres://u@[::1]/runward', ['local(m1):5432']],
    ['postgres:///runward?host=%2Frun%2Fpostgresql&port=5444', ['local(m1):5444']],
    ['postgres://u@%2Frun%2Fpostgresql/runward', ['local(m1):5432']],
  ])('are read from %s', (url, addresses) => {
    expect(listDatabaseAddresses(url, { id: 'm1' })).toEqual(addresses);
  });
});

describe('two machines', () => {
  it('are equal only by marks that a clone does not keep', () => {
    const bare = { id: null, container: null, cards: [] };
    expect(isSameMachine(MACHINE, { ...MACHINE, cards: [] })).toBe(true);
    expect(isSameMachine(bare, bare)).toBe(false);
    expect(isSameMachine({ ...CONTAINER, cards: [] }, { ...CONTAINER, cards: [] })).toBe(false);
    expect(isSameMachine(CONTAINER, CONTAINER)).toBe(true);
  });
});
