import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../../../test/support/api-client.js';
import { type EnvironmentScene, comparable, made, makeScene } from '../../../test/support/environment-scene.js';
import { environmentRoutes } from '../../../test/support/environment-routes.js';
import { NTFY, TAKEN_NAME } from '../../../test/support/notification-routes.js';
import type { Ids, EnvironmentRoute } from '../../../test/support/environment-route.js';
import { operations } from '../../../test/support/openapi.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { type Role, ROLES } from '../../common/access/principal.js';
import { newId } from '../../common/ids.js';
import { GRANT_LEVELS, type GrantLevel } from '../../environments/grant-policy.js';
import {
  ENVIRONMENT_ACCESS,
  type EnvironmentAccess,
  mayApprove,
  mayRun,
  maySee,
} from '../../environments/grant-policy.js';

let runward: Installation;
let admin: TestMember;
let routes: EnvironmentRoute[];
const members = {} as Record<Role, TestMember>;
const scenes = {} as Record<EnvironmentAccess, Ids>;
let otherTenant: Ids;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  Object.assign(members, {
    viewer: await runward.member(admin, 'viewer'),
    operator: await runward.member(admin, 'operator'),
    admin,
  });
  const own = await makeScene(admin.api, { name: 'own' });
  routes = environmentRoutes({
    url: runward.url,
    own,
    templateId: await made(admin.api.post('/api/templates', { name: 'own', content: 'x' })),
    bystanderId: (await runward.member(admin, 'viewer')).userId,
  });
  await scheduleOf(admin, own, TAKEN_NAME);
  await made(
    admin.api.post('/api/webhooks', {
      name: TAKEN_NAME,
      url: 'https://nobody.invalid',
      events: ['execution.finished'],
    }),
  );
  await made(
    admin.api.post('/api/notification-rules', { name: TAKEN_NAME, channel: NTFY, events: ['execution.failed'] }),
  );
  const stranger = await runward.tenant('elsewhere');
  const theirs = await makeScene(stranger.api, { name: 'restricted', environment: { access: 'restricted' } });
  await stranger.api.put(`/api/environments/${theirs.environmentId}/variables/REGION`, { value: 'theirs' });
  await stranger.api.put(`/api/inventory/servers/${theirs.serverId}/variables/REGION`, { value: 'theirs' });
  otherTenant = {
    ...theirs,
    importId: await importOf(stranger, theirs),
    enrolmentId: await enrolmentOf(stranger, theirs),
    scheduleId: await scheduleOf(stranger, theirs, 'theirs'),
    runId: await made(stranger.api.post('/api/executions', { planId: theirs.planId, execution_mode: 'auto' })),
  };
  for (const access of ENVIRONMENT_ACCESS) {
    const scene = await makeScene(admin.api, {
      name: access,
      environment: { access },
      hostname: access === 'open' ? '127.0.0.2' : '127.0.0.3',
    });
    await admin.api.put(`/api/environments/${scene.environmentId}/variables/REGION`, { value: access });
    await admin.api.put(`/api/inventory/servers/${scene.serverId}/variables/REGION`, { value: access });
    scenes[access] = {
      ...scene,
      importId: await importOf(admin, scene),
      enrolmentId: await enrolmentOf(admin, scene),
      scheduleId: await scheduleOf(admin, scene, access),
      runId: await made(admin.api.post('/api/executions', { planId: scene.planId, execution_mode: 'auto' })),
    };
  }
});
afterAll(() => runward.close());

/** Sets the external ID of the scene's server to the server's ID, and creates the preview of an import. */
async function importOf({ api }: TestMember, { environmentId, serverId }: EnvironmentScene): Promise<string> {
  await api.patch(`/api/inventory/servers/${serverId}`, { externalSource: 'cmdb', externalId: serverId });
  const order = { format: 'ansible-ini', content: 'imported', environmentId };
  return made(api.post('/api/inventory/servers/import?preview=true', order));
}

const enrolmentOf = ({ api }: TestMember, { environmentId, keyId }: EnvironmentScene): Promise<string> =>
  made(api.post('/api/inventory/enrolments', { environmentId, sshKeyId: keyId, username: 'deploy' }));

