import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, apiClient } from '../../../test/support/api-client.js';
import { type ApprovalLab, startApprovalLab } from '../../../test/support/approval-lab.js';
import { eventually } from '../../../test/support/eventually.js';
import type { TestWorker } from '../../../test/support/installation.js';
import { seededRandom } from '../../../test/support/seeded-random.js';
import { queryAs } from '../../../test/support/table-contents.js';
import type { OverlapConflict } from '../../common/errors/problem.js';
import type { ExecutionListView, ExecutionView } from '../contract/execution.view.js';

const QUEUE = { onOverlap: 'queue' };
const MAX_QUEUED_RUNS = 100;

type Removal = { code: string; detail: string; referrers: { type: string; id: string; name: string }[] };
type Refusal = ExecutionView & { code: string; detail: string; conflicts: OverlapConflict[]; hiddenConflicts: number };

let lab: ApprovalLab;
let worker: TestWorker | undefined;
let numbered = 0;

const sql = <R extends object>(text: string, values: unknown[] = []) =>
  queryAs<R>(lab.runward.database, lab.admin.tenantId, text, values);
const rows = async (from: string): Promise<number> =>
  (await sql<{ n: number }>(`select count(*)::int as n from ${from}`))[0]?.n ?? -1;
const cancel = async (id: string) => expect((await lab.api.post(`/api/executions/${id}/cancel`, {})).status).toBe(200);
const plan = (targets: string, command = 'true', more = {}) =>
  lab.plan([command], { targets: `name in (${targets})`, ...more });
const tryStart = async (planId: string, more = {}, api?: ApiClient) => {
  const { status, body } = await lab.tryStart(planId, more, api);
  return { status, body: body as Refusal };
};
const queued = async (targets: string, command?: string, more = {}) =>
  lab.start(await plan(targets, command), { ...QUEUE, ...more });
const inTime = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

async function holder(targets: string): Promise<{ id: string; end: () => Promise<void> }> {
  numbered += 1;
  const file = path.join(lab.evidence, `go-${numbered}`);
  const { id } = await lab.start(await plan(targets, `until [ -e ${file} ]; do sleep 0.05; done`));
  return { id, end: () => writeFile(file, '') };
}
async function approvedHolder(targets: string): Promise<{ id: string; end: () => Promise<void> }> {
  const held = await holder(targets);
  await lab.approve(held.id);
  await until('it runs', held.id, ({ status }) => status === 'RUNNING');
  return held;
}
const until = (what: string, id: string, fits: (run: ExecutionView) => boolean) =>
  eventually(
    what,
    async () => {
      const run = await lab.get(id);
      return fits(run) && run;
    },
    30_000,
  );

beforeAll(async () => {
  lab = await startApprovalLab({ hosts: 6 });
  await lab.policy({ protected: false });
});
afterAll(async () => {
  await worker?.stop();
  await lab.close();
});

