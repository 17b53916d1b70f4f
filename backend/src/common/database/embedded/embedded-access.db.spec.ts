import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { eventually } from '../../../../test/support/eventually.js';
import { type EmbeddedPostgresOptions, startEmbeddedPostgres } from './embedded-postgres.js';
import type { EmbeddedPostgres } from './embedded-server.js';

const NOBODY = 65_534;
/**
 * Minimal PostgreSQL handshake, up to acceptance or refusal. It uses no package, because the system user that runs it
 * may not be able to read packages.
 */
const HANDSHAKE = `
  const [path, user] = process.argv.slice(1);
  const words = Buffer.from('user\\0' + user + '\\0database\\0runward\\0\\0');
  const head = Buffer.alloc(8);
  head.writeInt32BE(words.length + 8, 0);
  head.writeInt32BE(196608, 4);
  const socket = require('node:net').connect(path, () => socket.write(Buffer.concat([head, words])));
  socket.on('error', ({ code }) => console.log(code));
  socket.on('data', (bytes) => {
    console.log(bytes[0] === 0x52 ? 'let in' : bytes.toString('latin1').match(/C([0-9A-Z]{5})\\0/)[1]);
    socket.destroy();
  });`;
const REFUSED = '28000';

let dataDir: string;
const running: EmbeddedPostgres[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'rw-access-'));
  await chmod(dataDir, 0o755);
});
afterEach(async () => {
  for (const database of running.splice(0)) await database.stop();
  await rm(dataDir, { recursive: true });
});

async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const database = await startEmbeddedPostgres({ dataDir, log: () => undefined, ...options });
  running.push(database);
  return database;
}

async function query<R>(url: string, sql: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as R[];
  } finally {
    await client.end();
  }
}

const as = ({ url }: EmbeddedPostgres, role: string) => url.replace('//postgres@', `//${role}@`);
const answer = (url: string) =>
  query<{ login: string }>(url, 'select session_user as login').then(
    (rows) => rows[0]?.login,
    (error: { code?: string }) => error.code,
  );

const LOGIN = `select rolcanlogin as login, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication as more
  from pg_roles where rolname = 'runward_app'`;

describe('the embedded database', () => {
  it('accepts this process as owner and as application, and no other role', async () => {
    const database = await start();
    await query(database.url, 'create role visitor login superuser');
    expect(await answer(database.url)).toBe('postgres');
    expect(await answer(database.appUrl)).toBe('runward_app');
    expect(await answer(as(database, 'visitor'))).toBe(REFUSED);
    expect(await query(database.url, LOGIN)).toEqual([{ login: true, more: false }]);
  });

  it('gives an older data folder the login and access rules of this version', async () => {
    const first = await start();
    await query(first.url, 'alter role runward_app nologin createdb');
    await query(first.url, 'create role visitor login');
    await first.stop();
    await writeFile(join(dataDir, 'postgres/pg_ident.conf'), 'app "root" all\n');

    const second = await start();
    expect(await query(second.url, LOGIN)).toEqual([{ login: true, more: false }]);
    expect(await answer(second.appUrl)).toBe('runward_app');
    expect(await answer(as(second, 'visitor'))).toBe(REFUSED);
  });

  it('applies the access rules of this version to a server that it takes over', async () => {
    const first = await start();
    await query(first.url, 'create role visitor login');
    const ident = join(dataDir, 'postgres/pg_ident.conf');
    await writeFile(ident, (await readFile(ident, 'utf8')).replace(/\S+\n$/, 'all\n'));
    await query(first.url, 'select pg_reload_conf()');
    await rm(join(dataDir, 'runward.lock'));

    const second = await start();
    expect(second.wasAdopted).toBe(true);
    await eventually(
      'the server applies the rules after the reload',
      async () => (await answer(as(second, 'visitor'))) === REFUSED,
    );
    expect(await answer(second.appUrl)).toBe('runward_app');
  });
});

if (process.getuid?.() === 0) {
  describe('another system user', () => {
    const tryConnect = (database: EmbeddedPostgres, role: string, uid: number) => {
      const socket = join(database.connection.host, `.s.PGSQL.${database.connection.port}`);
      const program = spawnSync(process.execPath, ['-e', HANDSHAKE, socket, role], { uid, gid: uid, cwd: '/' });
      return program.stdout.toString().trim();
    };

    it('cannot reach the socket, and would be refused as either role', async () => {
      const closed = await start();
      for (const role of ['postgres', 'runward_app']) expect(tryConnect(closed, role, NOBODY)).toBe('EACCES');
      await closed.stop();

      const open = await start({ settings: { unix_socket_permissions: '0777' } });
      await chmod(open.connection.host, 0o755);
      for (const role of ['postgres', 'runward_app']) {
        expect(tryConnect(open, role, NOBODY)).toBe(REFUSED);
        expect(tryConnect(open, role, 0)).toBe('let in');
      }
    });
  });
}
