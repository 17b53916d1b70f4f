import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EnvironmentView } from '../src/environments/environments.view.js';
import { findWeakening } from '../src/environments/protection/weakening.js';
import type { ExecutionView } from '../src/executions/contract/execution.view.js';
import type { Answer } from './support/api-client.js';
import { made } from './support/environment-scene.js';
import { ALONE, FOUR_EYES_ROUTES } from './support/four-eyes-routes.js';
import { type Installation, startInstallation, type TestMember } from './support/installation.js';
import { fillPath, type FurtherRecords, makeOneOfEach, type OneOfEach } from './support/one-of-each.js';
import { type Operation, operationOf, operations } from './support/openapi.js';
import { ownSample } from './support/own-sample.js';

/*
 * One person sends every possible writing request, and then tries to get a run into a protected environment alone. A
 * member whose request changes another member's run must become an author of that run.
 */
const writes = operations.filter(({ method }) => method !== 'GET');
type RouteClass = keyof typeof FOUR_EYES_ROUTES;
const classOf = (id: string): RouteClass[] =>
  (Object.keys(FOUR_EYES_ROUTES) as RouteClass[]).filter((each) =>
    (FOUR_EYES_ROUTES[each] as readonly string[]).includes(id),
  );

/** Protected environment with a plan, and with runs that wait for approval. */
interface Scene {
  records: OneOfEach;
  environment: EnvironmentView;
  /** The person's own run; null = the person starts none. */
  own: ExecutionView | null;
  others: ExecutionView;
}

let runward: Installation;
/** Member who creates the scene and then does nothing. */
let owner: TestMember;
/** Member who also starts a run. */
let other: TestMember;
let openEnvironmentId: string;
let numbered = 0;

beforeAll(async () => {
  runward = await startInstallation();
  owner = await runward.tenant('acme');
  other = await runward.member(owner, 'operator');
  openEnvironmentId = await made(owner.api.post('/api/environments', { name: 'playground' }));
  await runward.database.query(`select set_config('app.tenant', $1, false)`, [owner.tenantId]);
});
afterAll(() => runward.close());

const start = ({ api }: TestMember, { planId }: OneOfEach): Promise<Answer<ExecutionView>> =>
  api.post<ExecutionView>('/api/executions', { planId, execution_mode: 'auto' });
const approve = ({ api }: TestMember, { id, digest }: Pick<ExecutionView, 'id' | 'digest'>) =>
  api.post<{ code: string }>(`/api/executions/${id}/approve`, { digest });
async function done<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { status, body, text } = await answer;
  expect([text, status < 300]).toEqual([text, true]);
  return body;
}

async function newScene(person: Person, reused?: FurtherRecords): Promise<Scene> {
  numbered += 1;
  const word = `scene-${numbered}`;
  const { api } = owner;
  const records = await makeOneOfEach(owner, word, reused);
  const { environmentId, planId, scriptId, templateId } = records;
  await done(api.post(`/api/executions/${records.executionId}/cancel`));
  await done(api.put(`/api/environments/${environmentId}/variables/ZONE`, { value: word }));
  const steps = [
    { key: 'one', command: 'echo $REGION $ZONE' },
    { key: 'two', type: 'script', scriptId },
    { key: 'three', type: 'template', templateId, path: '/tmp/three' },
  ];
  await done(api.patch(`/api/plans/${planId}`, { steps }));
  const policy = { protected: true, unknownAuthors: 'refuse' };
  await done(api.patch(`/api/environments/${environmentId}`, policy));
  if (person.grant)
    await done(api.put(`/api/environments/${environmentId}/grants/${person.member.userId}`, { level: person.grant }));
  const own = person.starts ? await done(start(person.member, records)) : null;
  const others = await done(start(other, records));
  const currentRun = (await person.member.api.get<ExecutionView>(`/api/executions/${others.id}`)).body;
  // If this fails, the refusals below prove nothing.
  expect(currentRun.approval?.currentUserCanDecide).toBe(person.approves);
  const protectionChangeId = person.role === 'admin' ? await ownChange(person, records) : records.protectionChangeId;
  const environment = (await api.get<EnvironmentView>(`/api/environments/${environmentId}`)).body;
  return { records: { ...records, protectionChangeId }, environment, own, others };
}

/** Deletes records of which a tenant can have only a few. */
async function discard(records: OneOfEach): Promise<void> {
  await owner.api.delete(`/api/webhooks/${records.webhookId}`);
  await owner.api.delete(`/api/oidc-trust-rules/${records.trustRuleId}`);
  await owner.api.delete(`/api/notification-rules/${records.notificationRuleId}`);
}

