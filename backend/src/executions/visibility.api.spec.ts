import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer, ApiClient } from '../../test/support/api-client.js';
import { comparable, type EnvironmentScene, made, makeScene } from '../../test/support/environment-scene.js';
import { operations } from '../../test/support/openapi.js';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import { type Role, ROLES } from '../common/access/principal.js';
import { newId } from '../common/ids.js';
import {
  ENVIRONMENT_ACCESS,
  type EnvironmentAccess,
  GRANT_LEVELS,
  type GrantLevel,
  mayRun,
  maySee,
} from '../environments/grant-policy.js';

/** The ids that a route is tried with: those of a real scene, or random ones. */
type Ids = EnvironmentScene & { runId: string };

interface Way {
  /** Method and path as the OpenAPI document has them; ids in bodies behind a blank. */
  name: string;
  needs: Role;
  /** For whoever may: status, and the code when there is one. */
  done: string;
  /** Whether seeing is enough once the role is. */
  seeing?: boolean;
  call(api: ApiClient, ids: Ids): Promise<Answer>;
}

const read = (path: (ids: Ids) => string, name: string): Way => ({
  name: `GET ${name}`,
  needs: 'viewer',
  done: '200',
  seeing: true,
  call: (api, ids) => api.get(path(ids)),
});
const env = (ids: Ids) => `/api/environments/${ids.environmentId}`;
const server = (ids: Ids) => `/api/inventory/servers/${ids.serverId}`;
const run = (ids: Ids) => `/api/executions/${ids.runId}`;
const FINGERPRINT = `SHA256:${'A'.repeat(43)}`;

/** A plan, an SSH key and a server that every member may use, to carry ids of environments in bodies. */
let own: EnvironmentScene;
/** A config template, which belongs to no environment. */
let templateId: string;

