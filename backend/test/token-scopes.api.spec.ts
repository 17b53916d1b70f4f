import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TokenAccess } from '../src/common/access/caller-limits.js';
import { newId } from '../src/common/ids.js';
import { apiClient } from './support/api-client.js';
import { comparable, made } from './support/environment-scene.js';
import { type Installation, startInstallation, type TestMember } from './support/installation.js';
import { fillPath, makeOneOfEach, type OneOfEach } from './support/one-of-each.js';
import { type Operation, operations } from './support/openapi.js';
import { tableContents } from './support/table-contents.js';
import { type IdPosition, isolatedIdPositions, listIn } from './support/isolated-places.js';

/*
 * Copy of the routes' policies, so that a change of reach must be made in both places. Operations in none of these
 * lists are closed to tokens that are limited to environments or plans.
 */
const CALLER_OPERATIONS = ['getMe', 'logout', 'listTokens', 'getToken', 'createToken', 'revokeToken'];
const PLAN_OPERATIONS = [
  ...['listEnvironments', 'getEnvironment', 'getEnvironmentPermissions'],
  ...['listPlans', 'getPlan', 'updatePlan', 'deletePlan', 'exportPlan', 'checkPlan', 'restorePlan'],
  ...['listPlanRevisions', 'getPlanRevision', 'diffPlanRevisions', 'previewPlanVariables', 'previewTargets'],
  ...['startExecution', 'listExecutions', 'getExecution', 'listResults', 'listInheritedResults', 'listOutput'],
  ...[
    'readResultGrid',
    'listFailureCauses',
    'listPredictions',
    'getExecutionPermissions',
    'listDecisions',
    'getUsualStepDuration',
  ],
  ...['readOutputWindow', 'searchOutput', 'countOutputHits', 'compareExecution', 'compareExecutionHosts'],
  ...['streamExecution', 'reviewExecution', 'approveExecution', 'rejectExecution', 'withdrawApproval'],
  ...['decideExecution', 'pauseExecution', 'switchExecutionMode', 'overrideExecutionFreeze', 'cancelExecution'],
  ...['overrideExecutionWindow', 'cancelExecutions'],
  ...['rerunExecution', 'previewRerun', 'resolveHost', 'deleteExecution', 'pinExecution', 'unpinExecution'],
  ...['listSchedules', 'getSchedule', 'createSchedule', 'previewSchedule', 'updateSchedule', 'deleteSchedule'],
  ...['takeOverSchedule', 'listScheduleFires', 'listOccurrences'],
  ...['readOverview', 'readResultMatrix', 'readRunTrends'],
];
const ENVIRONMENT_OPERATIONS = [
  ...['updateEnvironment', 'deleteEnvironment', 'createPlan', 'importPlans'],
  ...['listOpenProtectionChanges', 'readEnvironmentOverviews', 'readEnvironmentOverview', 'readServerOverview'],
  ...['listProtectionChanges', 'createProtectionChange', 'agreeProtectionChange', 'rejectProtectionChange'],
  ...['listDepartedServers', 'releaseDepartedServer', 'keepDepartedServer'],
  ...['listEnvironmentVariables', 'getEnvironmentVariable', 'putEnvironmentVariable', 'deleteEnvironmentVariable'],
  ...['listServers', 'getServer', 'createServer', 'updateServer', 'deleteServer', 'getServerFacts', 'changeServers'],
  ...['listServerVariables', 'getServerVariable', 'putServerVariable', 'deleteServerVariable'],
  ...['getServerByExternalId', 'upsertServer', 'exportServers', 'checkServer', 'requestChecks', 'diagnoseServer'],
  ...['listHostKeys', 'setHostKeys', 'acceptHostKey', 'getServerProtection', 'setServerProtection'],
  ...['importServers', 'applyImport', 'listImports', 'getImport', 'listImportEntries'],
  ...['createEnrolment', 'listEnrolments', 'getEnrolment', 'revokeEnrolment'],
  // Only reads: with changes, a token could send data outside of the environment.
  ...['listNotificationRules', 'getNotificationRule', 'listNotificationDeliveries'],
];
/** Operations other than GET that change nothing. */
const READ_OPERATIONS = [
  ...['previewTargets', 'checkPlan', 'renderTemplate', 'renderNewTemplate', 'previewRerun', 'previewRetention'],
  'previewSchedule',
];
/** Operations other than reads that a token with access `run` may call. */
const RUN_OPERATIONS = [
  ...[
    'startExecution',
    'rerunExecution',
    'cancelExecution',
    'cancelExecutions',
    'pauseExecution',
    'decideExecution',
    'switchExecutionMode',
  ],
];

