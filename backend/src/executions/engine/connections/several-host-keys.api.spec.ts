import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunLab, startRunLab } from '../../../../test/support/run-lab.js';
import { type SshHosts, startSshHosts } from '../../../../test/support/ssh-hosts.js';
import { parseHostKey } from '../../../transport/keys/host-key.js';
import type { ServerView } from '../../../inventory/servers.view.js';
import { generateKeyPair, type KeyMaterial } from '../../../transport/keys/key-material.js';

const SERVERS = '/api/inventory/servers';

let lab: RunLab;
let machine: SshHosts;
let rsa: KeyMaterial;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runward-keys-'));
  rsa = await generateKeyPair({ type: 'rsa', comment: 'host' });
  const file = path.join(folder, 'rsa');
  await writeFile(file, rsa.privateKey, { mode: 0o600 });
  [lab, machine] = await Promise.all([
    startRunLab({ settings: { RUNWARD_SLICE_HOSTS: '1' } }),
    startSshHosts({
      addresses: ['127.0.0.1', '127.0.3.1', '127.0.3.2'],
      oneMachine: true,
      extraConfig: `HostKey ${file}`,
    }),
  ]);
  await machine.sshd.addAuthorizedKey(lab.hosts.key.publicKey);
  await Promise.all([lab.runward.worker(), lab.runward.worker()]);
});
afterAll(async () => {
  await machine.stop();
  await lab.close();
  await rm(folder, { recursive: true });
});

const ed25519Key = () => machine.hostKey();
const rsaKey = () => ({ publicKey: rsa.publicKey });
const toFingerprint = ({ publicKey }: { publicKey: string }) => ({ fingerprint: parseHostKey(publicKey).fingerprint });

async function pinHostsSeparately(
  name: string,
  ed25519: string,
  withRsa: string,
  toPin: (key: { publicKey: string }) => object = (key) => key,
): Promise<string> {
  const environmentId = await lab.environment(name);
  const { port, user: username } = machine.sshd;
  const common = { environmentId, port, username };
  await lab.server({ ...common, name: `${name}-ed25519`, hostname: ed25519, hostKey: toPin(ed25519Key()) });
  await lab.server({ ...common, name: `${name}-rsa`, hostname: withRsa, hostKey: toPin(rsaKey()) });
  return environmentId;
}

async function idOf(name: string): Promise<string> {
  const { body } = await lab.api.get<{ items: ServerView[] }>(`${SERVERS}?q=${encodeURIComponent(name)}`);
  return body.items[0]?.id ?? '';
}

const echoed = (file: string) => `echo ran >> '${lab.evidence}/${file}'`;