/** Every route that touches an environment, by its path and by its body. */
const WAYS: Way[] = [
  read(env, '/environments/{id}'),
  read((ids) => `${env(ids)}/variables`, '/environments/{id}/variables'),
  read((ids) => `${env(ids)}/variables/REGION`, '/environments/{id}/variables/{key}'),
  read(server, '/inventory/servers/{id}'),
  read(run, '/executions/{id}'),
  read((ids) => `${run(ids)}?wait=1&until=change&version=0`, '/executions/{id}?wait'),
  read((ids) => `${run(ids)}/results`, '/executions/{id}/results'),
  read((ids) => `${run(ids)}/output`, '/executions/{id}/output'),
  {
    ...read(run, '/executions/{id}/output as text'),
    call: (api, ids) => api.get(`${run(ids)}/output`, { accept: 'text/plain' }),
  },
  { ...read(run, '/executions/{id}/stream'), call: (api, ids) => openStream(api, ids.runId) },
  read(
    (ids) => `/api/plans/${own.planId}/variables?environmentId=${ids.environmentId}`,
    '/plans/{id}/variables?environmentId',
  ),
  {
    ...read(env, ''),
    name: 'POST /plans/{id}/targets environmentId',
    call: (api, ids) => api.post(`/api/plans/${own.planId}/targets`, { environmentId: ids.environmentId }),
  },
  {
    ...read(env, ''),
    name: 'POST /templates/{id}/render environmentId',
    call: (api, ids) => api.post(`/api/templates/${templateId}/render`, { environmentId: ids.environmentId }),
  },
  {
    name: 'PATCH /environments/{id}',
    needs: 'operator',
    done: '200',
    call: (api, ids) => api.patch(env(ids), { description: 'changed' }),
  },
  {
    name: 'DELETE /environments/{id}',
    needs: 'operator',
    done: '409 in_use',
    call: (api, ids) => api.delete(env(ids)),
  },
  {
    name: 'PUT /environments/{id}/variables/{key}',
    needs: 'operator',
    done: '200',
    call: (api, ids) => api.put(`${env(ids)}/variables/ZONE`, { value: 'a' }),
  },
  {
    name: 'DELETE /environments/{id}/variables/{key}',
    needs: 'operator',
    done: '412 version_mismatch',
    call: (api, ids) => api.delete(`${env(ids)}/variables/REGION`, { 'if-match': '"999"' }),
  },
  {
    name: 'GET /environments/{id}/grants',
    needs: 'admin',
    done: '200',
    call: (api, ids) => api.get(`${env(ids)}/grants`),
  },
  {
    name: 'PUT /environments/{id}/grants/{userId}',
    needs: 'admin',
    done: '412 version_mismatch',
    call: (api, ids) => api.put(`${env(ids)}/grants/${bystander.userId}`, { level: 'view' }, { 'if-match': '"999"' }),
  },
  {
    name: 'DELETE /environments/{id}/grants/{userId}',
    needs: 'admin',
    done: '404 not_found',
    call: (api, ids) => api.delete(`${env(ids)}/grants/${bystander.userId}`),
  },
  {
    name: 'POST /inventory/servers environmentId',
    needs: 'operator',
    done: '409 duplicate_name',
    call: (api, ids) =>
      api.post('/api/inventory/servers', {
        name: 'own-1',
        hostname: 'h',
        username: 'u',
        sshKeyId: own.keyId,
        environmentId: ids.environmentId,
      }),
  },
  {
    name: 'PATCH /inventory/servers/{id}',
    needs: 'operator',
    done: '200',
    call: (api, ids) => api.patch(server(ids), { tags: { a: 'b' } }),
  },
  {
    name: 'PATCH /inventory/servers/{id} environmentId',
    needs: 'operator',
    done: '412 version_mismatch',
    call: (api, ids) =>
      api.patch(
        `/api/inventory/servers/${own.serverId}`,
        { environmentId: ids.environmentId },
        { 'if-match': '"999"' },
      ),
  },
  {
    name: 'DELETE /inventory/servers/{id}',
    needs: 'operator',
    done: '409 in_use',
    call: (api, ids) => api.delete(server(ids)),
  },
  {
    name: 'POST /inventory/servers/{id}/check',
    needs: 'operator',
    done: '200',
    call: (api, ids) => api.post(`${server(ids)}/check`),
  },
  {
    name: 'PUT /inventory/servers/{id}/host-key',
    needs: 'operator',
    done: '409 host_key_not_seen',
    call: (api, ids) => api.put(`${server(ids)}/host-key`, { fingerprint: FINGERPRINT }),
  },
  {
    name: 'POST /plans environmentId',
    needs: 'operator',
    done: '409 duplicate_name',
    seeing: true,
    call: (api, ids) =>
      api.post('/api/plans', {
        name: 'own plan',
        environmentId: ids.environmentId,
        steps: [{ key: 'a', command: 'true' }],
      }),
  },
  {
    name: 'PATCH /plans/{id} environmentId',
    needs: 'operator',
    done: '412 version_mismatch',
    seeing: true,
    call: (api, ids) =>
      api.patch(`/api/plans/${own.planId}`, { environmentId: ids.environmentId }, { 'if-match': '"999"' }),
  },
  {
    name: 'POST /executions environmentId',
    needs: 'operator',
    done: '409 run_overlap',
    call: (api, ids) =>
      api.post('/api/executions', { planId: own.planId, execution_mode: 'auto', environmentId: ids.environmentId }),
  },
  {
    name: 'POST /executions/{id}/cancel',
    needs: 'operator',
    done: '400 invalid_request',
    call: (api, ids) => api.post(`${run(ids)}/cancel`, { reason: 1 }),
  },
  read((ids) => `${run(ids)}/review`, '/executions/{id}/review'),
  // The right to approve is asked for only once a run waits for it: approval.api.spec.ts.
  ...(['approve', 'reject', 'withdraw-approval'] as const).map(
    (what): Way => ({
      name: `POST /executions/{id}/${what}`,
      needs: 'viewer',
      done: '409 not_waiting',
      seeing: true,
      call: (api, ids) => api.post(`${run(ids)}/${what}`, what === 'reject' ? { comment: 'no' } : undefined),
    }),
  ),
  {
    name: 'POST /executions/{id}/decisions',
    needs: 'operator',
    done: '409 not_waiting',
    call: (api, ids) => api.post(`${run(ids)}/decisions`, { stepKey: 'one', action: 'proceed' }),
  },
  {
    name: 'POST /executions/{id}/pause',
    needs: 'operator',
    done: '200',
    call: (api, ids) => api.post(`${run(ids)}/pause`),
  },
  {
    name: 'POST /executions/{id}/mode',
    needs: 'operator',
    done: '409 not_possible_now',
    call: (api, ids) => api.post(`${run(ids)}/mode`, { execution_mode: 'auto' }),
  },
  {
    name: 'POST /executions/{id}/rerun',
    needs: 'operator',
    done: '409 not_finished',
    seeing: true,
    call: (api, ids) => api.post(`${run(ids)}/rerun`, { hosts: 'all', snapshot: 'same' }),
  },
  {
    name: 'POST /executions/{id}/hosts/{serverId}/resolve',
    needs: 'operator',
    done: '409 not_finished',
    call: (api, ids) =>
      api.post(`${run(ids)}/hosts/${ids.serverId}/resolve`, { stepKey: 'one', action: 'mark_failed' }),
  },
];