/** Records that are visible only to callers who see their environment. */
const RECORDS_OF_ENVIRONMENT: (keyof OneOfEach)[] = [
  ...(['environmentId', 'serverId', 'jumpServerId', 'importId', 'enrolmentId', 'executionId', 'planId'] as const),
  ...(['scheduleId', 'notificationRuleId'] as const),
];
/** Every text of records outside of the scopes contains this word. */
const TENANT_WORD = 'quartz';

let runward: Installation;
let inside: OneOfEach;
let outside: OneOfEach;
let before: Record<string, string>;
let unboundId: string;
/** Token that is limited to the unbound plan and has no list of environments, as earlier versions stored it. */
let older: { id: string; token: string };

interface Scope {
  access: TokenAccess;
  environments: boolean;
  plans: boolean;
}
interface TokenHolder {
  name: string;
  scope: Scope;
  member: TestMember;
}
const holders: TokenHolder[] = [];

beforeAll(async () => {
  runward = await startInstallation();
  const admin = await runward.tenant('acme');
  inside = await makeOneOfEach(admin, 'granite');
  outside = await makeOneOfEach(admin, TENANT_WORD);
  for (const access of ['read', 'run', 'all'] as const)
    for (const [environments, plans] of [
      [false, false],
      [true, false],
      [false, true],
      [true, true],
    ] as const) {
      const scope = {
        access,
        ...(environments ? { environmentIds: [inside.environmentId] } : {}),
        ...(plans ? { planIds: [inside.planId] } : {}),
      };
      const name = [access, ...(environments ? ['environment'] : []), ...(plans ? ['plan'] : [])].join(' ');
      const answer = await admin.api.post<{ token: string }>('/api/tokens', { name, scope });
      expect([name, answer.status]).toEqual([name, 201]);
      const { token } = answer.body;
      const member = { ...admin, token, api: apiClient(runward.url, { token }) };
      holders.push({ name, scope: { access, environments, plans }, member });
    }
  unboundId = await made(admin.api.post('/api/plans', { name: 'unbound', steps: [{ key: 'one', command: 'true' }] }));
  older = await makeTokenOfOlderVersion(admin);
  before = await tableContents(runward.database);
});
afterAll(() => runward.close());

async function makeTokenOfOlderVersion(admin: TestMember): Promise<typeof older> {
  const request = { name: 'older', scope: { access: 'all', environmentIds: [inside.environmentId] } };
  const { body } = await admin.api.post<typeof older>('/api/tokens', request);
  await runward.database.query(
    `update api_tokens set scope_environment_ids = null, scope_plan_ids = array['${unboundId}'::uuid] where id = '${body.id}'`,
  );
  return { id: body.id, token: body.token };
}

function mayCall({ operationId, method }: Operation, { access, environments, plans }: Scope): boolean {
  const needed =
    method === 'GET' || READ_OPERATIONS.includes(operationId)
      ? 'read'
      : RUN_OPERATIONS.includes(operationId)
        ? 'run'
        : 'all';
  if (access !== 'all' && needed !== 'read' && access !== needed) return false;
  if (CALLER_OPERATIONS.includes(operationId) || PLAN_OPERATIONS.includes(operationId)) return true;
  return ENVIRONMENT_OPERATIONS.includes(operationId) ? !plans : !environments && !plans;
}

const closedOperations = operations.filter(({ security }) => security?.length !== 0);

describe('a limited token', () => {
  it.each(closedOperations.map((operation): [string, Operation] => [operation.operationId, operation]))(
    'has the reach of its scope with %s, before any lookup',
    async (_, operation) => {
      const { method, path } = operation;
      const body = method === 'GET' ? undefined : '{"unknown":1}';
      const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
      const at = `${fillPath(path, newId())}?unknown=1`;
      const answers = holders.map(async ({ name, member }) => {
        const answer = await member.api.raw<{ code?: string }>(method, at, body, headers);
        return [name, answer.status, answer.body.code];
      });
      expect(await Promise.all(answers)).toEqual(
        holders.map(({ name, scope }) =>
          mayCall(operation, scope) ? [name, 400, 'invalid_request'] : [name, 403, 'insufficient_scope'],
        ),
      );
    },
  );

  it('is covered by lists that name only existing operations', () => {
    const existing = operations.map(({ operationId }) => operationId);
    for (const list of [CALLER_OPERATIONS, PLAN_OPERATIONS, ENVIRONMENT_OPERATIONS, READ_OPERATIONS, RUN_OPERATIONS])
      expect(existing).toEqual(expect.arrayContaining([...list]));
  });
});

