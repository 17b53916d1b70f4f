import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../common/ids.js';
import { comparable } from '../../../test/support/environment-scene.js';
import type { TestMember } from '../../../test/support/installation.js';
import { eventsOf, trailOf } from '../../../test/support/paused-run.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { OverlapConflict } from '../../common/errors/problem.js';
import type { ExecutionView } from '../contract/execution.view.js';

type Answered = ExecutionView & {
  code: string;
  detail: string;
  errors?: { path: string; code: string }[];
  conflicts?: OverlapConflict[];
};

let lab: RunLab;
let operator: TestMember;
let planId: string;
let id: string;
const lost = () => lab.servers[1]?.id ?? '';
const known = () => lab.servers[0]?.id ?? '';

const resolve = (body: object, server = lost(), run = id, api = operator.api) =>
  api.post<Answered>(`/api/executions/${run}/hosts/${server}/resolve`, { stepKey: 'step-2', ...body });
const keys = async () =>
  (await lab.runward.database.query<{ key: string }>('select key from guard_keys where execution_id = $1', [id])).map(
    ({ key }) => key,
  );
const resultOf = async (server = lost()) =>
  (await lab.results(id)).find((result) => result.stepKey === 'step-2' && result.serverId === server);
const sql = (text: string, ...values: unknown[]) => lab.runward.database.query(text, values);

/** Stores an ended run that lost its second host in its second step. The run still holds the guard of that host. */
async function interrupted(): Promise<string> {
  const { id: run } = await lab.start(planId);
  for (const [index, statuses] of [
    ['SUCCEEDED', 'SUCCEEDED'],
    ['SUCCEEDED', 'UNKNOWN'],
  ].entries()) {
    for (const [at, status] of statuses.entries()) {
      await sql(
        `insert into host_results (tenant_id, execution_id, step_index, server_id, status, attempts, dispatch_id, epoch, finished_at)
          values ($1, $2, $3, $4, $5, 1, $6, 1, now())`,
        ...[lab.admin.tenantId, run, index, lab.servers[at]?.id, status, newId()],
      );
    }
  }
  await sql(
    `update executions set status = 'INTERRUPTED', started_at = now(), finished_at = now(), status_code = 'hosts_lost', status_text = 'Lost.' where id = $1`,
    run,
  );
  await sql(
    `update execution_hosts set status = case when server_id = $2 then 'UNKNOWN' else 'SUCCEEDED' end where execution_id = $1`,
    run,
    lost(),
  );
  await sql(
    `update execution_steps set status = case when step_index = 0 then 'SUCCEEDED' else 'FAILED' end where execution_id = $1`,
    run,
  );
  await sql(`delete from guard_keys where execution_id = $1 and key not like 'host:127.0.1.2:%'`, run);
  return run;
}

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
  operator = await lab.runward.member(lab.admin, 'operator');
  planId = await lab.plan(['true', 'true']);
});
beforeEach(async () => {
  await sql('delete from guard_keys');
  id = await interrupted();
});
afterAll(() => lab.close());