let runward: Installation;
let admin: TestMember;
/** Has no grant anywhere. */
let bystander: TestMember;
const members = {} as Record<Role, TestMember>;
const scenes = {} as Record<EnvironmentAccess, Ids>;
/** Another tenant's. */
let abroad: Ids;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  Object.assign(members, {
    viewer: await runward.member(admin, 'viewer'),
    operator: await runward.member(admin, 'operator'),
    admin,
  });
  bystander = await runward.member(admin, 'viewer');
  own = await makeScene(admin.api, { name: 'own' });
  templateId = await made(admin.api.post('/api/templates', { name: 'own', content: 'x' }));
  const stranger = await runward.tenant('elsewhere');
  const theirs = await makeScene(stranger.api, { name: 'restricted', environment: { access: 'restricted' } });
  await stranger.api.put(`/api/environments/${theirs.environmentId}/variables/REGION`, { value: 'theirs' });
  abroad = {
    ...theirs,
    runId: await made(stranger.api.post('/api/executions', { planId: theirs.planId, execution_mode: 'auto' })),
  };
  for (const access of ENVIRONMENT_ACCESS) {
    const scene = await makeScene(admin.api, {
      name: access,
      environment: { access },
      hostname: access === 'open' ? '127.0.0.2' : '127.0.0.3',
    });
    await admin.api.put(`/api/environments/${scene.environmentId}/variables/REGION`, { value: access });
    scenes[access] = {
      ...scene,
      runId: await made(admin.api.post('/api/executions', { planId: scene.planId, execution_mode: 'auto' })),
    };
  }
});
afterAll(() => runward.close());

async function openStream(api: ApiClient, runId: string): Promise<Answer> {
  const stop = new AbortController();
  const member = Object.values(members).find((each) => each.api === api);
  const response = await fetch(`${runward.url}/api/executions/${runId}/stream`, {
    headers: { authorization: `Bearer ${member?.token}` },
    signal: stop.signal,
  });
  const open = response.status === 200;
  const text = open ? '' : await response.text();
  stop.abort();
  return { status: response.status, headers: response.headers, body: open ? {} : JSON.parse(text), text };
}

async function grant(role: Role, access: EnvironmentAccess, level: GrantLevel | null): Promise<void> {
  const path = `/api/environments/${scenes[access].environmentId}/grants/${members[role].userId}`;
  await (level === null ? admin.api.delete(path) : admin.api.put(path, { level }));
}

/** Calls that lead to no environment by an id; what they show of one is looked at in lists and searches. */
const ELSEWHERE = /^\/api\/(health|auth|members|tokens|ssh-keys|audit-logs|scripts)(\/|$)/;
const BESIDE = [
  ...['listEnvironments', 'createEnvironment', 'listServers', 'listExecutions'],
  ...['listTemplates', 'createTemplate', 'getTemplate', 'updateTemplate', 'deleteTemplate'],
  ...['listTemplateRevisions', 'getTemplateRevision'],
  ...['listPlans', 'getPlan', 'deletePlan', 'listPlanRevisions', 'getPlanRevision'],
];

describe('the routes that are tried here', () => {
  it('are all of the document’s that touch an environment', () => {
    const ways = WAYS.map(({ name }) => name.split(/[ ?]/).slice(0, 2).join(' '));
    const missing = operations
      .filter(({ operationId, path }) => !ELSEWHERE.test(path) && !BESIDE.includes(operationId))
      .filter(({ method, path }) => !ways.includes(`${method} ${path.replace('/api', '')}`));
    expect(missing.map(({ operationId }) => operationId)).toEqual([]);
  });
});

const outcome = ({ status, body }: Answer): string => `${status} ${(body as { code?: string }).code ?? ''}`.trim();

const cases = ROLES.flatMap((role) =>
  ENVIRONMENT_ACCESS.flatMap((access) => [null, ...GRANT_LEVELS].map((level) => ({ role, access, level }))),
);

