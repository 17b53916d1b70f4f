import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SshHosts, startSshHosts } from '../../../../test/support/ssh-hosts.js';
import { RefusedAddresses } from '../../../common/network/refused-addresses.js';
import { completeSettings } from '../../../inventory/fields/server-settings.js';
import { SshError } from '../../../transport/ssh-errors.js';
import type { HostReachability } from './run-reach.js';
import { RunConnections } from './run-connections.js';
import type { RunHost } from './run-context.js';

let hosts: SshHosts;
let host: RunHost;
const notedAddresses: string[] = [];

beforeAll(async () => {
  hosts = await startSshHosts();
  const { sshd } = hosts;
  const where = { hostname: '127.0.0.1', port: sshd.port, username: sshd.user, pins: [sshd.hostKey] };
  host = {
    serverId: 's',
    name: 'web',
    sshKeyId: 'k',
    jumpServerId: null,
    ...completeSettings({}),
    tags: {},
    kind: '',
    ...where,
  };
});
afterAll(() => hosts.stop());

const away = () => Object.assign(new Error('the database is away'), { code: 'ECONNREFUSED' });

function makeConnections(...failures: (() => Error)[]): RunConnections {
  notedAddresses.length = 0;
  const reach: HostReachability = {
    refused: new RefusedAddresses(),
    admitAddress: (_host, { address }) => {
      notedAddresses.push(`asked for ${address}`);
      const failure = failures.shift();
      return failure ? Promise.reject(failure()) : Promise.resolve();
    },
    admitKey: () => Promise.resolve(),
    admitMachine: () => Promise.resolve(),
    recordConnection: (_host, { reachedAddress }) => notedAddresses.push(`connected to ${reachedAddress}`),
    reportNotRun: () => undefined,
    recordFailure: (_host, { code }) => notedAddresses.push(`failed: ${code}`),
    describePinOrigin: () => Promise.resolve(''),
    storeRecorded: () => Promise.resolve(),
  };
  return new RunConnections(
    {
      privateKeys: new Map([['k', { privateKey: hosts.key.privateKey, certificate: null }]]),
      jumps: new Map(),
    },
    reach,
  );
}

describe('a run that is over', () => {
  const ended = async (journals: boolean, lacks: boolean, keep: string[] = []) => {
    const connections = makeConnections();
    const connection = await connections.getConnection(host, new AbortController().signal);
    if (!('exec' in connection)) throw new Error(connection.code ?? '');
    const asked: unknown[] = [];
    connection.forget = (_folder, options) => Promise.resolve(void asked.push(options));
    if (journals) connections.keepJournals();
    if (lacks) connections.recordMissingJournal(connection);
    connections.scheduleForgetting('s', 'one');
    connections.takeForgettableEntries('s');
    connections.scheduleForgetting('s', 'two');
    await connections.forgetRun(randomUUID(), new Set(keep));
    connections.closeAll();
    return asked;
  };

  it('makes its hosts clear their journals', async () => {
    expect(await ended(true, false)).toEqual([{ whole: true }]);
    expect(await ended(true, false, ['s'])).toEqual([{ dispatchIds: ['one', 'two'] }]);
  });

  it('sends nothing to hosts without a journal', async () => {
    expect(await ended(false, false)).toEqual([]);
    expect(await ended(true, true)).toEqual([]);
  });
});

describe('commands whose results are stored', () => {
  it('are sent to the host once, and again in batches to remove their names', () => {
    const connections = makeConnections();
    const removals = Array.from({ length: 40 }, (_, n) => {
      connections.scheduleForgetting('s', String(n));
      return connections.takeForgettableEntries('s');
    });
    expect(removals.flatMap(({ forget }) => forget)).toEqual(removals.map((_, n) => String(n)));
    const removed = removals.map(({ remove }) => remove.length);
    expect(removed.filter((count) => count > 0)).toEqual([16, 16]);
    expect(removals.flatMap(({ remove }) => remove)).toEqual(removals.slice(0, 32).map((_, n) => String(n)));
  });
});

describe('a connection of a run', () => {
  it('sends nothing to the host before the database has identified it', async () => {
    const connections = makeConnections(away, away);
    const connection = await connections.getConnection(host, new AbortController().signal);
    expect('exec' in connection).toBe(true);
    expect(notedAddresses).toEqual([
      ...Array.from({ length: 3 }, () => 'asked for 127.0.0.1'),
      'connected to 127.0.0.1',
    ]);
    connections.closeAll();
  });

  it('is abandoned, not failed, when the run is stopped while the database is unavailable', async () => {
    const stop = new AbortController();
    const connections = makeConnections(...Array.from({ length: 100 }, () => () => (stop.abort(), away())));
    expect(await connections.getConnection(host, stop.signal)).toMatchObject({
      status: 'UNREACHABLE',
      code: 'aborted',
    });
    expect(notedAddresses).toEqual(['asked for 127.0.0.1']);
  });

  it('reports why it was refused and is not kept', async () => {
    const connections = makeConnections(() => new SshError('protected_host', 'why'));
    const refused = await connections.getConnection(host, new AbortController().signal);
    expect(refused).toMatchObject({ status: 'UNREACHABLE', code: 'protected_host', message: 'why' });
    expect(connections.hasConnection('s')).toBe(false);
    expect(notedAddresses).toEqual(['asked for 127.0.0.1', 'failed: protected_host']);
  });
});
