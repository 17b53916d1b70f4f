import type { Call } from './api.js';
import type { Fleet } from './fleet.js';

export interface SeededInventory {
  /** One server is reachable, the other is behind an unreachable jump server. */
  serverId: string;
  unreachableServerId: string;
  keyId: string;
  rotationId: string;
  gitSourceId: string;
  webhookId: string;
  deliveryId: string;
}

const [JUMP_ADDRESS, UNREACHABLE_ADDRESS] = ['127.0.2.8', '127.0.2.9'];
const OTHER_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEy';

export async function seedInventory(call: Call, fleet: Fleet): Promise<SeededInventory> {
  const environmentId = (await call('POST', '/api/environments', { name: 'cellar' })).id;
  const keyId = (await call('POST', '/api/ssh-keys', { name: 'cellar', generate: { type: 'ed25519' } })).id;
  const hostKey = { publicKey: `${fleet.hostKey.type} ${fleet.hostKey.publicKey}` };
  const usual = { port: fleet.port, username: fleet.user, sshKeyId: keyId, environmentId };
  const register = async (fields: object): Promise<string> =>
    (await call('POST', '/api/inventory/servers', { ...usual, ...fields })).id;
  const gate = await register({ name: 'gate-1', hostname: JUMP_ADDRESS, hostKey });
  const unreachableServerId = await register({
    ...{ name: 'cellar-1', hostname: UNREACHABLE_ADDRESS, hostKey: { publicKey: OTHER_KEY }, jumpServerId: gate },
    ...{ tags: { role: 'store', level: 'below' } },
  });
  await call('PUT', `/api/inventory/servers/${unreachableServerId}/host-keys`, { hostKeys: [hostKey] });
  const variable = (key: string, body: object) =>
    call('PUT', `/api/inventory/servers/${unreachableServerId}/variables/${key}`, body);
  await variable('SHELVES', { value: ['left', 'right'], type: 'list' });
  await variable('LICENCE', { value: 'not for any eye', secret: true });
  const { id: rotationId } = await call('POST', `/api/ssh-keys/${keyId}/rotate`, { generate: { type: 'ed25519' } });
  for (let failed = 0; failed < 2; ) {
    const { counts } = await call<{ counts: { failed: number } }>('GET', `/api/key-rotations/${rotationId}?wait=1`);
    failed = counts.failed;
  }
  await call('POST', '/api/inventory/enrolments', {
    ...{ environmentId, sshKeyId: keyId, username: 'deploy', name: 'cellar-2' },
  });
  const { items } = await call<{ items: { id: string }[] }>('GET', '/api/inventory/servers?q=web-1');
  const serverId = items[0]?.id ?? '';
  await call('POST', `/api/inventory/servers/${serverId}/check`);
  const { id: gitSourceId } = await call('POST', '/api/git-sources', {
    ...{ name: 'plans', url: `ssh://git@${JUMP_ADDRESS}/plans.git`, credential: { sshKeyId: keyId } },
  });
  const { id: webhookId } = await call('POST', '/api/webhooks', {
    ...{ name: 'Board', url: 'http://127.0.2.8:1/in', events: ['execution.finished', 'approval.requested'] },
  });
  const { id: deliveryId } = await call('POST', `/api/webhooks/${webhookId}/test`);
  return { serverId, unreachableServerId, keyId, rotationId, gitSourceId, webhookId, deliveryId };
}