describe.each(cases)('to $role with the grant $level, an environment that is $access', ({ role, access, level }) => {
  const standing = { role, access, grant: level };
  beforeAll(() => grant(role, access, level));
  afterAll(() => grant(role, access, null));

  it('opens exactly those routes that role and grant allow', async () => {
    const seen: Record<string, string> = {};
    const wanted: Record<string, string> = {};
    for (const way of WAYS) {
      seen[way.name] = outcome(await way.call(members[role].api, scenes[access]));
      wanted[way.name] = expected(way);
    }
    expect(seen).toEqual(wanted);
  });

  it('answers like one that never was and like another tenant’s, byte for byte, wherever it is not seen', async () => {
    if (maySee(standing)) return;
    for (const way of WAYS) {
      const [hidden, random, foreign] = [
        await way.call(members[role].api, scenes[access]),
        await way.call(members[role].api, nowhere()),
        await way.call(members[role].api, abroad),
      ];
      expect({ way: way.name, ...comparable(hidden) }).toEqual({ way: way.name, ...comparable(random) });
      expect({ way: way.name, ...comparable(foreign) }).toEqual({ way: way.name, ...comparable(random) });
    }
  });

  it('stands in lists, filters and searches exactly when it is seen', async () => {
    const shown = maySee(standing);
    const { environmentId, serverId, planId, keyId, runId } = scenes[access];
    const ids = async (path: string) =>
      (await members[role].api.get<{ items: { id: string }[] }>(path)).body.items.map(({ id }) => id);
    expect((await ids('/api/environments')).includes(environmentId)).toBe(shown);
    expect(await ids(`/api/environments?q=${access}`)).toEqual(shown ? [environmentId] : []);
    expect((await ids('/api/inventory/servers')).includes(serverId)).toBe(shown);
    expect(await ids(`/api/inventory/servers?environmentId=${environmentId}`)).toEqual(shown ? [serverId] : []);
    expect(await ids(`/api/inventory/servers?q=${access}-1`)).toEqual(shown ? [serverId] : []);
    expect(await ids(`/api/inventory/servers?selector=name%3D${access}-1`)).toEqual(shown ? [serverId] : []);
    expect((await ids('/api/executions')).includes(runId)).toBe(shown);
    for (const filter of [`environmentId=${environmentId}`, `serverId=${serverId}`, `planId=${planId}`]) {
      expect(await ids(`/api/executions?${filter}`)).toEqual(shown ? [runId] : []);
    }
    expect(await ids(`/api/plans?environmentId=${environmentId}`)).toEqual(shown ? [planId] : []);
    const plans = await members[role].api.get<{ items: { id: string; environmentId: string | null }[] }>('/api/plans');
    const plan = await members[role].api.get<{ environmentId: string | null }>(`/api/plans/${planId}`);
    for (const each of [plan.body, plans.body.items.find(({ id }) => id === planId)])
      expect(each?.environmentId).toBe(shown ? environmentId : null);
    const key = await members[role].api.get<{ usedBy: { id: string }[]; usedByCount: number }>(
      `/api/ssh-keys/${keyId}`,
    );
    expect([key.body.usedByCount, key.body.usedBy.map(({ id }) => id)]).toEqual(shown ? [1, [serverId]] : [0, []]);
  });

  function expected(way: Way): string {
    const roles: readonly Role[] = ROLES;
    if (roles.indexOf(role) < roles.indexOf(way.needs)) return '403 insufficient_role';
    // A malformed body is refused before anything is looked up.
    if (way.done.startsWith('400')) return way.done;
    if (!maySee(standing)) return '404 not_found';
    return way.seeing || mayRun(standing) ? way.done : '409 grant_required';
  }
});

describe('a run that a member sees', () => {
  it('is cancelled with the level run, and answers what is missing below it', async () => {
    const { runId } = scenes.restricted;
    await grant('operator', 'restricted', 'view');
    const refused = await members.operator.api.post<{ code: string; detail: string }>(
      `/api/executions/${runId}/cancel`,
    );
    expect([refused.status, refused.body.code]).toEqual([409, 'grant_required']);
    expect(refused.body.detail).toMatch(/the grant "run" there; yours is "view"\. Ask an admin/);
    await grant('operator', 'restricted', 'run');
    expect((await members.operator.api.post(`/api/executions/${runId}/cancel`)).status).toBe(200);
    await grant('operator', 'restricted', null);
    const hidden = await members.operator.api.post(`/api/executions/${runId}/cancel`);
    const random = await members.operator.api.post(`/api/executions/${newId()}/cancel`);
    expect(comparable(hidden)).toEqual(comparable(random));
  });
});

function nowhere(): Ids {
  return { environmentId: newId(), keyId: newId(), serverId: newId(), planId: newId(), runId: newId() };
}