async function cancelRuns({ own, others }: Scene): Promise<void> {
  for (const run of [own, others]) if (run) await owner.api.post(`/api/executions/${run.id}/cancel`);
}

async function ownChange({ member }: Person, { environmentId, protectionChangeId }: OneOfEach): Promise<string> {
  const changes = `/api/environments/${environmentId}/protection-changes`;
  await done(owner.api.post(`${changes}/${protectionChangeId}/reject`, {}));
  return made(member.api.post(changes, { reason: 'alone', settings: { protected: false } }));
}

interface Person {
  name: string;
  role: 'viewer' | 'operator' | 'admin';
  grant: 'run' | 'approve' | null;
  starts: boolean;
  approves: boolean;
  member: TestMember;
}

interface Attempt {
  body?: unknown;
  replacements?: Record<string, string>;
  /** True = cancels the waiting runs first, because they block the deletion of records that they read. */
  ended?: true;
}

const ATTEMPTS: Record<string, (scene: Scene, person: Person) => Attempt[]> = {
  updateEnvironment: () =>
    [
      ...[{ protected: false }, { allowSelfApproval: true }, { unknownAuthors: 'show' }],
      ...[{ protectionDelaySeconds: 3600 }, { protected: true, requiredApprovals: 1, allowSelfApproval: true }],
      ...[{ allowedModes: ['auto'], approvalTtlSeconds: 2_592_000 }, { name: `renamed ${numbered}` }],
    ].map((body) => ({ body })),
  createProtectionChange: () =>
    [{ protected: false }, { allowSelfApproval: true }, { unknownAuthors: 'show' }].flatMap((settings) => [
      { body: { reason: 'alone', settings } },
      { body: { reason: 'alone', settings, override: true } },
    ]),
  putGrant: (_, { member }) => [{ body: { level: 'approve' }, replacements: { userId: member.userId } }],
  deleteGrant: ({ records }, { member }) =>
    [member.userId, records.memberId].map((userId) => ({ replacements: { userId } })),
  updateMember: (_, { member }) => [{ body: { role: 'admin' }, replacements: { id: member.userId } }],
  createPasswordLink: () => [{ replacements: { id: other.userId } }],
  approveExecution: ({ own, others }) =>
    [own, others].flatMap((run) => (run ? [{ body: { digest: run.digest }, replacements: { id: run.id } }] : [])),
  rerunExecution: ({ own, others }) =>
    [own, others].flatMap((run) =>
      run ? [{ body: { hosts: 'all', snapshot: 'same' }, replacements: { id: run.id } }] : [],
    ),
  startExecution: ({ records }) => [{ body: { planId: records.planId, execution_mode: 'auto' } }],
  createMember: () => [{ body: { email: `added-${numbered}@example.test`, name: 'Added', role: 'admin' } }],
  createSshKey: () => [{ body: { name: `key-${numbered}`, generate: { type: 'ed25519' } } }],
  updateGitSource: () => [{ body: { branch: 'other' } }],
  updatePlan: () => [
    { body: { steps: [{ key: 'one', command: 'echo other' }] } },
    { body: { targets: 'word' } },
    { body: { environmentId: openEnvironmentId } },
  ],
  updateScript: () => [{ body: { content: 'echo other' } }],
  updateTemplate: () => [{ body: { content: 'other' } }],
  updateServer: () =>
    [
      ...[{ hostname: '192.0.2.1' }, { port: 2222 }, { username: 'root' }, { name: `other-${numbered}` }],
      ...[{ tags: {} }, { enabled: false }, { environmentId: openEnvironmentId }, { legacyAlgorithms: true }],
    ].map((body) => ({ body })),
  changeServers: ({ records }) =>
    [
      { action: 'change', addTags: { zone: 'b' } },
      { action: 'change', environmentId: openEnvironmentId },
      { action: 'delete' },
    ].map((body) => ({ body: { serverIds: [records.serverId], ...body } })),
  putEnvironmentVariable: () => [
    { body: { value: 'other' } },
    { body: { value: 'correct-7431', secret: true }, replacements: { key: 'ZONE' } },
  ],
  putServerVariable: () => [{ body: { value: 'other' } }, { body: { value: 'correct-7431', secret: true } }],
  deleteEnvironmentVariable: () => [{}, { replacements: { key: 'ZONE' } }],
  ...Object.fromEntries(
    ['deleteServer', 'deleteScript', 'deleteTemplate', 'deletePlan', 'deleteEnvironment', 'deleteSshKey'].map((id) => [
      id,
      () => [{}, { ended: true as const }],
    ]),
  ),
  deleteExecution: ({ own, others }) =>
    [own, others].flatMap((run) => (run ? [{ replacements: { id: run.id }, ended: true as const }] : [])),
  rejectExecution: ({ own, others }) =>
    [own, others].flatMap((run) =>
      run ? [{ body: { comment: 'no', digest: run.digest }, replacements: { id: run.id } }] : [],
    ),
  cancelExecutions: ({ records }) => [{ body: { environmentId: records.environmentId } }],
  upsertServer: ({ records: { environmentId, sshKeyId } }) => [
    {
      body: {
        ...{ name: `own-${numbered}`, hostname: '192.0.2.9', username: 'root', sshKeyId, environmentId },
        tags: { word: `scene-${numbered}` },
      },
      replacements: { source: 'own', externalId: `device-${numbered}` },
    },
  ],
  updateCollection: () => [{ body: { name: `moved-${numbered}` } }, { body: { parentId: null } }],
  updateSchedule: () => [{ body: { enabled: true } }, { body: { execution_mode: 'auto' } }],
  updateServiceAccount: () => [{ body: { role: 'admin' } }, { body: { disabled: true } }],
  updateTrustRule: () => [{ body: { access: 'all' } }, { body: { enabled: false } }],
  updateWebhook: () => [{ body: { enabled: false } }],
  updateNotificationRule: () => [{ body: { enabled: false } }],
  setServerProtection: () => [{ body: { confirmed: false } }, { body: { confirmed: true } }],
};