describe('many concurrent starts on the same hosts over three API processes, most with onOverlap: queue', () => {
  it('admit one, queue up to the limit and refuse the rest, without a deadlock', async () => {
    const urls = [await lab.runward.anotherApi(), await lab.runward.anotherApi()];
    const members = [lab.operator, await lab.runward.member(lab.admin, 'operator')];
    const clients = [lab.api, ...urls.map((url, n) => apiClient(url, { token: members[n]?.token ?? '' }))];
    const random = seededRandom(11);
    const names = lab.servers.map(({ name }) => name);
    const plans: string[] = [];
    for (let n = 0; n < 20; n += 1)
      plans.push(await plan([...new Set(['web-1', random.pick(names), random.pick(names)])].join(', ')));
    const answers = await Promise.all(
      Array.from({ length: 125 }, (_, racer) =>
        eventually(
          'the start is answered',
          async () => {
            const more = racer % 8 === 0 ? {} : QUEUE;
            const answer = await tryStart(plans[racer % plans.length] ?? '', more, clients[racer % clients.length]);
            return answer.status !== 503 && answer;
          },
          60_000,
        ),
      ),
    );
    const outcomes = answers.map(({ status, body }) => (status === 201 ? (body.queue ? 'waits' : 'holds') : body.code));
    const count = (what: string) => outcomes.filter((each) => each === what).length;
    expect(new Set(outcomes)).toEqual(new Set(['holds', 'waits', 'run_overlap', 'queue_full']));
    expect([count('holds'), count('waits')]).toEqual([1, MAX_QUEUED_RUNS]);
    const places = answers.flatMap(({ body }) => (body.queue ? [body.queue.position] : []));
    expect(places.sort((a, b) => (a ?? 0) - (b ?? 0))).toEqual(
      Array.from({ length: MAX_QUEUED_RUNS }, (_, n) => n + 1),
    );
    const full = answers.find(({ body }) => body.code === 'queue_full');
    expect(full?.body.detail).toContain('100 runs wait in "lab" already');
    expect([await rows('guard_queue'), await rows('executions')]).toEqual([MAX_QUEUED_RUNS, MAX_QUEUED_RUNS + 1]);
    // All but ten are cancelled. The ten run one after the other when a worker starts.
    const waiting = await sql<{ id: string }>('select execution_id as id from guard_queue order by arrival');
    await Promise.all(waiting.slice(10).map(({ id }) => cancel(id)));
    const [first] = answers.filter(({ status, body }) => status === 201 && !body.queue);
    await cancel(first?.body.id ?? '');
    worker = await lab.runward.worker();
    const ends = [];
    for (const { id } of waiting.slice(0, 10)) ends.push(await lab.settled(id));
    expect(ends.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'SUCCEEDED'));
    const times = ends.map(
      ({ startedAt, finishedAt }) => [Date.parse(startedAt ?? ''), Date.parse(finishedAt ?? '')] as const,
    );
    for (const [n, [began]] of times.entries())
      if (n > 0) expect(began).toBeGreaterThanOrEqual(times[n - 1]?.[1] ?? Infinity);
    expect([await rows('guard_queue'), await rows('guard_waits'), await rows('guard_keys')]).toEqual([0, 0, 0]);
  });
});

