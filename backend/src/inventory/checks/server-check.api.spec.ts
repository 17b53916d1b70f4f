import { type AddressInfo, createServer, type Server as NetServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import ssh2 from 'ssh2';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { withLockedRows } from '../../../test/support/row-lock.js';
import { type SshHosts, startSshHosts } from '../../../test/support/ssh-hosts.js';
import { queryAs } from '../../../test/support/table-contents.js';
import { generateKeyPair } from '../../transport/keys/key-material.js';

interface Server {
  id: string;
  name: string;
  hostKey: { type: string; fingerprint: string } | null;
  seenHostKey: { type: string; fingerprint: string } | null;
  lastCheck: { at: string; state: string; reason: { text: string } } | null;
  state: string;
  stateSince: string | null;
  checkedAt: string | null;
  latencyMs: number | null;
  code?: string;
  detail?: string;
}

const PATH = '/api/inventory/servers';

let runward: Installation;
let admin: TestMember;
let hosts: SshHosts;
let sshKeyId: string;
let strangerKeyId: string;
let numbered = 0;

beforeAll(async () => {
  [runward, hosts] = await Promise.all([startInstallation(), startSshHosts()]);
  admin = await runward.tenant('acme');
  const id = async (path: string, body: object) => (await admin.api.post<Server>(path, body)).body.id;
  sshKeyId = await id('/api/ssh-keys', { name: 'deploy', privateKey: hosts.key.privateKey });
  strangerKeyId = await id('/api/ssh-keys', { name: 'stranger', generate: { type: 'ed25519' } });
});
afterAll(async () => {
  await hosts.stop();
  await runward.close();
});

/** Registers each server in its own environment, because all servers are the same machine. */
async function register(fields: object = {}): Promise<Server> {
  numbered += 1;
  const environment = await admin.api.post<Server>('/api/environments', { name: `environment-${numbered}` });
  const usual = {
    name: `server-${numbered}`,
    hostname: '127.0.0.1',
    port: hosts.sshd.port,
    username: hosts.sshd.user,
    sshKeyId,
    environmentId: environment.body.id,
  };
  const answer = await admin.api.post<Server>(PATH, { ...usual, ...fields });
  expect(answer.status).toBe(201);
  return answer.body;
}

async function check({ id }: Server): Promise<Server> {
  const answer = await admin.api.post<Server>(`${PATH}/${id}/check`);
  expect(answer.status).toBe(200);
  expect((await admin.api.get(`${PATH}/${id}`)).body).toEqual(answer.body);
  return answer.body;
}

const accept = ({ id }: Server, fingerprint: string, headers = {}) =>
  admin.api.put<Server>(`${PATH}/${id}/host-key`, { fingerprint }, headers);

async function fakeHost(): Promise<{ port: number; logins: string[]; stop(): Promise<void> }> {
  const logins: string[] = [];
  const { privateKey } = await generateKeyPair({ type: 'ed25519' });
  const server = new ssh2.Server({ hostKeys: [privateKey] }, (client) => {
    client.on('error', () => undefined);
    client.on('authentication', (context) => {
      logins.push(`${context.username} by ${context.method}`);
      context.reject();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    logins,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

describe('the first check of a server', () => {
  it('shows the key of the host, pins nothing, and says how to compare it', async () => {
    const checked = await check(await register());
    expect(checked).toMatchObject({
      hostKey: null,
      seenHostKey: hosts.sshd.hostKey,
      lastCheck: { state: 'host_key_unknown' },
    });
    expect(checked.lastCheck?.reason.text).toContain(hosts.sshd.hostKey.fingerprint);
    expect(checked.lastCheck?.reason.text).toContain('ssh-keygen -lf');
    expect(checked.lastCheck?.reason.text).toContain('not pinned yet');
  });

  it('sends no user name and no key to a host without an accepted key', async () => {
    const host = await fakeHost();
    try {
      const made = await register({ port: host.port });
      const checked = await check(made);
      expect(checked.lastCheck?.state).toBe('host_key_unknown');
      expect(host.logins).toEqual([]);
      await accept(made, checked.seenHostKey?.fingerprint ?? '');
      expect((await check(made)).lastCheck?.state).toBe('login_refused');
      expect(host.logins.length).toBeGreaterThan(0);
    } finally {
      await host.stop();
    }
  });

  it('records no use of the private key', async () => {
    const key = await admin.api.post<Server>('/api/ssh-keys', { name: 'unused', generate: { type: 'ed25519' } });
    await check(await register({ sshKeyId: key.body.id }));
    expect((await admin.api.get(`/api/ssh-keys/${key.body.id}`)).body).toMatchObject({ lastUsedAt: null });
  });
});

describe('accepting a host key', () => {
  it('is refused before any check, for another fingerprint, and for an old version', async () => {
    const made = await register();
    const { fingerprint } = hosts.sshd.hostKey;
    const early = await accept(made, fingerprint);
    expect([early.status, early.body.code]).toEqual([409, 'host_key_not_seen']);
    await check(made);
    const other = await accept(made, `SHA256:${'A'.repeat(43)}`);
    expect([other.status, other.body.code]).toEqual([409, 'host_key_not_seen']);
    expect(other.body.detail).toContain(fingerprint);
    expect((await accept(made, fingerprint, { 'if-match': '"1"' })).status).toBe(412);
    expect((await accept(made, 'MD5:00')).status).toBe(400);
    expect((await admin.api.get<Server>(`${PATH}/${made.id}`)).body.hostKey).toBeNull();
  });

  it('pins it, after which the check signs in', async () => {
    const made = await register();
    await check(made);
    const accepted = await accept(made, hosts.sshd.hostKey.fingerprint);
    expect([accepted.status, accepted.body.hostKey]).toEqual([
      200,
      { ...hosts.sshd.hostKey, shared: false, certAuthority: false },
    ]);
    expect(accepted.body.lastCheck).toMatchObject({ state: 'host_key_accepted', source: 'acceptance' });
    const checked = await check(made);
    expect(checked.lastCheck).toMatchObject({
      state: 'reachable',
      reason: { text: expect.stringContaining(hosts.sshd.user) },
    });
    expect((await admin.api.get(`/api/ssh-keys/${sshKeyId}`)).body).toMatchObject({ lastUsedAt: expect.any(String) });
    const sql = 'select action from audit_entries where resource_id = $1 order by id';
    const actions = await queryAs<{ action: string }>(runward.database, admin.tenantId, sql, [made.id]);
    expect(actions.map(({ action }) => action)).toEqual([
      'server.create',
      'server.check',
      'server.accept_host_key',
      'server.check',
    ]);
  });
});

describe('the check of a server with a pinned host key', () => {
  const pinned = (fields: object = {}) => {
    const { type, publicKey } = hosts.sshd.hostKey;
    return register({ hostKey: { publicKey: `${type} ${publicKey}` }, ...fields });
  };

  it('signs in immediately when the key was known beforehand', async () => {
    expect((await check(await pinned())).lastCheck?.state).toBe('reachable');
  });

  it('reports a refused login, and the host that refused it', async () => {
    const { lastCheck } = await check(await pinned({ sshKeyId: strangerKeyId }));
    expect(lastCheck).toMatchObject({
      state: 'login_refused',
      reason: { text: expect.stringContaining('authorized_keys') },
    });
  });

  it("shows old and new key when the host's key changed, and does not sign in", async () => {
    const host = await fakeHost();
    try {
      const made = await pinned({ port: host.port });
      const checked = await check(made);
      expect(checked.lastCheck?.state).toBe('host_key_changed');
      expect(checked.hostKey).toEqual({ ...hosts.sshd.hostKey, shared: false, certAuthority: false });
      const seen = checked.seenHostKey?.fingerprint ?? '';
      expect(seen).not.toBe(hosts.sshd.hostKey.fingerprint);
      expect(checked.lastCheck?.reason.text).toContain(seen);
      expect(checked.lastCheck?.reason.text).toContain(hosts.sshd.hostKey.fingerprint);
      expect(host.logins).toEqual([]);
      expect((await accept(made, hosts.sshd.hostKey.fingerprint)).status).toBe(409);
      expect((await accept(made, seen)).body.hostKey?.fingerprint).toBe(seen);
    } finally {
      await host.stop();
    }
  });

  it('shows the new key also when it is of another type', async () => {
    const other = await generateKeyPair({ type: 'ecdsa' });
    const made = await register({ hostKey: { publicKey: other.publicKey } });
    const checked = await check(made);
    expect(checked).toMatchObject({ hostKey: { type: 'ecdsa-sha2-nistp256' }, seenHostKey: hosts.sshd.hostKey });
    expect(checked.lastCheck?.state).toBe('host_key_changed');
  });

  it('starts again at another address', async () => {
    const made = await pinned();
    expect((await check(made)).lastCheck?.state).toBe('reachable');
    await admin.api.patch(`${PATH}/${made.id}`, { hostname: 'localhost' });
    expect(await check(made)).toMatchObject({ hostKey: null, lastCheck: { state: 'host_key_unknown' } });
  });
});

describe('the state of a server', () => {
  const known = ({ state, stateSince, checkedAt, latencyMs }: Server) => ({ state, stateSince, checkedAt, latencyMs });
  const unchecked = { state: 'unchecked', stateSince: null, checkedAt: null, latencyMs: null };

  it('has the time since which it holds, which a repeated finding does not change', async () => {
    const made = await register();
    expect(known(made)).toEqual(unchecked);
    const first = await check(made);
    expect(known(first)).toEqual({
      state: 'host_key_unknown',
      stateSince: first.lastCheck?.at,
      checkedAt: first.lastCheck?.at,
      latencyMs: null,
    });
    const again = await check(made);
    expect(again.stateSince).toBe(first.stateSince);
    expect(again.checkedAt).toBe(again.lastCheck?.at);
    const accepted = (await accept(made, hosts.sshd.hostKey.fingerprint)).body;
    expect(accepted).toMatchObject({ state: 'host_key_accepted', stateSince: accepted.lastCheck?.at });
    const reached = await check(made);
    expect(reached).toMatchObject({ state: 'reachable', stateSince: reached.lastCheck?.at });
    expect(reached.latencyMs).toBeGreaterThanOrEqual(0);
  });

  it('is reset at another address', async () => {
    const { type, publicKey } = hosts.sshd.hostKey;
    const made = await register({ hostKey: { publicKey: `${type} ${publicKey}` } });
    expect((await check(made)).state).toBe('reachable');
    const { body } = await admin.api.patch<Server>(`${PATH}/${made.id}`, { hostname: 'localhost' });
    expect(known(body)).toEqual(unchecked);
  });

  it('is not a changed key where none was ever pinned, whatever keys the host has', async () => {
    const certificateOnly = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.resume();
      socket.write(Buffer.concat([Buffer.from('SSH-2.0-strange\r\n'), kexInitOffering('ssh-dss')]));
    });
    await new Promise<void>((resolve) => certificateOnly.listen(0, '127.0.0.1', resolve));
    try {
      const checked = await check(await register({ port: (certificateOnly.address() as AddressInfo).port }));
      expect(checked).toMatchObject({ state: 'unreachable', hostKey: null });
      expect(checked.lastCheck?.reason.text).toContain('no host key of a type that Runward accepts');
    } finally {
      await new Promise((resolve) => certificateOnly.close(resolve));
    }
  });

  it('keeps the pin that was accepted during a check without a pin', async () => {
    const host = await fakeHost();
    try {
      const made = await register({ port: host.port });
      const seen = (await check(made)).seenHostKey;
      const pin = `update servers set host_key = seen_host_key, state = 'host_key_accepted', state_since = now(),
        checked_at = now() where id = '${made.id}'`;
      const answer = await withLockedRows(
        runward.database,
        `select set_config('app.tenant', '${admin.tenantId}', true); ${pin}`,
        1,
        () => admin.api.post<Server>(`${PATH}/${made.id}/check`),
      );
      expect(answer.body).toMatchObject({ state: 'host_key_accepted', seenHostKey: seen });
    } finally {
      await host.stop();
    }
  });
});

function kexInitOffering(hostKeyAlgorithm: string): Buffer {
  const lists = ['curve25519-sha256', hostKeyAlgorithm, ...Array<string>(2).fill('aes128-ctr')];
  lists.push(...Array<string>(2).fill('hmac-sha2-256'), 'none', 'none', '', '');
  const named = lists.map((list) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(list.length);
    return Buffer.concat([length, Buffer.from(list)]);
  });
  const payload = Buffer.concat([Buffer.from([20]), Buffer.alloc(16), ...named, Buffer.alloc(5)]);
  const padding = 8 - ((payload.length + 5) % 8) + 8;
  const head = Buffer.alloc(5);
  head.writeUInt32BE(payload.length + padding + 1);
  head.writeUInt8(padding, 4);
  return Buffer.concat([head, payload, Buffer.alloc(padding)]);
}

describe('the check of a host that does not answer as expected', () => {
  async function withListener<T>(act: (port: number) => Promise<T>): Promise<T> {
    const listener: NetServer = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.resume();
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    try {
      return await act((listener.address() as AddressInfo).port);
    } finally {
      await new Promise((resolve) => listener.close(resolve));
    }
  }

  it('reports the obstacle, and keeps the pin', async () => {
    const closed = await withListener((port) => Promise.resolve(port));
    const cases: [object, RegExp][] = [
      [{ port: closed }, /refused the connection/],
      [{ hostname: 'nowhere.invalid' }, /was not found/],
    ];
    for (const [fields, message] of cases) {
      const { type, publicKey } = hosts.sshd.hostKey;
      const checked = await check(await register({ hostKey: { publicKey: `${type} ${publicKey}` }, ...fields }));
      expect(checked.lastCheck).toMatchObject({
        state: 'unreachable',
        reason: { text: expect.stringMatching(message) },
      });
      expect(checked.hostKey).toEqual({ ...hosts.sshd.hostKey, shared: false, certAuthority: false });
    }
  });

  it('detects a service that is not an SSH server, and repeats nothing of its text', async () => {
    await withListener(async (port) => {
      const { lastCheck } = await check(await register({ port }));
      const message = `127.0.0.1:${port} is not an SSH server: it answers like a web server (HTTP). Check the port.`;
      expect(lastCheck).toMatchObject({ state: 'unreachable', reason: { text: message } });
    });
  });
});

describe('a login that can run no command', () => {
  const registerAt = async (forced: string, run: (server: Server) => Promise<void>) => {
    const own = await startSshHosts({ extraConfig: `ForceCommand ${forced}` });
    try {
      await own.sshd.addAuthorizedKey(hosts.key.publicKey);
      const { type, publicKey } = own.sshd.hostKey;
      await run(await register({ port: own.sshd.port, hostKey: { publicKey: `${type} ${publicKey}` } }));
    } finally {
      await own.stop();
    }
  };

  it.each([
    '/usr/sbin/nologin',
    'internal-sftp',
    'exec rbash -c "$SSH_ORIGINAL_COMMAND"',
    'exec zsh',
    'echo menu; exit 1',
  ])('is found by a check, and matched by the filter of the list: %s', async (forced) => {
    await registerAt(forced, async ({ id, name }) => {
      const { body } = await admin.api.post<Server>(`${PATH}/${id}/check`);
      expect(body).toMatchObject({ state: 'no_commands', seenHostKey: expect.anything() });
      expect(body.lastCheck?.reason.text).toMatch(/^Signed in as \S+, but the host runs no command\. ./);
      const list = await admin.api.get<{ items: Server[] }>(`${PATH}?state=no_commands&q=${name}`);
      expect(list.body.items.map((server) => server.id)).toEqual([id]);
    });
  });

  it('is not assumed where the login shell is slower than the time limit of a check', async () => {
    await registerAt('sleep 4; exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"', async ({ id }) => {
      const { body } = await admin.api.post<Server>(`${PATH}/${id}/check`);
      expect(body.state).toBe('reachable');
    });
  });

  it('is not assumed where the shell runs commands but has no space for a journal, which the check reports', async () => {
    await registerAt('env HOME=/nowhere /bin/sh -c "$SSH_ORIGINAL_COMMAND"', async ({ id }) => {
      const { body } = await admin.api.post<Server>(`${PATH}/${id}/check`);
      expect(body).toMatchObject({
        state: 'reachable',
        lastCheck: { reason: { text: expect.stringContaining('has no home directory on the host') } },
      });
    });
  });
});
