/** Creates three demo servers and the records that the plan needs. Keeps existing records. */
import path from 'node:path';
import { ensureLoginUser, ensureSshd, startSshd } from '../sshd.mjs';
import { helloFleet, OTHER_PLANS } from './plan.mjs';

const SERVERS = [
  { name: 'web-1', hostname: '127.0.1.1', tags: { role: 'web' } },
  { name: 'web-2', hostname: '127.0.1.2', tags: { role: 'web' } },
  { name: 'db-1', hostname: '127.0.1.3', tags: { role: 'db' } },
];

/** Returns the running sshd and the plan. The caller must call `sshd.stop()`. */
export async function ensureFleet(api, dataDir, log) {
  const environment =
    (await api.find('/api/environments', 'demo')) ??
    (await api.post('/api/environments', { name: 'demo', description: 'Three servers that live on this machine.' }));
  const key =
    (await api.find('/api/ssh-keys', 'demo-key')) ??
    (await api.post('/api/ssh-keys', { name: 'demo-key', generate: { type: 'ed25519' } }));
  const known = await Promise.all(SERVERS.map(({ name }) => api.find('/api/inventory/servers', name)));
  const sshd = await start(dataDir, await publicKeysOf(api, known, key), known.find(Boolean)?.port, log);
  try {
    for (const [index, server] of SERVERS.entries()) {
      const record = {
        ...server,
        port: sshd.port,
        username: sshd.user,
        sshKeyId: known[index]?.sshKeyId ?? key.id,
        environmentId: environment.id,
      };
      await ensureServer(api, known[index], record, sshd.hostKeyOf(server.hostname).fingerprint);
    }
    const [plan] = await Promise.all([helloFleet, ...OTHER_PLANS].map((each) => ensurePlan(api, environment.id, each)));
    return { sshd, plan };
  } catch (error) {
    await sshd.stop();
    throw error;
  }
}

/** Returns the public keys of the servers' SSH keys. After a key rotation, they differ from the first key. */
async function publicKeysOf(api, known, first) {
  const ids = new Set(known.map((server) => server?.sshKeyId ?? first.id));
  const keys = await Promise.all([...ids].map((id) => api.get(`/api/ssh-keys/${id}`)));
  return keys.map(({ publicKey }) => publicKey);
}

async function start(dataDir, authorizedKeys, lastPort, log) {
  const options = {
    sshdPath: await ensureSshd({ log }),
    dir: path.join(dataDir, 'sshd'),
    user: await ensureLoginUser(),
    addresses: SERVERS.map(({ hostname }) => hostname),
    authorizedKeys,
    ownHome: true,
  };
  if (lastPort === undefined) return startSshd(options);
  // The previous port keeps pinned host keys valid. If another program uses it now, a new port is chosen.
  return startSshd({ ...options, port: lastPort }).catch(() => startSshd(options));
}

const ensurePlan = async (api, environmentId, plan) =>
  (await api.find('/api/plans', plan.name)) ?? (await api.post('/api/plans', { targets: '', ...plan, environmentId }));

async function ensureServer(api, known, expected, fingerprint) {
  const resource = '/api/inventory/servers';
  const { hostname, port, username, sshKeyId } = expected;
  const moved =
    known &&
    (known.hostname !== hostname || known.port !== port || known.username !== username || known.sshKeyId !== sshKeyId);
  let server = known ?? (await api.post(resource, expected));
  if (moved) server = await api.patch(`${resource}/${known.id}`, { hostname, port, username, sshKeyId });
  if (server.hostKey?.fingerprint === fingerprint) return;
  await api.post(`${resource}/${server.id}/check`);
  // Pinning an unproved key is safe here: the demo started this host and knows its key.
  await api.put(`${resource}/${server.id}/host-key`, { fingerprint });
}
