import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { v7 } from 'uuid';
import { apiClient } from '../../test/support/api-client.js';
import { made } from '../../test/support/environment-scene.js';
import { eventually } from '../../test/support/eventually.js';
import { pausedRun } from '../../test/support/paused-run.js';
import type { TestMember } from '../../test/support/installation.js';
import { type RunLab, startRunLab } from '../../test/support/run-lab.js';
import { queryAs } from '../../test/support/table-contents.js';
import type { ExecutionMode, ExecutionStatus } from '../executions/lifecycle/statuses.js';
import type {
  EnvironmentOverviewView,
  OverviewEnvironmentsView,
  OverviewMatrixView,
  OverviewTrendsView,
  OverviewView,
  ServerOverviewView,
} from './overview.view.js';

const DAY_MS = 86_400_000;

let lab: RunLab;
let operator: TestMember;

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
  await lab.runward.worker();
  operator = await lab.runward.member(lab.admin, 'operator');
});
afterAll(() => lab?.close());

const read = async <T>(path: string, api = lab.api): Promise<T> => {
  const answer = await api.get<T>(`/api/overview${path}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body;
};
const overview = (api = lab.api) => read<OverviewView>('', api);
const environments = (query = '', api = lab.api) => read<OverviewEnvironmentsView>(`/environments?${query}`, api);
const matrix = (query = '', api = lab.api) => read<OverviewMatrixView>(`/matrix?${query}`, api);
const trends = (query = '', api = lab.api) => read<OverviewTrendsView>(`/trends?${query}`, api);

interface PastRun {
  planId: string;
  environmentId: string;
  status: ExecutionStatus;
  mode?: ExecutionMode;
  /** Age in days. */
  age?: number;
  ms?: number;
  begun?: boolean;
}

/** Stores a run that ended in the past, and returns its ID. */
async function past({ planId, environmentId, status, mode = 'auto', age = 0, ms = 1_000, begun = true }: PastRun) {
  const at = Date.now() - age * DAY_MS - ms;
  const id = v7({ msecs: at });
  await queryAs(
    lab.runward.database,
    lab.admin.tenantId,
    `insert into executions (id, tenant_id, plan_id, plan_revision, plan_name, environment_id, environment_name, status,
        execution_mode, snapshot, digest, started_by, started_by_name, started_via, host_count, created_at, started_at, finished_at)
      values ($1, $2, $3, 1, 'past', $4, 'past', $5, $6, '{"plan": {"steps": []}}', 'x', $7, 'Ada', 'session', 1,
        to_timestamp($8), case when $10 then to_timestamp($8) end, to_timestamp($9))`,
    [id, lab.admin.tenantId, planId, environmentId, status, mode, lab.admin.userId, at / 1000, (at + ms) / 1000, begun],
  );
  return id;
}

const planOf = (environmentId: string, name: string) =>
  made(lab.api.post('/api/plans', { name, environmentId, steps: [{ key: 'one', command: 'true' }] }));

/** Plan and environment of their own. */
async function scene(name: string, access: 'open' | 'restricted' = 'open') {
  const environmentId = await made(lab.api.post('/api/environments', { name, access }));
  const planId = await planOf(environmentId, `${name} plan`);
  return { environmentId, planId };
}
const openIn = async (environmentId: string, api = lab.api) =>
  (await overview(api)).openFailures.filter(({ run }) => run.environmentId === environmentId);

describe('an open failure', () => {
  it('has its cause in words, step and host, until the plan succeeds there', async () => {
    const planId = await lab.plan([
      {
        name: 'Unpack',
        command: `test -e ${lab.evidence}/space || { echo 'disk full' >&2; exit 4; }`,
        targets: 'name=web-1',
      },
    ]);
    await lab.settled((await lab.start(planId)).id);
    const second = await lab.settled((await lab.start(planId)).id);
    expect(await openIn(lab.environmentId)).toMatchObject([
      {
        run: { id: second.id, planId, status: 'FAILED' },
        cause: { text: 'disk full', exitCode: 4 },
        ...{ stepName: 'Unpack', failedHosts: 1, hostNames: ['web-1'], failedRuns: 2, lastSuccessAt: null },
      },
    ]);
    await writeFile(path.join(lab.evidence, 'space'), '');
    const { failedInLastDay } = await overview();
    await lab.settled((await lab.start(planId)).id);
    expect(await openIn(lab.environmentId)).toEqual([]);
    expect((await overview()).failedInLastDay).toBe(failedInLastDay);
    expect(failedInLastDay).toBeGreaterThanOrEqual(2);
  }, 60_000);

  it('is counted from the last success', async () => {
    const { planId, environmentId } = await scene('since');
    for (const age of [9, 8]) await past({ planId, environmentId, status: 'FAILED', age });
    await past({ planId, environmentId, status: 'SUCCEEDED', age: 7 });
    await past({ planId, environmentId, status: 'PARTIALLY_SUCCEEDED', age: 6 });
    const latest = await past({ planId, environmentId, status: 'TIMED_OUT', age: 5 });
    const [failure, ...others] = await openIn(environmentId);
    expect([failure?.run.id, failure?.failedRuns, others]).toEqual([latest, 2, []]);
    expect(Date.parse(failure?.lastSuccessAt ?? '')).toBeLessThan(Date.now() - 6.9 * DAY_MS);
  });

  it('stays open after a success in another environment', async () => {
    const [one, other] = [await scene('first'), await scene('second')];
    await past({ ...one, status: 'FAILED', age: 2 });
    await past({ planId: one.planId, environmentId: other.environmentId, status: 'SUCCEEDED', age: 1 });
    expect(await openIn(one.environmentId)).toHaveLength(1);
  });

  it.each<[string, Partial<PastRun>, number]>([
    ['a dry run', { status: 'FAILED', mode: 'dry_run' }, 0],
    ['a cancelled run', { status: 'CANCELLED' }, 0],
    ['a rejected run', { status: 'REJECTED', begun: false }, 0],
    ['a run that expired before it began', { status: 'EXPIRED', begun: false }, 0],
    ['a run that expired in a pause', { status: 'EXPIRED' }, 1],
    ['an interrupted run', { status: 'INTERRUPTED' }, 1],
  ])('%s', async (title, fields, expected) => {
    const { planId, environmentId } = await scene(title);
    await past({ planId, environmentId, status: 'FAILED', age: 1, ...fields });
    expect(await openIn(environmentId)).toHaveLength(expected);
  });

  it('is not closed by a dry run that succeeded', async () => {
    const { planId, environmentId } = await scene('dry');
    await past({ planId, environmentId, status: 'FAILED', age: 2 });
    await past({ planId, environmentId, status: 'SUCCEEDED', mode: 'dry_run', age: 1 });
    expect(await openIn(environmentId)).toHaveLength(1);
  });

  it('ends with its plan', async () => {
    const { planId, environmentId } = await scene('deleted');
    await past({ planId, environmentId, status: 'FAILED', age: 2 });
    expect(await openIn(environmentId)).toHaveLength(1);
    expect((await lab.api.delete(`/api/plans/${planId}`)).status).toBe(204);
    expect(await openIn(environmentId)).toEqual([]);
  });

  it('is one of at most 20 in an answer, while all are counted', async () => {
    const before = await overview();
    const { environmentId } = await scene('many');
    for (let n = 0; n < 25; n += 1)
      await past({ planId: await lab.plan(['true'], { environmentId }), environmentId, status: 'FAILED' });
    const after = await overview();
    expect([after.openFailures.length, after.openFailureCount]).toEqual([20, before.openFailureCount + 25]);
    expect(after.openFailuresIncomplete).toBe(false);
  });
});

describe('an active run', () => {
  it('shows its step, its hosts and the usual duration, unless it waits for the caller', async () => {
    const file = path.join(lab.evidence, 'go');
    const planId = await lab.plan([
      { name: 'Drain', command: 'true' },
      { name: 'Wait', command: `until test -e ${file}; do sleep 0.1; done` },
      { key: 'ask', name: 'Ask', type: 'gate', message: 'Continue?' },
    ]);
    await past({ planId, environmentId: lab.environmentId, status: 'SUCCEEDED', age: 1, ms: 4_000 });
    const { id } = await lab.start(planId);
    const find = async (api = lab.api) => (await overview(api)).running.find(({ run }) => run.id === id);
    await eventually('the second step runs', async () => (await find())?.progress.stepNumber === 2);
    expect(await find()).toMatchObject({
      usualDurationMs: 4_000,
      progress: { stepName: 'Wait', stepCount: 3, hostsDone: 0, hostCount: 2, percent: 33 },
    });
    await writeFile(file, '');
    await pausedRun(lab, id);
    const viewer = await lab.runward.member(lab.admin, 'viewer');
    expect([await find(), (await find(viewer.api))?.run.status]).toEqual([undefined, 'PAUSED']);
    await lab.api.post(`/api/executions/${id}/cancel`, {});
    await lab.settled(id);
    expect(await find(viewer.api)).toBeUndefined();
  }, 60_000);
});

describe('an environment', () => {
  it('lists the latest run of each plan, its hosts, the next schedules and 30 days', async () => {
    const { environmentId, planId } = await scene('card');
    const other = await planOf(environmentId, 'card other');
    await past({ planId, environmentId, status: 'FAILED', age: 3 });
    await past({ planId: other, environmentId, status: 'SUCCEEDED', age: 2 });
    const latest = await past({ planId, environmentId, status: 'SUCCEEDED', age: 1 });
    await past({ planId, environmentId, status: 'FAILED', mode: 'dry_run' });
    await lab.server({ environmentId, hostname: '127.0.0.9', port: 1, hostKey: undefined });
    const schedule = { planId, environmentId, execution_mode: 'auto', timeZone: 'UTC' };
    for (const [name, cron] of [
      ['yearly', '0 0 1 1 *'],
      ['hourly', '0 * * * *'],
    ])
      await made(lab.api.post('/api/schedules', { ...schedule, name, cron }));
    const { items, total } = await environments('q=CARD');
    expect([total, items.length]).toEqual([1, 1]);
    expect(items[0]).toMatchObject({
      ...{ id: environmentId, name: 'card', protected: false, access: 'open', runWindowState: null, openFailures: 0 },
      hosts: { reachable: 0, unreachable: 0, unknown: 1 },
      results: [
        { executionId: latest, planId, status: 'SUCCEEDED' },
        { planId: other, status: 'SUCCEEDED' },
      ],
      schedules: [{ name: 'hourly' }, { name: 'yearly' }],
    });
    const { trend = [] } = items[0] ?? {};
    expect([trend.length, trend.at(-1)?.day]).toEqual([30, new Date().toISOString().slice(0, 10)]);
    const sum = (field: 'runs' | 'succeeded') => trend.reduce((all, day) => all + day[field], 0);
    expect([sum('runs'), sum('succeeded')]).toEqual([3, 2]);
  });

  it('with an open failure comes first, and at most the requested number is listed', async () => {
    const { environmentId, planId } = await scene('zz burning');
    await past({ planId, environmentId, status: 'FAILED' });
    await scene('aa calm');
    const { items, total } = await environments('limit=2');
    expect([items[0]?.name, items.length]).toEqual(['zz burning', 2]);
    expect(total).toBeGreaterThan(2);
    expect((await lab.api.get('/api/overview/environments?limit=25')).status).toBe(400);
  });
});

describe('the page of an environment', () => {
  const page = (id: string, api = lab.api) => read<EnvironmentOverviewView>(`/environments/${id}`, api);

  it('has more results and schedules than its card, its open failures and its unfinished runs', async () => {
    const { environmentId, planId } = await scene('page');
    for (let n = 0; n < 7; n += 1)
      await past({ planId: await planOf(environmentId, `page ${n}`), environmentId, status: 'SUCCEEDED', age: 1 });
    const failed = await past({ planId, environmentId, status: 'FAILED' });
    const waiting = await past({ planId, environmentId, status: 'PAUSED' });
    const ask = `update executions set finished_at = null, pause_reason = 'GATE' where id = $1`;
    await queryAs(lab.runward.database, lab.admin.tenantId, ask, [waiting]);
    const view = await page(environmentId);
    expect(view).toMatchObject({
      id: environmentId,
      openFailures: 1,
      moreResults: false,
      openFailuresIncomplete: false,
    });
    expect([view.results.length, view.results[0]?.executionId]).toEqual([8, waiting]);
    expect(view.failures.map(({ run }) => run.id)).toEqual([failed]);
    expect([view.runningCount, view.running[0]?.run]).toMatchObject([1, { id: waiting, awaitsYou: true }]);
    expect((await environments('q=page')).items[0]?.results).toHaveLength(5);
  });

  it('lists the freezes of collections whose plans can start there', async () => {
    const { environmentId, planId } = await scene('cold');
    const other = await scene('warm');
    const parentId = await made(lab.api.post('/api/collections', { name: 'Releases' }));
    const collectionId = await made(lab.api.post('/api/collections', { name: 'Shop', parentId }));
    expect((await lab.api.patch(`/api/plans/${planId}`, { collectionId })).status).toBe(200);
    expect((await page(environmentId)).freezes).toEqual([]);
    const until = new Date(Date.now() + DAY_MS).toISOString();
    const freeze = { reason: 'Release 4.2', until };
    expect((await lab.api.patch(`/api/collections/${parentId}`, { freeze })).status).toBe(200);
    const expected = [
      { collectionId: parentId, collectionName: 'Releases', reason: 'Release 4.2', until, planCount: 1 },
    ];
    expect((await page(environmentId)).freezes).toEqual(expected);
    expect((await environments('q=cold')).items[0]?.freezes).toEqual(expected);
    expect((await page(other.environmentId)).freezes).toEqual([]);
    await lab.api.patch(`/api/collections/${parentId}`, { freeze: null });
    expect((await page(environmentId)).freezes).toEqual([]);
  });
});

describe('the history of a server', () => {
  const history = (id: string, api = lab.api) => read<ServerOverviewView>(`/servers/${id}`, api);

  it('has its runs by day and the latest of each plan, by their result on the server', async () => {
    const [web1] = lab.servers;
    const [good, bad] = [await lab.plan(['true']), await lab.plan([{ command: 'exit 3', targets: 'name=web-1' }])];
    await lab.settled((await lab.start(good)).id);
    await lab.settled((await lab.start(bad)).id);
    const latest = await lab.settled((await lab.start(good)).id);
    const { days, results, moreResults } = await history(web1?.id ?? '');
    expect(results.slice(0, 2)).toMatchObject([
      { executionId: latest.id, planId: good, hostStatus: 'SUCCEEDED', environmentId: lab.environmentId },
      { planId: bad, hostStatus: 'FAILED' },
    ]);
    expect([moreResults, days.length]).toEqual([false, 30]);
    expect(days.at(-1)?.succeeded).toBeGreaterThanOrEqual(2);
    expect(days.at(-1)?.failed).toBeGreaterThanOrEqual(1);
  }, 60_000);

  it('has changes of its state and facts, and keeps the newest 200', async () => {
    const [web1] = lab.servers;
    const id = web1?.id ?? '';
    const set = (values: string) =>
      queryAs(
        lab.runward.database,
        lab.admin.tenantId,
        `update servers set checked_at = coalesce(checked_at, now()) + interval '1 second', ${values} where id = $1`,
        [id],
      );
    const facts = (more: object) =>
      `facts_at = now(), facts = '${JSON.stringify({ os: 'debian', osVersion: '12', ...more })}'`;
    await set(`state = 'reachable', ${facts({ diskFreeMb: 10, bootedAt: '2026-11-01T00:00:00.000Z' })}`);
    const before = (await history(id)).changes.length;
    await set(facts({ diskFreeMb: 9, bootedAt: '2026-11-01T00:00:01.000Z' }));
    expect((await history(id)).changes).toHaveLength(before);
    await set(`state = 'unreachable'`);
    await set(facts({ osVersion: '13', bootedAt: '2026-11-02T00:00:00.000Z' }));
    expect((await history(id)).changes.slice(0, 3)).toMatchObject([
      { name: 'bootedAt', before: '2026-11-01T00:00:01.000Z', after: '2026-11-02T00:00:00.000Z' },
      { name: 'osVersion', before: '12', after: '13' },
      { name: 'state', before: 'reachable', after: 'unreachable' },
    ]);
    for (let n = 0; n < 205; n += 1) await set(`state = '${n % 2 === 0 ? 'reachable' : 'unreachable'}'`);
    const kept = await queryAs(
      lab.runward.database,
      lab.admin.tenantId,
      'select from server_changes where server_id = $1',
      [id],
    );
    expect([kept.length, (await history(id)).changes.length]).toEqual([200, 200]);
  }, 60_000);
});

describe('the matrix', () => {
  it('has the latest result of each plan in each environment, and plans with failures first', async () => {
    const [one, other] = [await scene('grid one'), await scene('grid two')];
    await past({ ...one, status: 'SUCCEEDED', age: 2 });
    const failed = await past({ ...one, status: 'FAILED', age: 1 });
    await past({ ...one, status: 'SUCCEEDED', mode: 'dry_run' });
    await past({ ...other, status: 'SUCCEEDED' });
    const { environments: columns, plans } = await matrix('q=GRID');
    expect(plans.map(({ name }) => name)).toEqual(['grid one plan', 'grid two plan']);
    const cell = (plan: number, id: string) => plans[plan]?.results[columns.findIndex((column) => column.id === id)];
    expect(cell(0, one.environmentId)).toMatchObject({ executionId: failed, status: 'FAILED', planRevision: 1 });
    expect(cell(0, other.environmentId)).toBeNull();
    expect(cell(1, other.environmentId)).toMatchObject({ status: 'SUCCEEDED' });
    expect(columns.map(({ name }) => name)).toEqual(columns.map(({ name }) => name).toSorted());
    expect((await matrix('q=grid&failing=true')).plans.map(({ id }) => id)).toEqual([one.planId]);
  });

  it('is bounded, and says what is missing', async () => {
    const { plans, more, environments: columns, moreEnvironments } = await matrix('limit=3');
    expect([plans.length, more, columns.length]).toEqual([3, true, 12]);
    expect(moreEnvironments).toBeGreaterThan(0);
  });
});

describe('trends', () => {
  it('count results by day and limit themselves to a plan and an environment', async () => {
    const { environmentId, planId } = await scene('trend');
    const other = await lab.plan(['true'], { environmentId });
    for (const ms of [1_000, 3_000, 5_000]) await past({ planId, environmentId, status: 'SUCCEEDED', age: 3, ms });
    await past({ planId, environmentId, status: 'FAILED', age: 3 });
    for (const status of ['CANCELLED', 'REJECTED', 'EXPIRED'] as const)
      await past({ planId, environmentId, status, age: 3 });
    await past({ planId, environmentId, status: 'SUCCEEDED', age: 40 });
    await past({ planId: other, environmentId, status: 'SUCCEEDED', age: 1 });
    const { items, total, incomplete } = await trends(`planId=${planId}&environmentId=${environmentId}`);
    expect(incomplete).toBe(false);
    expect(items).toEqual([
      {
        day: new Date(Date.now() - 3 * DAY_MS - 1_000).toISOString().slice(0, 10),
        ...{ runs: 4, succeeded: 3, medianMs: 3_000, p95Ms: 4_800 },
      },
    ]);
    expect(total).toEqual({ runs: 4, succeeded: 3, medianMs: 3_000, p95Ms: 4_800 });
    expect((await trends(`environmentId=${environmentId}&days=90`)).total.runs).toBe(6);
  });
});

describe('a member without a grant', () => {
  it('sees nothing of a restricted environment until it gets one', async () => {
    const { environmentId, planId } = await scene('vault', 'restricted');
    await past({ planId, environmentId, status: 'FAILED' });
    const seen = async () =>
      JSON.stringify([
        (await overview(operator.api)).openFailures,
        await environments('q=vault', operator.api),
        await matrix('q=vault', operator.api),
        await trends(`environmentId=${environmentId}`, operator.api),
      ]);
    const before = await overview(operator.api);
    const hidden = await seen();
    expect(hidden).not.toContain('vault');
    expect(hidden).not.toContain(environmentId);
    expect((await trends(`environmentId=${environmentId}`, operator.api)).total.runs).toBe(0);
    await lab.api.put(`/api/environments/${environmentId}/grants/${operator.userId}`, { level: 'view' });
    const after = await overview(operator.api);
    expect([after.openFailureCount, after.environmentCount]).toEqual([
      before.openFailureCount + 1,
      before.environmentCount + 1,
    ]);
    expect(await openIn(environmentId, operator.api)).toHaveLength(1);
    expect((await environments('q=vault', operator.api)).total).toBe(1);
    expect((await matrix('q=vault', operator.api)).plans).toHaveLength(1);
    expect((await trends(`environmentId=${environmentId}`, operator.api)).total.runs).toBe(1);
  });

  it('learns which admins can give access if it sees no environment', async () => {
    const admin = await lab.runward.tenant('closed');
    const viewer = await lab.runward.member(admin, 'viewer');
    const environmentId = await made(admin.api.post('/api/environments', { name: 'closed', access: 'restricted' }));
    const { environmentCount, admins } = await overview(viewer.api);
    expect([environmentCount, admins.map(({ id }) => id)]).toEqual([0, [admin.userId]]);
    await admin.api.put(`/api/environments/${environmentId}/grants/${viewer.userId}`, { level: 'view' });
    expect((await overview(viewer.api)).admins).toEqual([]);
  });
});

it('shows a token that is limited to a plan only runs of this plan', async () => {
  const { environmentId, planId } = await scene('limited');
  const other = await planOf(environmentId, 'limited other');
  for (const each of [planId, other]) await past({ planId: each, environmentId, status: 'FAILED' });
  const { body } = await lab.api.post<{ token: string }>('/api/tokens', {
    name: 'limited',
    scope: { access: 'read', planIds: [planId], environmentIds: [environmentId] },
  });
  const api = apiClient(lab.runward.url, { token: body.token });
  expect((await openIn(environmentId, api)).map(({ run }) => run.planId)).toEqual([planId]);
  expect((await matrix('', api)).plans.map(({ id }) => id)).toEqual([planId]);
  expect((await trends('', api)).total.runs).toBe(1);
  expect((await api.get('/api/overview/environments')).status).toBe(403);
});
