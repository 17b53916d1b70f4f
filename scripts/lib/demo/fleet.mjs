/** Creates the demo's environments, SSH key and hosts, and starts their SSH servers. Keeps existing records. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureLoginUser, ensureSshd, startSshd } from '../sshd.mjs';
import { ENVIRONMENTS, SERVERS } from './content/fleet.mjs';

/** Returns the running sshd, the home folders by address and the environments by name. Call `sshd.stop()` at the end. */
export async function ensureFleet(api, dataDir, log) {
  const key =
    (await api.find('/api/ssh-keys', 'demo-key')) ??
    (await api.post('/api/ssh-keys', { name: 'demo-key', generate: { type: 'ed25519' } }));
  const environments = {};
  for (const each of ENVIRONMENTS) {
    environments[each.name] =
      (await api.find('/api/environments', each.name)) ?? (await api.post('/api/environments', each));
  }
  const known = await Promise.all(SERVERS.map(({ name }) => api.find('/api/inventory/servers', name)));
  const homes = homesOf(
    dataDir,
    known.every((server) => server === undefined),
  );
  const sshd = await start(dataDir, homes, await publicKeysOf(api, known, key), known.find(Boolean)?.port, log);
  try {
    const ensure = async ({ environment, ...server }, index) => {
      const record = {
        ...server,
        port: sshd.port,
        username: sshd.user,
        sshKeyId: known[index]?.sshKeyId ?? key.id,
        environmentId: environments[environment].id,
      };
      const { id } = await ensureServer(api, known[index], record, sshd.hostKeyOf(server.hostname).fingerprint);
      await api.put(`/api/inventory/servers/${id}/variables/home`, { value: path.join(homes, server.hostname) });
      return id;
    };
    for (const [index, server] of SERVERS.entries()) await ensure(server, index);
    return { sshd, homes, environments };
  } catch (error) {
    await sshd.stop();
    throw error;
  }
}

/**
 * Returns the folder of the hosts' home folders. As root, the hosts' login user cannot reach the data folder, so its own
 * home is used.
 * @param isNew true: deletes files of an earlier demo with the same data folder
 */
function homesOf(dataDir, isNew) {
  if (process.getuid?.() !== 0) return path.join(dataDir, 'hosts');
  const idFile = path.join(dataDir, 'hosts-id');
  if (!existsSync(idFile)) writeFileSync(idFile, randomBytes(4).toString('hex'));
  const homes = path.join('/var/lib/runward-demo', readFileSync(idFile, 'utf8').trim());
  if (isNew) rmSync(homes, { recursive: true, force: true });
  return homes;
}

/** Returns the public keys of the servers' SSH keys. After a key rotation, they differ from the first key. */
async function publicKeysOf(api, known, first) {
  const ids = new Set(known.map((server) => server?.sshKeyId ?? first.id));
  const keys = await Promise.all([...ids].map((id) => api.get(`/api/ssh-keys/${id}`)));
  return keys.map(({ publicKey }) => publicKey);
}

async function start(dataDir, homes, authorizedKeys, lastPort, log) {
  const user = await ensureLoginUser();
  mkdirSync(homes, { recursive: true });
  const options = {
    sshdPath: await ensureSshd({ log }),
    dir: path.join(dataDir, 'sshd'),
    homes,
    user,
    addresses: SERVERS.map(({ hostname }) => hostname),
    authorizedKeys,
  };
  if (lastPort === undefined) return startSshd(options);
  // The previous port keeps pinned host keys valid. If another program uses it now, a new port is chosen.
  return startSshd({ ...options, port: lastPort }).catch(() => startSshd(options));
}

async function ensureServer(api, known, expected, fingerprint) {
  const resource = '/api/inventory/servers';
  const { hostname, port, username, sshKeyId } = expected;
  const moved =
    known &&
    (known.hostname !== hostname || known.port !== port || known.username !== username || known.sshKeyId !== sshKeyId);
  let server = known ?? (await api.post(resource, expected));
  if (moved) server = await api.patch(`${resource}/${known.id}`, { hostname, port, username, sshKeyId });
  if (server.hostKey?.fingerprint === fingerprint) return server;
  await api.post(`${resource}/${server.id}/check`);
  // Pinning an unproved key is safe here: the demo started this host and knows its key.
  return api.put(`${resource}/${server.id}/host-key`, { fingerprint });
}
