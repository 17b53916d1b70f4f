import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from './support/api-client.js';
import { made } from './support/environment-scene.js';
import { type Installation, startInstallation, type TestMember, type TestWorker } from './support/installation.js';
import { operations, resolved } from './support/openapi.js';

/** Operations that store a name outside environments. All members may know such names. */
const IN_NO_ENVIRONMENT =
  /(Token|Bookmark|TrustRule|Member|ServiceAccount|SshKey|Collection|GitSource|Script|Template|NotificationChannel)$/;
const HOST_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIhXDhFvh5z8kzNYwdcHs7lJkSxcEjIzxNnSU7WzUrR4';
const STEPS = [{ key: 'one', command: 'true' }];

interface Scene {
  environmentId: string;
  serverId: string;
  planId: string;
  scheduleId: string;
  webhookId: string;
  notificationRuleId: string;
}

let runward: Installation;
let worker: TestWorker;
let operator: TestMember;
let sshKeyId: string;
/** Records in a restricted environment in which the operator has no grant. */
let hidden: Scene;
let own: Scene;

beforeAll(async () => {
  runward = await startInstallation();
  worker = await runward.worker();
  const admin = await runward.tenant('acme');
  operator = await runward.member(admin, 'operator');
  sshKeyId = await made(admin.api.post('/api/ssh-keys', { name: 'deploy', generate: { type: 'ed25519' } }));
  const scene = async (by: TestMember, word: string, access?: string): Promise<Scene> => {
    const make = (path: string, body: object) => made(by.api.post(path, body));
    const environmentId = await make('/api/environments', { name: `${word}-environment`, access });
    const planId = await make('/api/plans', { name: `${word}-plan`, environmentId, steps: STEPS });
    const environmentIds = [environmentId];
    return {
      environmentId,
      planId,
      serverId: await make('/api/inventory/servers', {
        ...{ name: `${word}-server`, hostname: `${word}.invalid`, username: word, sshKeyId, environmentId },
        ...{ externalSource: 'cmdb', externalId: `${word}-device` },
      }),
      scheduleId: await make('/api/schedules', schedule(`${word}-schedule`, planId)),
      webhookId: await make('/api/webhooks', webhook(`${word}-webhook`, environmentIds)),
      notificationRuleId: await make('/api/notification-rules', rule(`${word}-rule`, environmentIds)),
    };
  };
  hidden = await scene(admin, 'quartz', 'restricted');
  own = await scene(operator, 'garnet');
  await scene(admin, 'basalt');
});
afterAll(async () => {
  await worker.stop();
  await runward.close();
});

const schedule = (name: string, planId: string) => ({
  ...{ name, planId, execution_mode: 'dry_run', everySeconds: 3600, enabled: false },
});
const webhook = (name: string, environmentIds: string[]) => ({
  ...{ name, url: 'https://unused.invalid', events: ['execution.finished'], environmentIds },
});
const rule = (name: string, environmentIds: string[]) => ({
  ...{ name, channel: { type: 'ntfy', url: 'https://unused.invalid', topic: 'runs' }, events: ['execution.failed'] },
  environmentIds,
});
const server = (name: string) => ({
  ...{ name, hostname: 'new.invalid', username: 'deploy', sshKeyId, environmentId: own.environmentId },
});
const post = (path: string, body: object) => operator.api.post(path, body);
const rename = (path: string, name: string) => operator.api.patch(path, { name });

async function importServers(content: string | object[], more: object = {}): Promise<Answer> {
  const id = await made(
    operator.api.post('/api/inventory/servers/import?wait=50&preview=true', {
      ...(typeof content === 'string'
        ? { format: 'ansible-ini', content }
        : { format: 'json', content: JSON.stringify(content) }),
      ...{ environmentId: own.environmentId, sshKeyId, username: 'deploy' },
      ...more,
    }),
  );
  return operator.api.get(`/api/inventory/imports/${id}/entries`);
}

async function enrol(fields: object, hostName: string): Promise<Answer> {
  const { environmentId } = own;
  const made = await operator.api.post<{ token: string }>('/api/inventory/enrolments', {
    ...{ environmentId, sshKeyId, username: 'deploy', port: 22 },
    ...fields,
  });
  if (made.status !== 201) return made;
  const host = { hostName, addresses: ['192.0.2.7'], address: '192.0.2.7', hostKeys: [HOST_KEY] };
  return runward.anonymous.post('/api/enrol', host, { authorization: `Bearer ${made.body.token}` });
}