/** Returns the requests to try. Requests about a run are sent for the person's own run and for the other member's. */
function attemptsOf(operation: Operation, scene: Scene, person: Person): Attempt[] {
  const specialAttempts = ATTEMPTS[operation.operationId]?.(scene, person);
  if (specialAttempts) return specialAttempts;
  const sample = ownSample(operation, scene.records);
  if (!operation.path.startsWith('/api/executions/{id}')) return [{ body: sample }];
  return [scene.own, scene.others].flatMap((run) => (run ? [{ body: sample, replacements: { id: run.id } }] : []));
}

/**
 * Returns the runs of the environment that passed approval. Omits the other member's run, which the person may approve.
 */
const admittedRuns = async ({ records, others }: Scene): Promise<unknown[]> =>
  runward.database.query(
    `select status, started_by_name as by from executions where environment_id = $1 and execution_mode <> 'dry_run'
        and status in ('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED') and id <> $2`,
    [records.environmentId, others.id],
  );
const weakenedSettings = async ({ records, environment }: Scene): Promise<string[]> => {
  const { status, body } = await owner.api.get<EnvironmentView>(`/api/environments/${records.environmentId}`);
  return status === 200 ? Object.keys(findWeakening(environment, body)) : ['deleted'];
};

const PEOPLE: readonly Omit<Person, 'member'>[] = [
  { name: 'operator', role: 'operator', grant: null, starts: true, approves: false },
  { name: 'operator with approve', role: 'operator', grant: 'approve', starts: true, approves: true },
  { name: 'viewer with approve', role: 'viewer', grant: 'approve', starts: false, approves: true },
  { name: 'admin', role: 'admin', grant: null, starts: true, approves: true },
];

/** Routes that changed the content of a waiting run, and so made the person an author of that run. */
const CHANGING_OPERATIONS = [
  ...['changeServers', 'deleteEnvironmentVariable', 'deleteServerVariable', 'putEnvironmentVariable'],
  ...['putServerVariable', 'restorePlan', 'updatePlan', 'updateScript'],
  ...['updateServer', 'updateTemplate', 'upsertServer'],
];
/**
 * Routes that this test cannot use. A plan uses their record, no record has the needed state, or they need a secret
 * that the person does not have. Their own specs send requests that pass.
 */
const REFUSED = [
  ...['login', 'changePassword', 'setPassword', 'revokeOwnSession'],
  ...['tryIdentityToken', 'exchangeIdentityToken', 'removeServiceAccount', 'deleteBookmark', 'deleteEnvironment'],
  ...['agreeProtectionChange', 'deleteSshKey', 'putSshKeyCertificate', 'deleteSshKeyCertificate'],
  ...['deleteCollection', 'receiveGitCall', 'acceptHostKey', 'shareHostKey'],
  ...['applyImport', 'retryKeyRotation', 'giveUpKeyRotation', 'enrolHost'],
  ...['verifyEnrolledHost', 'deleteScript', 'deleteTemplate', 'deletePlan'],
  ...['withdrawApproval', 'decideExecution', 'pauseExecution', 'switchExecutionMode'],
  ...['overrideExecutionFreeze', 'overrideExecutionWindow', 'resolveHost', 'replayDelivery'],
  ...['testNotificationChannel', 'resendNotification'],
];

/** Paths of records that runs use. Requests to them leave the {@link FurtherRecords} as they are. */
const USED_BY_RUNS = [
  'environments',
  'inventory',
  'ssh-keys',
  'scripts',
  'templates',
  'collections',
  'plans',
  'schedules',
  'executions',
].map((name) => `/api/${name}`);