describe('a start that waits for other runs', () => {
  it('begins at once without conflicts', async () => {
    const run = await queued('web-1');
    expect(run).toMatchObject({ status: 'PENDING', queue: null, onOverlap: 'queue', startAt: null });
    expect((await lab.settled(run.id)).status).toBe('SUCCEEDED');
  });

  it('reports its position, waiting time and blocking runs, and runs when they have ended', async () => {
    const first = await holder('web-1');
    const second = await queued('web-1, web-2');
    const third = await queued('web-2');
    expect(second).toMatchObject({
      status: 'PENDING',
      finished: false,
      successful: null,
      queue: {
        ...{ waitsFor: 'overlap', position: 1, since: expect.stringMatching(/Z$/), startAt: null, hiddenBlockers: 0 },
        blockers: [{ executionId: first.id, sharedHosts: ['web-1'], startedBy: { name: 'Admin 1' } }],
      },
    });
    expect(second.expiresAt).toBe(second.queue?.expiresAt);
    expect(Date.parse(second.expiresAt ?? '') - Date.now()).toBeGreaterThan(23 * 3600 * 1000);
    expect(third.queue).toMatchObject({
      position: 2,
      blockers: [{ executionId: second.id, waits: true, sharedHosts: ['web-2'] }],
    });
    const { items } = (await lab.api.get<ExecutionListView>('/api/executions?limit=2')).body;
    expect(items.map(({ id, queue }) => [id, queue?.position, queue?.waitsFor])).toEqual([
      [third.id, 2, 'overlap'],
      [second.id, 1, 'overlap'],
    ]);
    // A waiting run does not count as settled.
    const { body } = await lab.api.get<ExecutionView>(`/api/executions/${third.id}?wait=1&until=settled`);
    expect(body.status).toBe('PENDING');
    await first.end();
    expect([(await lab.settled(second.id)).status, (await lab.settled(third.id)).status]).toEqual([
      'SUCCEEDED',
      'SUCCEEDED',
    ]);
    expect(await lab.trail(second.id)).toEqual([
      'execution.start',
      'execution.admitted',
      'execution.running',
      'execution.succeeded',
    ]);
    const events = await sql<{ data: object }>(
      `select data from execution_events where execution_id = $1 and data ? 'waitsFor' order by seq`,
      [second.id],
    );
    expect(events.map(({ data }) => data)).toMatchObject([
      { status: 'PENDING', waitsFor: 'overlap' },
      { status: 'PENDING', waitsFor: null },
    ]);
  });

  it('is not overtaken by a run that needs the same keys, and does not block other hosts', async () => {
    const first = await holder('web-1');
    const many = await queued('web-1, web-2, web-3');
    const refused = await tryStart(await plan('web-3'));
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'run_overlap', conflicts: [{ executionId: many.id, waits: true, sharedHosts: ['web-3'] }] },
    });
    expect(refused.body.detail).toContain(
      'that Admin 1 started waits for web-3. It is ahead in the queue. Send onOverlap: queue',
    );
    expect((await lab.run(['true'], { targets: 'name=web-4' })).status).toBe('SUCCEEDED');
    const later = await queued('web-3');
    await first.end();
    const ends = [await lab.settled(many.id), await lab.settled(later.id)];
    expect(Date.parse(ends[1]?.startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(ends[0]?.finishedAt ?? ''));
  });

  it('is only counted for members who cannot see it, without details', async () => {
    const restricted = (
      await lab.api.post<{ id: string }>('/api/environments', { name: 'vault', access: 'restricted' })
    ).body.id;
    await lab.server({ name: 'hidden', environmentId: restricted, hostname: '127.0.1.5', port: lab.hosts.sshd.port });
    const first = await holder('web-5');
    const hidden = await lab.start(await lab.plan(['true'], { environmentId: restricted }), QUEUE);
    const seen = await tryStart(await plan('web-5'), QUEUE, lab.operator.api);
    expect(seen.body.queue).toMatchObject({ position: 1, hiddenBlockers: 1, blockers: [{ executionId: first.id }] });
    expect((await tryStart(await plan('web-5'), {}, lab.operator.api)).body).toMatchObject({
      code: 'run_overlap',
      hiddenConflicts: 1,
    });
    await first.end();
    for (const id of [hidden.id, seen.body.id]) await lab.settled(id);
  });

  it('leaves the queue when it is cancelled or reaches its maximum time, and the next run continues', async () => {
    const first = await holder('web-1');
    const [gone, late, last] = [await queued('web-1, web-2'), await queued('web-2, web-3'), await queued('web-3')];
    await cancel(gone.id);
    expect((await lab.get(gone.id)).status).toBe('CANCELLED');
    expect((await lab.settled(late.id)).status).toBe('SUCCEEDED');
    expect((await lab.settled(last.id)).status).toBe('SUCCEEDED');
    const [expired, behind] = [
      await queued('web-1, web-2', 'true', { queueTimeoutSeconds: 60 }),
      await queued('web-2'),
    ];
    await sql(`update guard_queue set expires_at = now() where execution_id = $1`, [expired.id]);
    await sql(`update executions set not_before = now() where id = $1`, [expired.id]);
    const over = await until('it has stopped waiting', expired.id, ({ finished }) => finished);
    expect(over).toMatchObject({ status: 'EXPIRED', queue: null, statusReason: { code: 'queue_expired' } });
    expect((await lab.settled(behind.id)).status).toBe('SUCCEEDED');
    await first.end();
    await lab.settled(first.id);
  });

  it('continues without a wake-up when its keys are free', async () => {
    const first = await holder('web-1');
    const second = await queued('web-1');
    await until('the first one runs', first.id, ({ status }) => status === 'RUNNING');
    await sql('delete from guard_keys where execution_id = $1', [first.id]);
    await sql('update executions set not_before = now() where id = $1', [second.id]);
    await until('it has its keys', second.id, ({ queue }) => queue === null);
    await first.end();
    for (const { id } of [first, second]) expect((await lab.settled(id)).status).toBe('SUCCEEDED');
  });

  it('blocks the deletion of its environment and servers, and cannot be rerun before it has ended', async () => {
    const first = await holder('web-1');
    const second = await queued('web-1');
    expect((await lab.api.delete(`/api/environments/${lab.environmentId}`)).status).toBe(409);
    const again = await lab.api.post(`/api/executions/${second.id}/rerun`, { hosts: 'all', snapshot: 'same' });
    expect(again.body).toMatchObject({ code: 'not_finished' });
    await cancel(second.id);
    const rerun = await lab.api.post<ExecutionView>(`/api/executions/${second.id}/rerun`, {
      hosts: 'all',
      snapshot: 'same',
      ...QUEUE,
    });
    expect(rerun.body).toMatchObject({ parentId: second.id, queue: { position: 1 } });
    await first.end();
    expect((await lab.settled(rerun.body.id)).status).toBe('SUCCEEDED');
  });

  it('blocks the deletion of a server also while it waits for its start time; the refusal names the run', async () => {
    const { id, name } = await lab.server({ name: 'leaving', hostname: '127.0.9.9' });
    const remove = () => lab.api.delete<Removal>(`/api/inventory/servers/${id}`);
    const planned = await lab.start(await plan(name), { startAt: inTime(3_600) });
    const first = await holder('web-6');
    const second = await queued(`web-6, ${name}`);
    const refused = await remove();
    expect(refused).toMatchObject({ status: 409, body: { code: 'in_use' } });
    expect(refused.body.referrers).toEqual(
      [planned, second].map((run) => ({ type: 'execution', id: run.id, name: run.planName })),
    );
    expect(refused.body.detail).toContain(`The run ${planned.id} of "${planned.planName}" waits for its time`);
    expect(refused.body.detail).toContain('So does another run. Cancel it to free the server.');
    await cancel(planned.id);
    expect((await remove()).body.detail).toMatch(
      new RegExp(
        `^The run ${second.id} of .* waits for its turn, and targets "leaving". Cancel it to free the server.`,
      ),
    );
    await cancel(second.id);
    expect((await remove()).status).toBe(204);
    await first.end();
    await lab.settled(first.id);
  });

  it('ends CANCELLED when its starter may no longer run there at its turn', async () => {
    const starter = await lab.runward.member(lab.admin, 'operator');
    const first = await holder('web-1');
    const { body } = await tryStart(await plan('web-1'), QUEUE, starter.api);
    await lab.api.patch(`/api/members/${starter.userId}`, { role: 'viewer' });
    const behind = await queued('web-1');
    await first.end();
    expect(await lab.settled(body.id)).toMatchObject({
      status: 'CANCELLED',
      statusReason: { code: 'starter_not_allowed' },
    });
    expect((await lab.settled(behind.id)).status).toBe('SUCCEEDED');
  });
});