/** Creates a disabled schedule, which starts nothing. */
const scheduleOf = ({ api }: TestMember, { planId }: EnvironmentScene, name: string): Promise<string> =>
  made(api.post('/api/schedules', { name, planId, execution_mode: 'auto', everySeconds: 3600, enabled: false }));

async function grant(role: Role, access: EnvironmentAccess, level: GrantLevel | null): Promise<void> {
  const path = `/api/environments/${scenes[access].environmentId}/grants/${members[role].userId}`;
  await (level === null ? admin.api.delete(path) : admin.api.put(path, { level }));
}

/** Paths without an environment ID. Lists and searches are tested separately. */
const ELSEWHERE =
  /^\/api\/(docs|health|installation|auth|members|tokens|ssh-keys|key-rotations|audit-logs|service-accounts|oidc-trust-rules|scripts|collections|bookmarks|git-sources|schemas|enrol)(\/|$)/;
/** Records that their owner and admins can see, whatever environments they name. */
const OWNED_PATHS = /^\/api\/(webhooks|notification-rules)\//;
const ROUTES_BESIDE = [
  ...['getCommandLine', 'getCommandLineFile', 'getCommandLineChecksum'],
  ...['getTypeScriptClient', 'getTypeScriptClientFile'],
  ...['listEnvironments', 'createEnvironment', 'listServers', 'exportServers', 'listImports', 'listExecutions'],
  ...['readOverview', 'readEnvironmentOverviews', 'readResultMatrix', 'readRunTrends'],
  ...['listEnrolments', 'listOpenProtectionChanges'],
  ...['listSharedAddresses', 'markSharedAddress', 'unmarkSharedAddress'],
  ...['listSchedules', 'listOccurrences', 'previewSchedule', 'listWebhooks', 'listNotificationRules'],
  ...['listTemplates', 'createTemplate', 'getTemplate', 'updateTemplate', 'deleteTemplate'],
  ...['listTemplateRevisions', 'getTemplateRevision', 'diffTemplateRevisions', 'restoreTemplate'],
  ...['getRetention', 'requestRetentionPass', 'putRetentionRule'],
  ...['listPlans', 'getPlan', 'deletePlan', 'exportPlan', 'checkPlan'],
  ...['listPlanRevisions', 'getPlanRevision', 'diffPlanRevisions', 'restorePlan'],
];

describe('the tested routes', () => {
  it('are all documented routes that touch an environment', () => {
    const tried = routes.map(({ name }) => name.split(/[ ?]/).slice(0, 2).join(' '));
    const missing = operations
      .filter(
        ({ operationId, path }) =>
          !ELSEWHERE.test(path) && !OWNED_PATHS.test(path) && !ROUTES_BESIDE.includes(operationId),
      )
      .filter(({ method, path }) => !tried.includes(`${method} ${path.replace('/api', '')}`));
    expect(missing.map(({ operationId }) => operationId)).toEqual([]);
  });
});

const outcome = ({ status, body }: Answer): string => `${status} ${(body as { code?: string }).code ?? ''}`.trim();

const cases = ROLES.flatMap((role) =>
  ENVIRONMENT_ACCESS.flatMap((access) => [null, ...GRANT_LEVELS].map((level) => ({ role, access, level }))),
);