const PLACES = isolatedIdPositions(RECORDS_OF_ENVIRONMENT, () => inside);

describe("records outside of a token's scope", () => {
  // A token that is limited to a plan with an environment is also limited to that environment.
  const isOutside = (_: IdPosition, { environments, plans }: Scope): boolean => environments || plans;

  it.each(PLACES.map((place): [string, IdPosition] => [place.name, place]))(
    'are answered at %s like unknown ones, byte for byte, also for admins',
    async (_, place) => {
      const compareAnswers = async ({ name, scope, member }: TokenHolder): Promise<void> => {
        const random = await place.send(member, newId());
        const answer = await place.send(member, outside[place.kind]);
        expect({ name, ...comparable(answer) }).toEqual({ name, ...comparable(random) });
        if (random.status === 200) expect(listIn(random.body)).toEqual([]);
        else {
          const code = mayCall(place.operation, scope) ? 'not_found' : 'insufficient_scope';
          expect({ name, code: random.body.code }).toEqual({ name, code });
        }
      };
      const asking = holders.filter(({ scope }) => isOutside(place, scope));
      // One after the other: a tenant can run only one bulk change at a time.
      if (place.operation.operationId === 'changeServers') for (const holder of asking) await compareAnswers(holder);
      else await Promise.all(asking.map(compareAnswers));
    },
  );

  it('are in no list and no record that tokens may read', async () => {
    const reading = operations.filter(
      ({ method, operationId }) => method === 'GET' && operationId !== 'streamExecution',
    );
    let read = 0;
    for (const { name, scope, member } of holders.filter(
      ({ scope: { environments, plans } }) => environments || plans,
    )) {
      for (const operation of reading.filter((each) => each.security?.length !== 0 && mayCall(each, scope))) {
        const path = fillPath(operation.path, inside);
        const answer = await member.api.get(operation.operationId === 'listTokens' ? `${path}?limit=200` : path);
        expect({ name, path, told: answer.text.includes(TENANT_WORD) }).toEqual({ name, path, told: false });
        read += answer.status === 200 ? 1 : 0;
      }
    }
    expect(read).toBeGreaterThan(150);
  });

  it('are all environments for the token of an unbound plan that an older version stored', async () => {
    const { id, ...stored } = older;
    const admin = holders[0]?.member;
    expect((await admin?.api.get(`/api/tokens/${id}`))?.body).toMatchObject({
      scope: { access: 'all', environmentIds: [], planIds: [unboundId] },
    });
    const api = apiClient(runward.url, stored);
    const mine: Scope = { access: 'all', environments: false, plans: true };
    const lists = operations.filter(({ operationId }) =>
      ['listEnvironments', 'listExecutions', 'listSchedules'].includes(operationId),
    );
    for (const { path } of lists)
      expect([path, (await api.get<{ items: object[] }>(path)).body.items]).toEqual([path, []]);
    for (const place of PLACES.filter(({ kind, operation }) => kind !== 'planId' && mayCall(operation, mine))) {
      const member = { ...admin!, ...stored, api };
      const answer = await place.send(member, inside[place.kind]);
      const random = await place.send(member, newId());
      expect({ name: place.name, ...comparable(answer) }).toEqual({ name: place.name, ...comparable(random) });
    }
    const start = { planId: unboundId, environmentId: inside.environmentId, execution_mode: 'auto' };
    expect((await api.post('/api/executions', start)).body).toMatchObject({
      ...{ code: 'not_found', errors: [{ path: '/environmentId' }] },
    });
  });

  it('cannot be named in the scope of a token that is created with it', async () => {
    const holder = holders.find(({ name }) => name === 'all environment plan');
    for (const field of ['environmentIds', 'planIds'] as const) {
      const id = field === 'planIds' ? outside.planId : outside.environmentId;
      const own = field === 'planIds' ? inside.planId : inside.environmentId;
      const answers = [];
      for (const each of [id, newId(), 'malformed']) {
        const body = { name: 'wider', scope: { access: 'all', [field]: [own, each] } };
        answers.push(await holder?.member.api.post<object>('/api/tokens', body));
      }
      for (const answer of answers)
        expect(answer?.body).toMatchObject({ code: 'not_found', errors: [{ path: `/scope/${field}/1` }] });
    }
  });

  it('are unchanged', async () => {
    expect(await tableContents(runward.database)).toEqual(before);
  });
});
