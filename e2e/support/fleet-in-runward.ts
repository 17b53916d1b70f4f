import type { Call } from './api.js';
import type { Fleet } from './fleet.js';

/** Registers a server per address of the fleet (`web-1`, `web-2`, …) in an environment, with pinned host keys. */
export async function registerFleet(call: Call, fleet: Fleet, environmentId: string): Promise<void> {
  const key = await call('POST', '/api/ssh-keys', { name: 'deploy', generate: { type: 'ed25519' } });
  await fleet.addAuthorizedKey(key.publicKey ?? '');
  for (const [index, hostname] of fleet.addresses.entries()) {
    await call('POST', '/api/inventory/servers', {
      name: `web-${index + 1}`,
      hostname,
      port: fleet.port,
      username: fleet.user,
      sshKeyId: key.id,
      environmentId,
      tags: { role: 'web', number: String(index + 1) },
      hostKey: { publicKey: `${fleet.hostKey.type} ${fleet.hostKey.publicKey}` },
    });
  }
}