describe('two servers that are one machine, and pin keys of different types', () => {
  it('run once in their first run, and are reported before the second one starts', async () => {
    const environmentId = await pinHostsSeparately('first', '127.0.3.1', '127.0.3.2');
    const planId = await lab.plan([{ command: echoed('first'), maxFailPercent: 100 }], { environmentId });
    const { id } = await lab.settled((await lab.start(planId)).id);
    const results = await lab.results(id);
    expect(results.map(({ status, reason }) => `${status} ${reason?.code ?? null}`).sort()).toEqual([
      'SUCCEEDED null',
      'UNREACHABLE duplicate_address',
    ]);
    expect(results.find(({ reason }) => reason !== null)?.reason?.text).toMatch(
      /is the same machine as .* of this run: both use the login .* on a host that proved to own the same host key/,
    );
    expect(await lab.left('first')).toBe('ran\n');
    const again = await lab.tryStart(planId);
    expect([again.status, again.body]).toMatchObject([409, { code: 'same_host_key' }]);
    expect(again.text).toContain('\\"first-rsa\\" and \\"first-ed25519\\"');
  });

  it('are reported before any run when both were checked, until one of them is registered elsewhere', async () => {
    const environmentId = await pinHostsSeparately('checked', '127.0.3.1', '127.0.3.2');
    const planId = await lab.plan(['true'], { environmentId });
    for (const name of ['checked-ed25519', 'checked-rsa'])
      expect((await lab.api.post(`${SERVERS}/${await idOf(name)}/check`)).status).toBe(200);
    expect((await lab.api.post(`/api/plans/${planId}/targets`, { targets: '' })).body).toMatchObject({
      sameMachines: [{ name: 'checked-rsa', sameAs: 'checked-ed25519' }],
    });
    expect((await lab.tryStart(planId)).body).toMatchObject({ code: 'same_host_key' });
    const moved = { hostname: lab.hosts.sshd.addresses[0], port: lab.hosts.sshd.port };
    expect((await lab.api.patch(`${SERVERS}/${await idOf('checked-rsa')}`, moved)).status).toBe(200);
    const { id } = await lab.settled((await lab.start(planId)).id);
    expect(
      (await lab.results(id)).map(({ serverName, reason }) => `${serverName} ${reason?.code ?? null}`).sort(),
    ).toEqual(['checked-ed25519 null', 'checked-rsa host_key_unknown']);
  });

  it('are reported after one login, because that host proved the key of the other', async () => {
    const environmentId = await pinHostsSeparately('one', '127.0.3.1', '127.0.3.2');
    const planId = await lab.plan(['true'], { environmentId });
    expect(await lab.settled((await lab.start(planId, { targets: 'name=one-rsa' })).id)).toMatchObject({
      status: 'SUCCEEDED',
    });
    expect((await lab.tryStart(planId)).body).toMatchObject({ code: 'same_host_key' });
  });

  it.each([{ name: 'key' }, { name: 'fingerprint', toPin: toFingerprint }])(
    'run once where they resolve to one address, pinned by $name',
    async ({ name, toPin }) => {
      const environmentId = await pinHostsSeparately(name, '127.0.0.1', 'localhost', toPin);
      const { id } = await lab.run([{ command: echoed(name), maxFailPercent: 100 }], { environmentId });
      const results = await lab.results(id);
      const codes = results.map(({ status, reason }) => `${status} ${reason?.code ?? null}`);
      expect(codes.sort()).toEqual(['SUCCEEDED null', 'UNREACHABLE duplicate_address']);
      expect(results.find(({ reason }) => reason !== null)?.reason?.text).toMatch(
        /is the same machine as .* of this run: both use the login .*, and their pinned host keys do not distinguish them/,
      );
      expect(await lab.left(name)).toBe('ran\n');
    },
  );
});

describe('servers that are pinned by fingerprint', () => {
  it('run, and get the keys that their hosts prove', async () => {
    const environmentId = await lab.environment('unproved');
    const { port, user: username } = machine.sshd;
    const { id: serverId } = await lab.server({
      ...{ environmentId, port, username, name: 'unproved', hostname: '127.0.3.1', hostKey: toFingerprint(rsaKey()) },
    });
    const { id } = await lab.run([{ command: echoed('unproved') }], { environmentId });
    expect((await lab.results(id)).map(({ status }) => status)).toEqual(['SUCCEEDED']);
    const { body } = await lab.api.get<ServerView>(`${SERVERS}/${serverId}`);
    expect(body.hostKeys.map(({ type, publicKey }) => `${type} ${publicKey}`)).toEqual([
      rsa.publicKey.split(' ').slice(0, 2).join(' '),
    ]);
  });
});

describe('a machine of a protected environment', () => {
  it('cannot be used from another environment under a key of another type', async () => {
    const guarded = await lab.environment('guarded');
    expect((await lab.api.patch(`/api/environments/${guarded}`, { protected: true })).status).toBe(200);
    const { port, user: username } = machine.sshd;
    const common = { port, username };
    await lab.server({
      ...{ ...common, name: 'prime', environmentId: guarded },
      ...{ hostname: '127.0.3.1', hostKey: ed25519Key(), confirmHosts: true },
    });
    const environmentId = await lab.environment('beside');
    const { id: serverId } = await lab.server({
      ...{ ...common, name: 'beside', environmentId },
      ...{ hostname: '127.0.3.2', hostKey: rsaKey() },
    });
    const planId = await lab.plan([{ command: echoed('beside') }], { environmentId });
    const { id } = await lab.settled((await lab.start(planId)).id);
    expect((await lab.results(id)).map(({ status, reason }) => `${status} ${reason?.code ?? null}`)).toEqual([
      'UNREACHABLE protected_host',
    ]);
    expect(await lab.left('beside')).toBe('');
    const checked = await lab.api.post<ServerView>(`${SERVERS}/${serverId}/check`);
    expect(checked.body.lastCheck).toMatchObject({ state: 'protected_host' });
    expect((await lab.tryStart(planId)).body).toMatchObject({ code: 'protected_host' });
  });
});
