import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 } from 'uuid';
import { apiClient } from '../../../test/support/api-client.js';
import { changePolicy } from '../../../test/support/environment-policy.js';
import { eventually } from '../../../test/support/eventually.js';
import type { TestMember } from '../../../test/support/installation.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import { newId } from '../../common/ids.js';
import type { ExecutionView } from '../contract/execution.view.js';
import type { RetentionPreviewView, RetentionView } from './retention.view.js';
import { RetentionWorker } from './retention-worker.js';

interface Problem {
  code: string;
  detail: string;
  referrers?: { id: string }[];
  removal?: { runs: number; ofRuns: number };
}

let lab: RunLab;
let operator: TestMember;
let worker: RetentionWorker;

beforeAll(async () => {
  lab = await startRunLab();
  operator = await lab.runward.member(lab.admin, 'operator');
  await lab.runward.worker();
  const { app } = lab.runward;
  worker = new RetentionWorker(app.get(UnitOfWork), app.get(AuditTrail));
});
afterAll(() => lab.close());

const query = <R>(sql: string, values: unknown[] = []) => lab.runward.database.query<R>(sql, values);

let numbered = 0;
const emptyEnvironment = async (): Promise<string> => {
  numbered += 1;
  return lab.environment(`past-${numbered}`);
};

async function makePastRun(environmentId: string, days: number, more: Record<string, unknown> = {}): Promise<string> {
  const at = new Date(Date.now() - days * 86_400_000);
  const id = v7({ msecs: at.getTime() });
  const row = {
    status: 'CANCELLED',
    execution_mode: 'auto',
    plan_id: newId(),
    parent_id: null,
    bytes: 100,
    finished: true,
    ...more,
  };
  await query(
    `insert into executions (id, tenant_id, plan_id, plan_revision, plan_name, environment_id, environment_name, status, execution_mode,
        snapshot, digest, started_by, started_by_name, started_via, host_count, created_at, started_at, parent_id)
      select $1, $2, $3, 1, 'Past', $4, 'past', $5, $6, e.snapshot, 'x', $7, 'x', 'token', 1, $8, $8, $9
        from (select '{"plan": {"steps": []}, "variables": {}, "secretNames": [], "targets": ""}'::jsonb as snapshot) e`,
    [
      id,
      lab.admin.tenantId,
      row.plan_id,
      environmentId,
      row.status,
      row.execution_mode,
      lab.admin.userId,
      at,
      row.parent_id,
    ],
  );
  await query(
    `insert into host_results (tenant_id, execution_id, step_index, server_id, status, output_bytes) values ($1, $2, 0, $1, 'SUCCEEDED', $3)`,
    [lab.admin.tenantId, id, row.bytes],
  );
  await query(
    `insert into output_chunks (tenant_id, execution_id, seq, step_index, server_id, stream, first_line, line_count, continues, open_ended, at, data)
      values ($1, $2, 1, 0, $1, 1, 1, 1, false, false, $3, 'x')`,
    [lab.admin.tenantId, id, at],
  );
  // The update of the end adds the run to the totals.
  if (row.finished) await query('update executions set finished_at = $2 where id = $1', [id, at]);
  return id;
}

const status = async (id: string) => (await lab.api.get(`/api/executions/${id}`)).status;
const rowsOf = async (id: string): Promise<number> => {
  const [row] = await query<{ n: number }>(
    `select ((select count(*) from output_chunks where execution_id = $1) + (select count(*) from execution_events where execution_id = $1)
      + (select count(*) from host_results where execution_id = $1) + (select count(*) from execution_hosts where execution_id = $1)
      + (select count(*) from dispatches where execution_id = $1) + (select count(*) from executions where id = $1))::int as n`,
    [id],
  );
  return row?.n ?? 0;
};
const ruleOf = (environmentId: string) => `/api/retention/environments/${environmentId}`;
const stored = async (environmentId: string) =>
  (await lab.api.get<RetentionView>('/api/retention')).body.environments.find(
    (each) => each.environmentId === environmentId,
  );
const audited = async (action: string) =>
  (
    await lab.api.get<{
      items: { resourceId: string; resourceName: string; before: unknown; after: Record<string, unknown> }[];
    }>(`/api/audit-logs?action=${action}`)
  ).body.items;