const answered = new Set<string>();
const changingOperations = new Set<string>();

describe.each(PEOPLE)('$name, alone,', (described) => {
  let person: Person;
  let scene: Scene | null = null;
  /** Records of the previous scene that its last request did not concern. */
  let reused: FurtherRecords | undefined;
  beforeAll(async () => {
    person = { ...described, member: await runward.member(owner, described.role) };
  });

  async function expectFourEyesAfter(operation: Operation, number: number): Promise<void> {
    const { operationId, method, path: where } = operation;
    scene ??= await newScene(person, reused);
    reused = undefined;
    const { body, replacements, ended } = attemptsOf(operation, scene, person)[number] ?? {};
    const { member } = person;
    if (ended) await cancelRuns(scene);
    if (operationId === 'rerunExecution' && scene.own) await member.api.post(`/api/executions/${scene.own.id}/cancel`);
    const json = body === undefined ? undefined : JSON.stringify(body);
    const headers: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await member.api.raw(method, fillPath(where, scene.records, replacements), json, headers);
    // A refused request changes nothing, as roles.api.spec.ts tests.
    if (answer.status >= 400) return;
    answered.add(operationId);
    await expectFourEyes(operationId, scene, `${operationId} ${json ?? ''} answered ${answer.text}`);
    if (classOf(operationId)[0] === 'aside' && method !== 'DELETE') return;
    const { records } = scene;
    scene = null;
    if (USED_BY_RUNS.some((prefix) => where.startsWith(prefix))) reused = records;
    else await discard(records);
  }

  async function expectFourEyes(operationId: string, now: Scene, what: string): Promise<void> {
    const { member } = person;
    const twoPersons = operationId === 'agreeProtectionChange' && person.role !== 'admin';
    const alone = person.role === 'admin' && operationId === 'createProtectionChange';
    const weaker = await weakenedSettings(now);
    if (!alone && !twoPersons) expect([what, weaker]).toEqual([what, []]);
    // A documented override of the protection admits runs, so there is nothing more to test.
    if (weaker.length > 0) return;
    const theirs = await start(member, now.records);
    for (const run of [now.own, theirs.status === 201 ? theirs.body : null])
      if (run) expect([what, (await approve(member, run)).status]).not.toEqual([what, 200]);
    expect([what, await admittedRuns(now)]).toEqual([what, []]);
    const after = await start(other, now.records);
    if (after.status !== 201 || after.body.digest === now.others.digest) return;
    if (after.body.status !== 'PAUSED') return;
    changingOperations.add(operationId);
    const { status, body } = await approve(member, after.body);
    const refused = person.approves ? [403, 'self_approval'] : [403, 'grant_required'];
    expect([what, status, body.code]).toEqual([what, ...refused]);
  }

  it.each(writes.map((operation) => [operation.operationId, operation] as const))(
    'gets no run admitted with %s',
    async (_, operation) => {
      const known = scene ?? (await newScene(person, reused));
      reused = undefined;
      scene = known;
      const count = attemptsOf(operation, known, person).length;
      for (let number = 0; number < count; number += 1) await expectFourEyesAfter(operation, number);
    },
  );
});

describe('the sweep', () => {
  it('covers every writing route and its effect on four eyes', () => {
    const wrong = writes.map(({ operationId }) => [operationId, classOf(operationId).length]);
    expect(wrong.filter(([, count]) => count !== 1)).toEqual([]);
    expect(
      Object.values(FOUR_EYES_ROUTES)
        .flat()
        .filter((id) => !operationOf(id)),
    ).toEqual([]);
  });

  it('changed what runs do by routes of each kind of content', () => {
    expect([...changingOperations].sort()).toEqual(CHANGING_OPERATIONS);
  });

  it('was accepted by every route except the listed ones', () => {
    const refused = writes.map(({ operationId }) => operationId).filter((id) => !answered.has(id));
    expect(refused.sort()).toEqual([...REFUSED].sort());
  });

  it('matches what docs/guarantees.md says that one admin can do alone', () => {
    const text = readFileSync(path.join(import.meta.dirname, '../../docs/guarantees.md'), 'utf8');
    const documentedSection = text.split('## What one admin alone can still do')[1]?.split('\n## ')[0] ?? '';
    const listed = [...documentedSection.matchAll(/^- (.*)$/gm)].map(([, item = '']) => item.replaceAll('**', ''));
    expect(listed).toEqual(ALONE.map(({ text: item }) => item));
    expect(ALONE.flatMap(({ routes }) => routes).filter((id) => !operationOf(id))).toEqual([]);
  });
});
