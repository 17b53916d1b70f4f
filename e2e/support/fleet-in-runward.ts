import type { Call } from './api.js';
import type { Fleet } from './fleet.js';

/** Authorises Runward on the hosts of a fleet. @returns ID of its SSH key */
export async function createSshKey(call: Call, fleet: Fleet): Promise<string> {
  const key = await call('POST', '/api/ssh-keys', { name: 'deploy', generate: { type: 'ed25519' } });
  await fleet.addAuthorizedKey(key.publicKey ?? '');
  return key.id;
}

/** Registers one server for each address (`web-1`, `web-2`, …) in an environment, with pinned host keys. */
export async function registerServers(
  call: Call,
  fleet: Fleet,
  where: { sshKeyId: string; environmentId: string; addresses: string[]; name?: string },
): Promise<void> {
  const { sshKeyId, environmentId, addresses, name = 'web' } = where;
  for (const [index, hostname] of addresses.entries()) {
    const { type, publicKey } = fleet.hostKeyOf(hostname);
    await call('POST', '/api/inventory/servers', {
      name: `${name}-${index + 1}`,
      hostname,
      port: fleet.port,
      username: fleet.user,
      sshKeyId,
      environmentId,
      tags: { role: 'web', number: String(index + 1) },
      hostKey: { publicKey: `${type} ${publicKey}` },
    });
  }
}

export async function registerFleet(call: Call, fleet: Fleet, environmentId: string): Promise<void> {
  await registerServers(call, fleet, {
    sshKeyId: await createSshKey(call, fleet),
    environmentId,
    addresses: fleet.addresses,
  });
}