const passEnded = () =>
  eventually('the pass ended', async () => {
    const { pass } = (await lab.api.get<RetentionView>('/api/retention')).body;
    return pass?.begunAt === null && !(Date.parse(pass.dueAt ?? '') <= Date.now());
  });

async function passNow(): Promise<void> {
  expect((await lab.api.post('/api/retention/pass')).status).toBe(202);
  await worker.runRound();
  // The lab's worker may have claimed the pass first.
  await passEnded();
  await worker.runRound();
}

describe('deleting a run', () => {
  it('hides it at once and deletes its data soon after; its audit entries remain', async () => {
    const run = await lab.run(['echo something', 'echo more']);
    const before = await stored(lab.environmentId);
    expect(before).toMatchObject({ runs: 1, bytes: 'something\nmore\n'.length });
    expect((await lab.api.delete(`/api/executions/${run.id}`)).status).toBe(204);
    expect(await status(run.id)).toBe(404);
    for (const path of ['/output', '/results', '/stream', '/review'])
      expect([path, (await lab.api.get(`/api/executions/${run.id}${path}`)).status]).toEqual([path, 404]);
    const { items } = (await lab.api.get<{ items: ExecutionView[] }>('/api/executions')).body;
    expect(items.map(({ id }) => id)).not.toContain(run.id);
    expect(await stored(lab.environmentId)).toMatchObject({ runs: 0, bytes: 0 });
    expect((await lab.api.delete(`/api/executions/${run.id}`)).status).toBe(404);
    await worker.runRound();
    await eventually('the run is deleted', async () => (await rowsOf(run.id)) === 0);
    const [entry] = await audited('execution.deleted');
    expect(entry).toMatchObject({
      resourceId: run.id,
      resourceName: run.planName,
      before: { status: 'SUCCEEDED', hostCount: 1 },
    });
    expect((await audited('execution.start')).map(({ resourceId }) => resourceId)).toContain(run.id);
  });

  it('is for admins, and is refused with advice while the run is unfinished, pinned, unresolved or rerun', async () => {
    const environmentId = await emptyEnvironment();
    const refused = async (id: string) => {
      const { status: code, body } = await lab.api.delete<Problem>(`/api/executions/${id}`);
      expect(await status(id)).toBe(200);
      return [code, body.code];
    };
    const id = await makePastRun(environmentId, 3);
    expect((await operator.api.delete(`/api/executions/${id}`)).status).toBe(403);
    expect(await refused(await makePastRun(environmentId, 3, { finished: false, status: 'PAUSED' }))).toEqual([
      409,
      'not_finished',
    ]);

    expect((await operator.api.put(`/api/executions/${id}/pin`, { note: 'Evidence' })).status).toBe(200);
    expect(await refused(id)).toEqual([409, 'run_pinned']);
    const pinned = (await lab.api.get<ExecutionView>(`/api/executions/${id}`)).body.pin;
    expect(pinned).toMatchObject({ by: { name: expect.stringContaining('operator') }, note: 'Evidence' });
    expect((await operator.api.delete<ExecutionView>(`/api/executions/${id}/pin`)).body.pin).toBeNull();

    await query(`insert into guard_keys (tenant_id, key, execution_id) values ($1, 'host:x', $2)`, [
      lab.admin.tenantId,
      id,
    ]);
    expect(await refused(id)).toEqual([409, 'unknown_results']);
    await query('delete from guard_keys where execution_id = $1', [id]);

    const rerun = await makePastRun(environmentId, 2, { parent_id: id });
    expect(await refused(id)).toEqual([409, 'in_use']);
    const { body } = await lab.api.delete<Problem>(`/api/executions/${id}`);
    expect(body.referrers?.map((each) => each.id)).toEqual([rerun]);
    expect((await lab.api.delete(`/api/executions/${rerun}`)).status).toBe(204);
    expect((await lab.api.delete(`/api/executions/${id}`)).status).toBe(204);
  });

  it('keeps a run that has reruns until they are deleted', async () => {
    const run = await lab.run(['echo one']);
    const { body: again } = await lab.api.post<ExecutionView>(`/api/executions/${run.id}/rerun`, {
      hosts: 'all',
      snapshot: 'same',
    });
    expect((await lab.settled(again.id)).status).toBe('SUCCEEDED');
    expect((await lab.api.delete<Problem>(`/api/executions/${run.id}`)).body.code).toBe('in_use');
    expect((await lab.api.delete(`/api/executions/${again.id}`)).status).toBe(204);
    expect(
      (await lab.api.post<Problem>(`/api/executions/${again.id}/rerun`, { hosts: 'all', snapshot: 'same' })).status,
    ).toBe(404);
    expect((await lab.api.delete(`/api/executions/${run.id}`)).status).toBe(204);
  });
});