describe('a host with an unknown result', () => {
  it('is listed with its run and keeps its guard', async () => {
    expect((await lab.get(id)).unknownHosts).toEqual([
      { serverId: lost(), name: 'web-2', stepKey: 'step-2', check: null },
    ]);
    expect(await keys()).toEqual([`host:127.0.1.2:${lab.hosts.sshd.port}`]);
    const refused = await lab.tryStart(planId);
    expect(refused.body).toMatchObject({
      status: 409,
      code: 'run_overlap',
      conflicts: [{ executionId: id, sharedHosts: ['web-2'], unknownResults: true }],
    });
    expect((refused.body as Answered).detail).toContain(
      'holds web-2. It has ended, but the result of its command there is unknown. Check the host and resolve the result.',
    );
    // Guards of hosts with known results are released, and so is the plan's guard.
    const other = await lab.start(planId, { targets: 'name=web-1' });
    await lab.api.post(`/api/executions/${other.id}/cancel`);
  });

  it.each([
    ['mark_succeeded', 'marked_succeeded'],
    ['mark_failed', 'marked_failed'],
    ['skip', 'skipped'],
  ])('is free after %s, with user and comment, and the run keeps its status', async (action, kind) => {
    const { status, body } = await resolve({ action, comment: 'checked the host' });
    expect([status, body.status, body.unknownHosts]).toEqual([200, 'INTERRUPTED', []]);
    expect(await resultOf()).toMatchObject({
      status: 'UNKNOWN',
      resolution: { kind, comment: 'checked the host', by: { id: operator.userId }, at: expect.stringMatching(/Z$/) },
    });
    expect(await keys()).toEqual([]);
    expect((await trailOf(lab, id)).slice(1)).toEqual(['execution.resolve_host']);
    expect((await eventsOf(lab, id)).at(-1)).toMatch(/^host\.resolved/);
    const next = await lab.start(planId);
    await lab.api.post(`/api/executions/${next.id}/cancel`);
    expect((await resolve({ action })).body).toMatchObject({ status: 409, code: 'nothing_to_resolve' });
  });

  it('is asked again by `check`, and keeps its guard until then', async () => {
    const { status, body } = await resolve({ action: 'check' });
    expect(status).toBe(200);
    expect(body.unknownHosts).toMatchObject([
      { check: { askedBy: { name: expect.stringMatching(/^operator/) }, pending: true, at: null, reason: null } },
    ]);
    expect((await resultOf())?.check).toEqual(body.unknownHosts[0]?.check);
    const jobs = await lab.runward.database.query<{ data: object }>(
      `select data from pgboss.job where name = 'check-host' and data->>'executionId' = $1`,
      [id],
    );
    expect(jobs).toEqual([{ data: { tenantId: lab.admin.tenantId, executionId: id, stepIndex: 1, serverId: lost() } }]);
    expect(await keys()).toHaveLength(1);
    expect(await trailOf(lab, id)).toContain('execution.resolve_host');
  });

  it('is rerun from that step in a new run, which takes over the guard', async () => {
    const { status, body } = await resolve({ action: 'run_again', comment: 'it had not begun' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'PENDING', parentId: id, note: 'it had not begun', hostCount: 1 });
    expect(body.id).not.toBe(id);
    expect(body.hosts.map(({ name }) => name)).toEqual(['web-2']);
    expect(body.steps.map((step) => step.status)).toEqual(['SKIPPED', 'PENDING']);
    expect(await keys()).toEqual([]);
    expect((await resultOf())?.resolution).toMatchObject({ kind: 'run_again' });
    const refused = await lab.tryStart(planId, { targets: 'name=web-2' });
    expect(refused.body).toMatchObject({ code: 'run_overlap', conflicts: [{ executionId: body.id }] });
    await lab.api.post(`/api/executions/${body.id}/cancel`);
  });

  it('stays unknown when it cannot be rerun now', async () => {
    const environmentId = await lab.environment(`twin ${id}`);
    await lab.server({ environmentId, hostname: '127.0.1.1' });
    const plan = await lab.plan(['true'], { environmentId, locks: ['shared'] });
    const locked = await lab.plan(['true', 'true'], { locks: ['shared'] });
    await sql('delete from guard_keys');
    await sql(
      'update executions set plan_id = $2, snapshot = jsonb_set(snapshot, $3, $4) where id = $1',
      id,
      locked,
      ['plan', 'locks'],
      '["shared"]',
    );
    const other = await lab.start(plan);
    const { status, body } = await resolve({ action: 'run_again' });
    expect([status, body.code]).toEqual([409, 'run_overlap']);
    expect((await resultOf())?.resolution).toBeNull();
    expect((await trailOf(lab, id)).slice(1)).toEqual([]);
    await lab.api.post(`/api/executions/${other.id}/cancel`);
  });

  it('is resolved by only one of several simultaneous requests', async () => {
    const answers = await Promise.all(
      ['skip', 'mark_failed', 'mark_succeeded', 'skip'].map((action) => resolve({ action })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect((await trailOf(lab, id)).slice(1)).toEqual(['execution.resolve_host']);
  });

  it('keeps its guard until every lost step is resolved', async () => {
    await sql(`update host_results set status = 'UNKNOWN' where execution_id = $1 and server_id = $2`, id, lost());
    await resolve({ action: 'skip' });
    expect(await keys()).toHaveLength(1);
    await resolve({ action: 'skip', stepKey: 'step-1' });
    expect(await keys()).toEqual([]);
  });
});

describe('an invalid request', () => {
  it.each([
    [{ action: 'skip', stepKey: 'step-9' }, '/stepKey'],
    [{ action: 'forget' }, '/action'],
    [{}, '/action'],
    [{ action: 'skip', comment: 5 }, '/comment'],
  ])('is rejected with the field: %j', async (body, field) => {
    const answer = await resolve(body);
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, field]);
  });

  it('conflicts when the result is known or the run has not ended', async () => {
    for (const [server, stepKey] of [
      [known(), 'step-2'],
      [lost(), 'step-1'],
    ] as const) {
      const { status, body } = await resolve({ action: 'skip', stepKey }, server);
      expect([status, body.code]).toEqual([409, 'nothing_to_resolve']);
    }
    await sql('delete from guard_keys');
    const { id: running } = await lab.start(planId);
    expect((await resolve({ action: 'skip' }, lost(), running)).body.code).toBe('not_finished');
    await lab.api.post(`/api/executions/${running}/cancel`);
  });

  it('answers 404, byte for byte, when the caller cannot see the run or host', async () => {
    const { id: elsewhere } = await lab.server({ environmentId: await lab.environment(`else ${id}`) });
    const answers = [
      await resolve({ action: 'skip' }, newId()),
      await resolve({ action: 'skip' }, 'malformed'),
      await resolve({ action: 'skip' }, elsewhere),
      await resolve({ action: 'skip' }, lost(), newId()),
      await resolve({ action: 'skip' }, lost(), id, (await lab.runward.tenant()).api),
    ];
    for (const answer of answers) expect(comparable(answer)).toEqual(comparable(answers[0] as never));
    expect(answers[0]?.status).toBe(404);
    await sql(`select set_config('app.tenant', $1, false)`, lab.admin.tenantId);
  });

  it('is rejected when the role or grant is too low', async () => {
    const viewer = await lab.runward.member(lab.admin, 'viewer');
    expect((await resolve({ action: 'skip' }, lost(), id, viewer.api)).status).toBe(403);
    const environment = `/api/environments/${lab.environmentId}`;
    await lab.api.patch(environment, { access: 'restricted' });
    await lab.api.put(`${environment}/grants/${operator.userId}`, { level: 'view' });
    for (const action of ['skip', 'check', 'run_again'])
      expect((await resolve({ action })).body.code).toBe('grant_required');
    await lab.api.patch(environment, { access: 'open' });
  });
});