/** Operations that store a name. Each tries a name that a record of `word` already has. */
const REQUESTS: Record<string, (word: string) => Promise<Answer>> = {
  createEnvironment: (word) => post('/api/environments', { name: `${word}-ENVIRONMENT` }),
  updateEnvironment: (word) => rename(`/api/environments/${own.environmentId}`, `${word}-ENVIRONMENT`),
  createServer: (word) => post('/api/inventory/servers', server(`${word}-SERVER`)),
  updateServer: (word) => rename(`/api/inventory/servers/${own.serverId}`, `${word}-SERVER`),
  upsertServer: (word) => operator.api.put('/api/inventory/servers/by-external-id/cmdb/new', server(`${word}-SERVER`)),
  createEnrolment: (word) => enrol({ name: `${word}-SERVER` }, 'new'),
  enrolHost: (word) => enrol({}, `${word}-SERVER`),
  importServers: (word) => importServers(`${word}-SERVER`),
  createPlan: (word) => post('/api/plans', { name: `${word}-PLAN`, steps: STEPS }),
  updatePlan: (word) => rename(`/api/plans/${own.planId}`, `${word}-PLAN`),
  createSchedule: (word) => post('/api/schedules', schedule(`${word}-SCHEDULE`, own.planId)),
  updateSchedule: (word) => rename(`/api/schedules/${own.scheduleId}`, `${word}-SCHEDULE`),
  createWebhook: (word) => post('/api/webhooks', webhook(`${word}-WEBHOOK`, [own.environmentId])),
  updateWebhook: (word) => rename(`/api/webhooks/${own.webhookId}`, `${word}-WEBHOOK`),
  createNotificationRule: (word) => post('/api/notification-rules', rule(`${word}-RULE`, [own.environmentId])),
  updateNotificationRule: (word) => rename(`/api/notification-rules/${own.notificationRuleId}`, `${word}-RULE`),
};

/** Requests that change the record with this name or external ID if it is visible, and otherwise create one. */
const UPSERTS: Record<string, (word: string) => Promise<Answer>> = {
  'importPlans by name': (word) =>
    post('/api/plans/import', { content: `name: ${word}-PLAN\nsteps: [{key: a, command: x}]\n` }),
  'upsertServer by external ID': (word) =>
    operator.api.put(`/api/inventory/servers/by-external-id/cmdb/${word.toLowerCase()}-device`, server('new')),
  'createServer with its external ID': (word) =>
    post('/api/inventory/servers', {
      ...server('new'),
      externalSource: 'cmdb',
      externalId: `${word.toLowerCase()}-device`,
    }),
  'updateServer to its external ID': (word) =>
    operator.api.patch(`/api/inventory/servers/${own.serverId}`, { externalId: `${word.toLowerCase()}-device` }),
  'importServers by external ID': (word) =>
    importServers([{ name: 'new', hostname: 'new.invalid', externalId: `${word.toLowerCase()}-device` }], {
      source: 'cmdb',
    }),
  'importServers left out': (word) =>
    importServers([{ name: `${word}-SERVER`, hostname: 'bad address' }, { name: 'new' }], { skipFaulty: true }),
};

/** Returns the answer without values that differ between requests and without the word that the caller sent. */
const comparable = ({ status, text }: Answer) => ({
  status,
  text: text
    .replaceAll(/"(requestId|id)":"[^"]*"/g, '"$1":"…"')
    .replaceAll(/QUARTZ|BASALT/g, 'WORD')
    .replaceAll(/(quartz|basalt)-device/g, 'word-device'),
});

function expectNothingOfHidden({ text }: Answer): void {
  expect(text.replaceAll('quartz-device', '')).not.toContain('quartz');
  for (const id of Object.values(hidden)) expect(text).not.toContain(id);
}

describe('a name of a record in an invisible environment', () => {
  it('is sent to every operation that stores a name', () => {
    const named = operations.filter(({ body }) => body && 'name' in (resolved(body).properties ?? {}));
    const ids = named.map(({ operationId }) => operationId).filter((id) => !IN_NO_ENVIRONMENT.test(id));
    expect(ids.filter((id) => !(id in REQUESTS))).toEqual([]);
  });

  it.each(Object.entries(REQUESTS))('is treated by %s like the name of a visible record', async (_, send) => {
    const [unseen, seen] = [await send('QUARTZ'), await send('BASALT')];
    expect(comparable(unseen)).toEqual(comparable(seen));
    expect(unseen.text).toMatch(/taken|already exists/);
    expectNothingOfHidden(unseen);
  });

  it.each(Object.entries(UPSERTS))('reveals nothing about that record in %s', async (_, send) => {
    const answer = await send('QUARTZ');
    expect(answer.text).toMatch(/taken|already|not_found|"action":"skip"/);
    expectNothingOfHidden(answer);
    expect(answer.text).not.toMatch(/may not see/);
  });
});