describe('a retention rule', () => {
  afterEach(async () => {
    await query('delete from retention_rules');
  });

  it('deletes runs older than its days, and keeps those that the preview listed as kept', async () => {
    const environmentId = await emptyEnvironment();
    const plan = newId();
    const old = [await makePastRun(environmentId, 40), await makePastRun(environmentId, 35)];
    const pinned = await makePastRun(environmentId, 39);
    await lab.api.put(`/api/executions/${pinned}/pin`, {});
    const failed = await makePastRun(environmentId, 38, { plan_id: plan, status: 'FAILED' });
    const earlier = await makePastRun(environmentId, 38.5, { plan_id: plan, status: 'FAILED' });
    const succeeded = await makePastRun(environmentId, 37, { plan_id: plan, status: 'SUCCEEDED' });
    const dry = await makePastRun(environmentId, 31, { plan_id: plan, status: 'SUCCEEDED', execution_mode: 'dry_run' });
    const repeated = await makePastRun(environmentId, 36);
    const rerun = await makePastRun(environmentId, 5, { parent_id: repeated });
    const active = await makePastRun(environmentId, 60, { finished: false, status: 'PAUSED' });
    const recent = await makePastRun(environmentId, 1);
    const rule = { keepDays: 30 };

    const preview = (await lab.api.post<RetentionPreviewView>('/api/retention/preview', { environmentId, rule })).body;
    expect(preview).toMatchObject({
      runs: 4,
      bytes: 400,
      ofRuns: 10,
      ofBytes: 1000,
      needsConfirmation: false,
      complete: true,
    });
    expect(preview.environments).toEqual([
      expect.objectContaining({
        environmentId,
        runs: 4,
        kept: { active: 1, pinned: 1, last_failed: 1, last_succeeded: 1, referenced: 1 },
      }),
    ]);
    expect(Date.parse(preview.environments[0]?.from ?? '')).toBeLessThan(Date.now() - 39.9 * 86_400_000);

    expect((await lab.api.put(ruleOf(environmentId), rule)).status).toBe(200);
    for (const id of old) expect(await status(id)).toBe(200);
    await passNow();
    const gone = [...old, earlier, dry];
    for (const id of gone) expect([id, await status(id), await rowsOf(id)]).toEqual([id, 404, 0]);
    for (const id of [pinned, failed, succeeded, repeated, rerun, active, recent])
      expect([id, await status(id)]).toEqual([id, 200]);
    expect(await stored(environmentId)).toMatchObject({ runs: 6, bytes: 600, rule: { keepDays: 30, keepRuns: null } });
    const [entry] = await audited('retention.pass');
    expect(entry?.after).toMatchObject({ runs: 4, bytes: 400, requestedBy: expect.any(String) });
  });

  it('keeps the newest runs by number and by bytes of output', async () => {
    const environmentId = await emptyEnvironment();
    const ids: string[] = [];
    for (const days of [9, 8, 7, 6, 5, 4]) ids.push(await makePastRun(environmentId, days, { bytes: 1_048_576 }));
    const left = async () => (await Promise.all(ids.map(status))).map((code) => code === 200);
    await lab.api.put(ruleOf(environmentId), { keepRuns: 4 });
    await passNow();
    expect(await left()).toEqual([false, false, true, true, true, true]);
    const preview = { environmentId, rule: { keepBytes: 3 * 1_048_576 } };
    expect((await lab.api.post<RetentionPreviewView>('/api/retention/preview', preview)).body.runs).toBe(1);
    await lab.api.put(ruleOf(environmentId), preview.rule);
    await passNow();
    expect(await left()).toEqual([false, false, false, true, true, true]);
    await passNow();
    expect(await left()).toEqual([false, false, false, true, true, true]);
  });

  it('deletes a chain of reruns as a whole', async () => {
    const environmentId = await emptyEnvironment();
    const first = await makePastRun(environmentId, 50);
    const second = await makePastRun(environmentId, 49, { parent_id: first });
    const third = await makePastRun(environmentId, 48, { parent_id: second });
    await lab.api.put(ruleOf(environmentId), { keepDays: 30, confirm: true });
    await passNow();
    expect(await Promise.all([first, second, third].map(status))).toEqual([404, 404, 404]);
  });

  it('records an entry with the deciders for each deleted run with decisions, and no entry for other runs', async () => {
    const environmentId = await emptyEnvironment();
    const ids = [
      await makePastRun(environmentId, 50),
      await makePastRun(environmentId, 49),
      await makePastRun(environmentId, 48),
    ] as const;
    const [, decided, crowded] = ids;
    const decide = (id: string, rounds: number, decision: string, withdrawn = false) =>
      query(
        `insert into approval_decisions (tenant_id, execution_id, round, user_id, user_name, decision, digest, at, withdrawn_at)
          select $1, $2, round, $3, 'Ana', $4, 'x', '2026-01-02T03:04:05Z', case when $6 then now() end
            from generate_series($5::int - $7::int + 1, $5) as round`,
        [lab.admin.tenantId, id, operator.userId, decision, rounds, withdrawn, withdrawn ? 1 : rounds],
      );
    await decide(decided, 2, 'approved');
    await decide(decided, 3, 'approved', true);
    await decide(crowded, 250, 'rejected');
    await lab.api.put(ruleOf(environmentId), { keepDays: 30, confirm: true });
    await passNow();
    const trail = await lab.api.get<{ items: { resourceId: string; actor: object; before: object }[] }>(
      '/api/audit-logs?action=execution.deleted',
    );
    const entries = trail.body.items.filter(({ resourceId }) => ids.some((id) => id === resourceId));
    expect(entries.map(({ resourceId }) => resourceId).sort()).toEqual([decided, crowded].sort());
    expect(entries.map(({ actor }) => actor)).toEqual(Array(2).fill(expect.objectContaining({ name: 'retention' })));
    const before = (id: string) => entries.find(({ resourceId }) => resourceId === id)?.before;
    const approval = (round: number, decision: string) => ({
      ...{ round, userId: operator.userId, userName: 'Ana', decision, digest: 'x', at: '2026-01-02T03:04:05.000Z' },
    });
    expect(before(decided)).toMatchObject({
      ...{ status: 'CANCELLED', digest: 'x', environmentId, hostCount: 1 },
      approvals: [approval(1, 'approved'), approval(2, 'approved')],
      earlierApprovals: 0,
    });
    expect(before(crowded)).toMatchObject({
      approvals: Array.from({ length: 100 }, (_, index) => approval(151 + index, 'rejected')),
      earlierApprovals: 150,
    });
  });

  it('requires confirmation with numbers when it would delete more than half', async () => {
    const environmentId = await emptyEnvironment();
    for (const days of [50, 40, 1]) await makePastRun(environmentId, days);
    const { status: code, body } = await lab.api.put<Problem>(ruleOf(environmentId), { keepDays: 30 });
    expect([code, body.code, body.removal]).toEqual([
      409,
      'confirmation_required',
      { runs: 2, bytes: 200, ofRuns: 3, ofBytes: 300 },
    ]);
    expect((await stored(environmentId))?.rule).toBeNull();
    expect((await lab.api.put(ruleOf(environmentId), { keepDays: 30, confirm: true })).status).toBe(200);
    expect((await stored(environmentId))?.rule).toMatchObject({ keepDays: 30 });
  });

  it('of the tenant applies to environments without a rule; a rule without limits overrides it', async () => {
    const [common, own] = [await emptyEnvironment(), await emptyEnvironment()];
    const [there, here] = [await makePastRun(common, 50), await makePastRun(own, 50)];
    await makePastRun(common, 1);
    await makePastRun(own, 1);
    await lab.api.put(ruleOf(own), {});
    expect((await lab.api.put('/api/retention/rule', { keepDays: 30, confirm: true })).status).toBe(200);
    const preview = (await lab.api.post<RetentionPreviewView>('/api/retention/preview', {})).body;
    expect(preview.environments.map((each) => each.environmentId)).toContain(common);
    expect(preview.environments.map((each) => each.environmentId)).not.toContain(own);
    await passNow();
    expect([await status(there), await status(here)]).toEqual([404, 200]);
    // Without its own rule, the environment gets the default rule. That deletes exactly half, which needs no
    // confirmation.
    expect((await lab.api.delete(ruleOf(own))).status).toBe(204);
    await passNow();
    expect(await status(here)).toBe(404);
  });

  it('is rejected with a reason when it is invalid', async () => {
    for (const body of [{ keepDays: 0 }, { keepRuns: 1.5 }, { keepBytes: 5 }, { keepDays: '30' }]) {
      const answer = await lab.api.put<Problem & { errors: { path: string }[] }>('/api/retention/rule', body);
      expect([answer.status, answer.body.errors[0]?.path]).toEqual([400, `/${Object.keys(body)[0]}`]);
    }
    expect((await operator.api.get('/api/retention')).status).toBe(403);
    expect((await lab.api.put(ruleOf(newId()), { keepDays: 1 })).status).toBe(404);
  });
});