describe.each(cases)('for $role with the grant $level in an environment that is $access', ({ role, access, level }) => {
  const rights = { role, access, grant: level };
  beforeAll(() => grant(role, access, level));
  afterAll(() => grant(role, access, null));

  it('allows exactly the routes that role and grant permit', async () => {
    const seen: Record<string, string> = {};
    const expectedOutcomes: Record<string, string> = {};
    for (const route of routes) {
      seen[route.name] = outcome(await route.call(members[role], scenes[access]));
      expectedOutcomes[route.name] = expected(route);
    }
    expect(seen).toEqual(expectedOutcomes);
  });

  it('answers for an invisible environment as for an unknown one and for one of another tenant, byte for byte', async () => {
    if (maySee(rights)) return;
    for (const route of routes) {
      const [hidden, random, foreign] = [
        await route.call(members[role], scenes[access]),
        await route.call(members[role], unknownIds()),
        await route.call(members[role], otherTenant),
      ];
      expect({ route: route.name, ...comparable(hidden) }).toEqual({ route: route.name, ...comparable(random) });
      expect({ route: route.name, ...comparable(foreign) }).toEqual({ route: route.name, ...comparable(random) });
    }
  });

  it('lists the environment in lists, filters and searches exactly when it is visible', async () => {
    const isVisible = maySee(rights);
    const { environmentId, serverId, planId, keyId, runId, importId, enrolmentId, scheduleId } = scenes[access];
    const ids = async (path: string) =>
      (await members[role].api.get<{ items: { id: string }[] }>(path)).body.items.map(({ id }) => id);
    expect((await ids('/api/environments')).includes(environmentId)).toBe(isVisible);
    expect(await ids(`/api/environments?q=${access}`)).toEqual(isVisible ? [environmentId] : []);
    expect((await ids('/api/inventory/servers')).includes(serverId)).toBe(isVisible);
    expect(await ids(`/api/inventory/servers?environmentId=${environmentId}`)).toEqual(isVisible ? [serverId] : []);
    expect(await ids(`/api/inventory/servers?q=${access}-1`)).toEqual(isVisible ? [serverId] : []);
    expect(await ids(`/api/inventory/servers?selector=name%3D${access}-1`)).toEqual(isVisible ? [serverId] : []);
    expect((await ids('/api/inventory/imports?limit=200')).includes(importId)).toBe(isVisible);
    expect((await ids('/api/inventory/enrolments?limit=200')).includes(enrolmentId)).toBe(isVisible);
    expect((await ids('/api/schedules')).includes(scheduleId)).toBe(isVisible);
    for (const filter of [`environmentId=${environmentId}`, `planId=${planId}`, `q=${access}`])
      expect(await ids(`/api/schedules?${filter}`)).toEqual(isVisible ? [scheduleId] : []);
    expect((await ids('/api/executions')).includes(runId)).toBe(isVisible);
    for (const filter of [`environmentId=${environmentId}`, `serverId=${serverId}`, `planId=${planId}`]) {
      expect(await ids(`/api/executions?${filter}`)).toEqual(isVisible ? [runId] : []);
    }
    expect(await ids(`/api/plans?environmentId=${environmentId}`)).toEqual(isVisible ? [planId] : []);
    expect((await ids('/api/plans')).includes(planId)).toBe(isVisible);
    expect((await members[role].api.get(`/api/plans/${planId}`)).status).toBe(isVisible ? 200 : 404);
    const key = await members[role].api.get<{ usedBy: { id: string }[]; usedByCount: number }>(
      `/api/ssh-keys/${keyId}`,
    );
    expect([key.body.usedByCount, key.body.usedBy.map(({ id }) => id)]).toEqual(isVisible ? [1, [serverId]] : [0, []]);
  });

  function expected(route: EnvironmentRoute): string {
    const roles: readonly Role[] = ROLES;
    if (roles.indexOf(role) < roles.indexOf(route.needs)) return '403 insufficient_role';
    if (route.done.startsWith('400')) return route.done;
    if (!maySee(rights)) return '404 not_found';
    if (route.approving && !mayApprove(rights)) return '403 grant_required';
    return route.seeing || mayRun(rights) ? route.done : '403 grant_required';
  }
});

describe('a run that is visible to a member', () => {
  it('can be cancelled with the grant run, and otherwise answers what is missing', async () => {
    const { runId } = scenes.restricted;
    await grant('operator', 'restricted', 'view');
    const refused = await members.operator.api.post<{ code: string; detail: string }>(
      `/api/executions/${runId}/cancel`,
    );
    expect([refused.status, refused.body.code]).toEqual([403, 'grant_required']);
    expect(refused.body.detail).toMatch(/the grant "run" in "restricted"; yours is "view"\. Ask an admin/);
    await grant('operator', 'restricted', 'run');
    expect((await members.operator.api.post(`/api/executions/${runId}/cancel`)).status).toBe(200);
    await grant('operator', 'restricted', null);
    const hidden = await members.operator.api.post(`/api/executions/${runId}/cancel`);
    const random = await members.operator.api.post(`/api/executions/${newId()}/cancel`);
    expect(comparable(hidden)).toEqual(comparable(random));
  });
});

function unknownIds(): Ids {
  return {
    environmentId: newId(),
    keyId: newId(),
    serverId: newId(),
    planId: newId(),
    runId: newId(),
    importId: newId(),
    enrolmentId: newId(),
    scheduleId: newId(),
  };
}
