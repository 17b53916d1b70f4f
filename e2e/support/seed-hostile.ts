import { apiOf, type Call } from './api.js';
import type { Fleet } from './fleet.js';
import { createSshKey } from './fleet-in-runward.js';
import type { Runward } from './runward.js';

/** Longest name that the API accepts, without a place to break the line. */
export const LONG_NAME = 'Restart-all-the-web-servers-'.repeat(4).slice(0, 100);
/** Right-to-left name with a number, which moves to the other end in text without isolation. */
export const RTL_NAME = 'מחדש את שרתי הרשת 42';
const LONG_TEXT = 'description-without-a-space'.repeat(74).slice(0, 2000);
const LABEL_HOST = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.test`;

export interface HostileRecords {
  environmentId: string;
  planId: string;
  serverId: string;
  keyId: string;
  runId: string;
  memberId: string;
  scriptId: string;
  templateId: string;
  scheduleId: string;
  collectionId: string;
  gitSourceId: string;
  webhookId: string;
  notificationRuleId: string;
  /** Member without any grant. */
  newcomer: { email: string; password: string };
}

/** Creates one record of each kind with the longest name, and one with a right-to-left name. */
export async function seedHostile(runward: Runward, fleet: Fleet): Promise<HostileRecords> {
  const call = await apiOf(runward);
  const fleetKey = await createSshKey(call, fleet);
  await createRecords(call, fleet, { name: RTL_NAME, tag: 'rtl', fleetKey });
  const records = await createRecords(call, fleet, { name: LONG_NAME, tag: 'long', fleetKey });
  for (const { id } of (await call<{ items: { id: string }[] }>('GET', '/api/environments')).items)
    await call('PATCH', `/api/environments/${id}`, { access: 'restricted' });
  const newcomer = { email: `${'n'.repeat(60)}@e2e.test`, password: 'a password for the story' };
  await call('POST', '/api/members', { ...newcomer, name: LONG_NAME, role: 'operator' });
  return { ...records, newcomer };
}

/** Creates more environments than one page of the API has. */
export async function seedManyEnvironments(call: Call, count: number): Promise<void> {
  for (let from = 0; from < count; from += 20)
    await Promise.all(
      Array.from({ length: Math.min(20, count - from) }, (_, index) =>
        call('POST', '/api/environments', { name: `many-${String(from + index).padStart(4, '0')}` }),
      ),
    );
}

interface Hostile {
  name: string;
  tag: 'rtl' | 'long';
  /** Key that the hosts accept. */
  fleetKey: string;
}

async function createRecords(call: Call, fleet: Fleet, { name, tag, fleetKey }: Hostile) {
  const idOf = async (path: string, body: object): Promise<string> => (await call('POST', path, body)).id;
  const texts = { name, description: LONG_TEXT };
  const environmentId = await idOf('/api/environments', texts);
  const keyId = await idOf('/api/ssh-keys', { name, generate: { type: 'ed25519' } });
  const hostname = fleet.addresses[tag === 'rtl' ? 0 : 1] ?? '';
  const { type, publicKey } = fleet.hostKeyOf(hostname);
  const hostKey = { publicKey: `${type} ${publicKey}` };
  const serverId = await idOf('/api/inventory/servers', {
    ...{ name, hostname, port: fleet.port, username: fleet.user, sshKeyId: fleetKey },
    ...{ environmentId, hostKey, tags: { ['t'.repeat(60)]: 'v'.repeat(60), role: tag } },
  });
  await idOf('/api/inventory/servers', {
    ...{ name: `${name.slice(0, 90)} far`, hostname: `${tag}.${LABEL_HOST}`, username: 'u'.repeat(64) },
    ...{ environmentId, sshKeyId: keyId, hostKey },
  });
  const collectionId = await idOf('/api/collections', {
    ...texts,
    freeze: { reason: LONG_TEXT.slice(0, 500), until: '2099-12-31T08:00:00Z' },
  });
  const scriptId = await idOf('/api/scripts', { ...texts, content: 'true\n' });
  const templateId = await idOf('/api/templates', { ...texts, content: 'listen 80\n' });
  const variables = [{ name: 'V'.repeat(60), type: 'string', default: 'w'.repeat(300) }];
  const steps = [
    { key: 'k'.repeat(60), name, command: `echo ${'o'.repeat(500)}` },
    { key: 'fail', name: `${name.slice(0, 90)} fails`, command: `echo ${name} >&2; exit 3` },
  ];
  const planId = await idOf('/api/plans', { ...texts, environmentId, variables, steps, targets: `role=${tag}` });
  await idOf('/api/plans', { name: `${name.slice(0, 90)} in`, description: LONG_TEXT, collectionId, steps });
  const runId = await idOf('/api/executions', {
    ...{ planId, execution_mode: 'auto', note: LONG_TEXT, labels: { ['l'.repeat(50)]: 'w'.repeat(60) } },
  });
  await call('GET', `/api/executions/${runId}?wait=50&until=settled`);
  const scheduleId = await idOf('/api/schedules', {
    ...{ name, planId, note: LONG_TEXT, cron: '0 3 * * *', timeZone: 'Europe/Berlin', execution_mode: 'auto' },
  });
  const memberId = await idOf('/api/members', {
    ...{ email: `${tag}${'m'.repeat(55)}@e2e.test`, name, role: 'operator', password: 'a password for the story' },
  });
  await call('PUT', `/api/environments/${environmentId}/grants/${memberId}`, { level: 'run' });
  await idOf('/api/service-accounts', { ...texts, role: 'viewer' });
  await call('POST', '/api/tokens', { name });
  await call('PUT', `/api/environments/${environmentId}/variables/${'E'.repeat(60)}`, { value: 'x'.repeat(300) });
  const gitSourceId = await idOf('/api/git-sources', {
    ...{ ...texts, url: `ssh://git@127.0.2.8/${tag}${'p'.repeat(150)}.git`, credential: { sshKeyId: keyId } },
  });
  const webhookId = await idOf('/api/webhooks', {
    ...{ name, url: `http://127.0.2.8:1/${tag}${'h'.repeat(150)}`, events: ['execution.finished'] },
  });
  const notificationRuleId = await idOf('/api/notification-rules', {
    ...{ name, channel: { type: 'slack', url: 'http://127.0.0.1:1/services/none' }, events: ['execution.failed'] },
  });
  return {
    ...{ environmentId, planId, serverId, keyId, runId, memberId, scriptId, templateId, scheduleId, collectionId },
    ...{ gitSourceId, webhookId, notificationRuleId },
  };
}