describe('a retention pass', () => {
  afterEach(async () => {
    await query('delete from retention_rules');
  });

  it('by several workers at once deletes each run once and is audited once', async () => {
    const environmentId = await emptyEnvironment();
    for (let days = 80; days > 40; days -= 1) await makePastRun(environmentId, days);
    await lab.api.put(ruleOf(environmentId), { keepDays: 30, confirm: true });
    const before = (await audited('retention.pass')).length;
    const { app } = lab.runward;
    const workers = [1, 2, 3].map(() => new RetentionWorker(app.get(UnitOfWork), app.get(AuditTrail)));
    await lab.api.post('/api/retention/pass');
    await Promise.all(workers.map((each) => each.runRound()));
    await passNow();
    const entries = (await audited('retention.pass')).slice(0, -before || undefined);
    expect(entries.reduce((sum, { after }) => sum + Number(after.runs), 0)).toBe(40);
    expect(await stored(environmentId)).toMatchObject({ runs: 0, bytes: 0 });
  });

  it('continues after a worker stopped halfway, and ends with the counts of both workers', async () => {
    const environmentId = await emptyEnvironment();
    for (const days of [45, 44, 43]) await makePastRun(environmentId, days);
    await lab.api.put(ruleOf(environmentId), { keepDays: 30, confirm: true });
    await query(
      `update retention_passes set due_at = now(), begun_at = now(), lease_until = now() - interval '1 second', runs = 7, bytes = 70`,
    );
    await worker.runRound();
    await passEnded();
    const [entry] = await audited('retention.pass');
    expect(entry?.after).toMatchObject({ runs: 10, bytes: 370 });
  });
});