describe('a start that waits for its start time', () => {
  it('is refused with the reason for an invalid time; dry runs never wait', async () => {
    const planId = await plan('web-1');
    const outcomes = async (more: object) => {
      const { status, body } = await lab.tryStart(planId, more as Record<string, unknown>);
      const { errors } = body as unknown as { errors: { path: string; code: string }[] };
      return [status, ...errors.map(({ path: at, code }) => `${at} ${code}`)];
    };
    expect(await outcomes({ startAt: inTime(-5) })).toEqual([400, '/startAt in_the_past']);
    expect(await outcomes({ startAt: inTime(400 * 86_400) })).toEqual([400, '/startAt out_of_range']);
    expect(await outcomes({ startAt: inTime(60), execution_mode: 'dry_run' })).toEqual([
      400,
      '/startAt not_applicable',
    ]);
    expect(await outcomes({ queueTimeoutSeconds: 60 })).toEqual([400, '/queueTimeoutSeconds not_applicable']);
    const dry = await lab.start(planId, { ...QUEUE, execution_mode: 'dry_run' });
    expect(dry).toMatchObject({ onOverlap: 'refuse', queue: null });
    await lab.settled(dry.id);
  });

  it('holds no keys before, and begins then', async () => {
    const startAt = inTime(4);
    const later = await lab.start(await plan('web-1'), { startAt });
    expect(later).toMatchObject({
      status: 'PENDING',
      startAt,
      queue: { waitsFor: 'start_time', position: null, startAt, blockers: [] },
    });
    expect((await lab.run(['true'], { targets: 'name=web-1' })).status).toBe('SUCCEEDED');
    const end = await lab.settled(later.id);
    expect(end.status).toBe('SUCCEEDED');
    expect(Date.parse(end.startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(startAt));
  });

  it('ends CANCELLED with the conflicting runs of that time, or waits for them', async () => {
    const first = await holder('web-1');
    const startAt = inTime(2);
    const refused = await lab.start(await plan('web-1'), { startAt });
    const waits = await lab.start(await plan('web-1'), { startAt, ...QUEUE });
    const over = await until('its time has come', refused.id, ({ finished }) => finished);
    expect(over).toMatchObject({ status: 'CANCELLED', statusReason: { code: 'run_overlap' } });
    expect(over.statusReason?.text).toMatch(
      /^At its start time, other runs conflicted: the run of "plan-\d+" that Admin 1 started/,
    );
    await until('it waits for the guard', waits.id, ({ queue }) => queue?.waitsFor === 'overlap');
    await first.end();
    expect((await lab.settled(waits.id)).status).toBe('SUCCEEDED');
  });
});

describe('in a protected environment', () => {
  beforeAll(() => lab.policy({ protected: true, confirmHosts: true, approvalTtlSeconds: 3600 }));
  afterAll(() => lab.policy({ protected: false }));

  it('a run waits for approval without keys or a position, then in the queue', async () => {
    const approved = await approvedHolder('web-1');
    const waits = await lab.waiting(await plan('web-1'), lab.operator.api, QUEUE);
    const other = await lab.waiting(await plan('web-2'));
    expect(waits).toMatchObject({ status: 'PAUSED', queue: null, pause: { reason: 'APPROVAL' } });
    for (const { id } of [waits, other]) {
      expect(await rows(`guard_keys where execution_id = '${id}'`)).toBe(0);
      expect((await lab.approve(id)).status).toBe(200);
    }
    await until('it is in the queue', waits.id, ({ queue }) => queue?.position === 1);
    expect((await lab.ended(other.id)).status).toBe('SUCCEEDED');
    await approved.end();
    expect((await lab.ended(waits.id)).status).toBe('SUCCEEDED');
  });

  it.each([{}, QUEUE])('an unapproved run does not block other runs on its hosts (%o)', async (more) => {
    const idle = await lab.waiting(await plan('web-1, web-2'), lab.operator.api, more);
    const planId = await plan('web-1');
    for (let n = 0; n < 2; n += 1) {
      const { id } = await lab.waiting(planId, lab.api);
      expect((await lab.approve(id)).status).toBe(200);
      expect((await lab.ended(id)).status).toBe('SUCCEEDED');
    }
    expect((await lab.approve(idle.id)).status).toBe(200);
    expect((await lab.ended(idle.id)).status).toBe('SUCCEEDED');
  });

  it('a start with onOverlap: refuse is refused while an approved run holds its hosts, and waits if that run began later', async () => {
    const early = await lab.waiting(await plan('web-1'));
    const approved = await approvedHolder('web-1');
    const late = await tryStart(await plan('web-1'), {}, lab.operator.api);
    expect(late).toMatchObject({
      status: 409,
      body: { code: 'run_overlap', conflicts: [{ executionId: approved.id }] },
    });
    expect((await lab.approve(early.id)).status).toBe(200);
    const { queue } = await until('it is in the queue', early.id, (run) => run.queue !== null);
    expect(queue).toMatchObject({ waitsFor: 'overlap', blockers: [{ executionId: approved.id }] });
    await approved.end();
    expect((await lab.ended(early.id)).status).toBe('SUCCEEDED');
  });

  it('an approved run that has not begun releases its hosts when it needs approval again', async () => {
    await worker?.stop();
    const secret = (value: string) =>
      lab.api.put(`/api/environments/${lab.environmentId}/variables/ANEW`, { value, secret: true });
    await secret('first-value');
    const first = await lab.waiting(await plan('web-1, web-2'));
    await lab.approve(first.id);
    await secret('second-value');
    worker = await lab.runward.worker();
    await until(
      'it requests approval again',
      first.id,
      ({ pause, approval }) => pause?.reason === 'APPROVAL' && approval !== null,
    );
    expect(await rows(`guard_keys where execution_id = '${first.id}'`)).toBe(0);
    const { id } = await lab.waiting(await plan('web-1'));
    await lab.approve(id);
    expect((await lab.ended(id)).status).toBe('SUCCEEDED');
    await lab.approve(first.id);
    expect((await lab.ended(first.id)).status).toBe('SUCCEEDED');
  });

  it('a planned run can be approved until its start time, and expires then', async () => {
    const planned = await lab.start(await plan('web-1'), { startAt: inTime(3) });
    expect(planned).toMatchObject({ status: 'PAUSED', expiresAt: planned.startAt });
    const distant = await lab.start(await plan('web-1'), { startAt: inTime(30 * 86_400) });
    expect(distant.approval?.expiresAt).toBe(distant.startAt);
    await cancel(distant.id);
    const over = await until('its start time has passed', planned.id, ({ finished }) => finished);
    expect(over).toMatchObject({ status: 'EXPIRED', statusReason: { code: 'approval_expired' } });
    expect((await lab.approve(planned.id)).status).toBe(409);
  });

  it('one member can fill at most half of the queue of an environment', async () => {
    const planId = await plan('web-1');
    const startAt = inTime(86_400);
    const starts = [];
    for (let number = 0; number < 52; number += 1) starts.push(await tryStart(planId, { startAt }, lab.operator.api));
    const refused = starts.filter(({ status }) => status !== 201);
    expect(refused.map(({ body }) => [body.code, body.detail.slice(0, 37)])).toEqual(
      Array.from({ length: 2 }, () => ['queue_full', '50 of your runs wait in "lab" already']),
    );
    expect((await tryStart(planId, { startAt })).status).toBe(201);
    await Promise.all(
      (await sql<{ id: string }>('select execution_id as id from guard_queue')).map(({ id }) => cancel(id)),
    );
  });

  it('a run can be approved until its start time, and then waits for it', async () => {
    const startAt = inTime(2 * 86_400);
    const { id, approval, pause } = await lab.waiting(await plan('web-1'), lab.operator.api, { startAt });
    expect([approval?.expiresAt, pause?.expiresAt]).toEqual([startAt, startAt]);
    await lab.approve(id);
    const run = await until('it waits for its time', id, ({ queue }) => queue?.waitsFor === 'start_time');
    expect([run.status, await rows(`guard_keys where execution_id = '${id}'`)]).toEqual(['PENDING', 0]);
    await cancel(id);
  });

  it('a waiting run whose secret changes requests approval again and leaves the queue until then', async () => {
    const secret = (value: string) =>
      lab.api.put(`/api/environments/${lab.environmentId}/variables/TOKEN`, { value, secret: true });
    await secret('first-value');
    const second = await lab.waiting(await plan('web-1, web-2'), lab.operator.api, QUEUE);
    const first = await approvedHolder('web-1');
    await lab.approve(second.id);
    await until('it is in the queue', second.id, ({ queue }) => queue?.position === 1);
    await secret('second-value');
    await cancel(first.id);
    await until('it requests approval again', second.id, ({ pause }) => pause?.reason === 'APPROVAL');
    expect(await rows('guard_queue where arrival is not null')).toBe(0);
    await lab.approve(second.id);
    expect((await lab.ended(second.id)).status).toBe('SUCCEEDED');
  });
});