describe('a pinned run', () => {
  const pin = (id: string, { api }: Pick<TestMember, 'api'>, body: object = {}) =>
    api.put<ExecutionView & { code: string }>(`/api/executions/${id}/pin`, body);
  const unpin = (id: string, { api }: Pick<TestMember, 'api'>) =>
    api.delete<ExecutionView & { code: string }>(`/api/executions/${id}/pin`);
  let machine: Pick<TestMember, 'api'>;
  let second: TestMember;
  let run: string;
  beforeAll(async () => {
    second = await lab.runward.member(lab.admin, 'admin');
    const account = await lab.api.post<{ id: string }>('/api/service-accounts', { name: 'janitor', role: 'admin' });
    const path = `/api/service-accounts/${account.body.id}/tokens`;
    const { body } = await lab.api.post<{ token: string }>(path, { name: 'janitor' });
    machine = { api: apiClient(lab.runward.url, body) };
  });
  beforeEach(async () => {
    run = (await lab.run(['true'])).id;
  });

  it('that an admin pinned can be unpinned only by an admin who is a person, also if others pinned it later', async () => {
    await pin(run, lab);
    await pin(run, operator);
    const refused = await unpin(run, operator);
    expect([refused.status, refused.body.code]).toEqual([409, 'run_pinned']);
    const byMachine = await unpin(run, machine);
    expect([byMachine.status, byMachine.body.code]).toEqual([403, 'person_required']);
    expect((await unpin(run, second)).body.pin).toBeNull();
  });

  it('under a legal hold is released by two admins, neither of whom created the other', async () => {
    expect((await pin(run, operator, { legalHold: true })).body.code).toBe('insufficient_role');
    expect((await pin(run, machine, { legalHold: true })).body.code).toBe('person_required');
    expect((await pin(run, lab, { note: 'Case 12', legalHold: true })).body.pin).toMatchObject({ legalHold: true });
    const listed = async (query: string) =>
      (await lab.api.get<{ items: { id: string }[] }>(`/api/executions?${query}`)).body.items.map(({ id }) => id);
    expect([await listed('legalHold=true'), await listed('legalHold=false')]).toEqual([
      [run],
      (await listed('sort=-createdAt')).filter((id) => id !== run),
    ]);
    expect(await stored(lab.environmentId)).toMatchObject({ heldRuns: 1 });
    const holdLift = { by: { id: lab.admin.userId, name: 'Admin 1' }, expiresAt: expect.any(String) };
    for (const _ of ['once', 'twice'])
      expect((await unpin(run, lab)).body.pin).toMatchObject({ legalHold: true, liftRequest: holdLift });
    // Only an admin in person can change the hold. An admin who renews it cancels the request to lift it.
    const byOperator = await pin(run, operator, { note: 'Mine now' });
    expect([byOperator.status, byOperator.body.code]).toEqual([409, 'run_pinned']);
    expect((await pin(run, machine, { note: 'Mine now' })).body.code).toBe('person_required');
    expect((await pin(run, second, { legalHold: true })).body.pin).toMatchObject({
      ...{ by: { id: lab.admin.userId, name: 'Admin 1' }, note: 'Case 12', legalHold: true, liftRequest: null },
    });
    expect((await unpin(run, second)).body.pin).toMatchObject({ liftRequest: { by: { id: second.userId } } });
    await query(`update executions set lift_at = now() - interval '8 days' where id = $1`, [run]);
    expect((await lab.api.get<ExecutionView>(`/api/executions/${run}`)).body.pin).toMatchObject({ liftRequest: null });
    expect((await unpin(run, lab)).body.pin).toMatchObject({ liftRequest: holdLift });
    const puppet = await lab.runward.member(lab.admin, 'viewer');
    await lab.api.patch(`/api/members/${puppet.userId}`, { role: 'admin' });
    const concurrentUnpin = await unpin(run, puppet);
    expect([concurrentUnpin.status, concurrentUnpin.body.code]).toEqual([403, 'second_person_required']);
    expect((await lab.api.delete<{ code: string }>(`/api/executions/${run}`)).body.code).toBe('run_pinned');
    expect((await unpin(run, second)).body.pin).toBeNull();
    expect((await lab.api.delete(`/api/executions/${run}`)).status).toBe(204);
  });

  it('of a protected environment is deleted only by people, and the audit trail keeps its approvers', async () => {
    await lab.api.patch(`/api/environments/${lab.environmentId}`, { protected: true, confirmHosts: true });
    const planId = await lab.plan(['true']);
    const started = await operator.api.post<ExecutionView>('/api/executions', { planId, execution_mode: 'auto' });
    const { id, digest } = started.body;
    expect((await second.api.post(`/api/executions/${id}/approve`, { digest })).status).toBe(200);
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    await changePolicy(lab.api, lab.environmentId, { protected: false });
    const refused = await machine.api.delete<{ code: string }>(`/api/executions/${id}`);
    expect([refused.status, refused.body.code]).toEqual([403, 'person_required']);
    expect((await lab.api.delete(`/api/executions/${id}`)).status).toBe(204);
    const trail = await lab.api.get<{ items: { action: string; before: object }[] }>(
      `/api/audit-logs?resourceId=${id}`,
    );
    expect(trail.body.items.find(({ action }) => action === 'execution.deleted')?.before).toMatchObject({
      ...{ status: 'SUCCEEDED', digest, hostCount: expect.any(Number) },
      approvals: [{ userId: second.userId, decision: 'approved', digest }],
    });
  });
});
