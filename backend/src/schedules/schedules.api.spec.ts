import { writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Answer, ApiClient } from '../../test/support/api-client.js';
import { changePolicy } from '../../test/support/environment-policy.js';
import { firedSchedule, listFires } from '../../test/support/fired-schedule.js';
import type { TestMember } from '../../test/support/installation.js';
import { type RunLab, startRunLab } from '../../test/support/run-lab.js';
import type { ExecutionView } from '../executions/contract/execution.view.js';
import type { ScheduleFireView, ScheduleListView, ScheduleView } from './schedules.view.js';

interface Refused {
  code: string;
  detail: string;
  errors?: { path: string; code: string; message: string }[];
  referrers?: { type: string; id: string; name: string }[];
  hiddenReferrers?: number;
}

const CRON = { cron: '30 2 * * *', timeZone: 'Europe/Berlin' };
const FAR = { cron: '0 0 1 1 *', timeZone: 'UTC' };
const DAY = 86_400;

let lab: RunLab;
let operator: TestMember;
let planId: string;
let numbered = 0;
let file: string;

beforeAll(async () => {
  lab = await startRunLab();
  await lab.runward.worker();
});
beforeEach(async () => {
  numbered += 1;
  file = `ran-${numbered}`;
  operator = await lab.runward.member(lab.admin, 'operator');
  planId = await lab.plan([`echo ran >> ${lab.evidence}/${file}`]);
});
afterEach(async () => {
  await lab.runward.database.query('update schedules set enabled = false');
  await changePolicy(lab.api, lab.environmentId, { access: 'open', protected: false, runWindows: null });
});
afterAll(() => lab.close());

const tryCreate = (more: object = {}, api: ApiClient = operator.api) =>
  api.post<ScheduleView & Refused>('/api/schedules', {
    ...{ name: `schedule-${numbered}`, planId, execution_mode: 'auto' },
    ...more,
  });
async function create(more: object = {}, api: ApiClient = operator.api): Promise<ScheduleView> {
  const answer = await tryCreate({ ...FAR, ...more }, api);
  if (answer.status !== 201) throw new Error(`The schedule was not created: ${answer.text}`);
  return answer.body;
}
const path = (id: string) => `/api/schedules/${id}`;
const get = async (id: string, api: ApiClient = lab.api) => (await api.get<ScheduleView>(path(id))).body;
const patch = (id: string, body: object, api: ApiClient = operator.api) =>
  api.patch<ScheduleView & Refused>(path(id), body);
const fired = (id: string, secondsAgo?: number) => firedSchedule(lab, id, secondsAgo);
const ended = async ({ executionId }: ScheduleFireView): Promise<ExecutionView> => lab.settled(executionId ?? '');
const trail = async (id: string) =>
  (await lab.api.get<{ items: { action: string }[] }>(`/api/audit-logs?resourceId=${id}&limit=50`)).body.items.map(
    ({ action }) => action,
  );
const faults = ({ body }: Answer<Refused>) => (body.errors ?? []).map(({ path: at, code }) => [at, code]);

describe('a schedule', () => {
  it('is stored as requested, and shows its next ten times', async () => {
    const answer = await tryCreate({
      ...CRON,
      ...{ note: 'each night', labels: { kind: 'nightly' }, targets: 'role=web', jitterSeconds: 60 },
      ...{ onOverlap: 'skip', onMissed: 'once' },
    });
    expect(answer.status).toBe(201);
    const { body } = answer;
    expect(answer.headers.get('location')).toBe(path(body.id));
    expect(body).toMatchObject({
      ...{ ...CRON, note: 'each night', labels: { kind: 'nightly' }, targets: 'role=web', jitterSeconds: 60 },
      ...{
        planId,
        environmentId: lab.environmentId,
        environmentName: 'lab',
        execution_mode: 'auto',
        everySeconds: null,
      },
      ...{ onOverlap: 'skip', onMissed: 'once', enabled: true, paused: null, lastFire: null, version: 1 },
      owner: { id: operator.userId },
    });
    expect(body.delaySeconds).toBeLessThan(60);
    expect(body.nextTimes).toHaveLength(10);
    expect(body.nextTimes[0]).toBe(body.nextAt);
    expect(body.nextTimes.every((time) => /T0[01]:30:00.000Z$/.test(time))).toBe(true);
    expect(await get(body.id)).toEqual(body);
    const list = (await lab.api.get<ScheduleListView>(`/api/schedules?planId=${planId}&ownerId=${operator.userId}`))
      .body;
    expect(list.items.map(({ id }) => id)).toEqual([body.id]);
    expect(await trail(body.id)).toEqual(['schedule.create']);
    expect((await operator.api.delete(path(body.id))).status).toBe(204);
    expect((await lab.api.get(path(body.id))).status).toBe(404);
  });

  it.each([
    [{ cron: '30 25 * * *', timeZone: 'UTC' }, '/cron', 'invalid_cron'],
    [{ cron: '0 0 30 2 *', timeZone: 'UTC' }, '/cron', 'never_comes'],
    [{ cron: '0 0 * * *', timeZone: 'Berlin' }, '/timeZone', 'unknown_time_zone'],
    [{ cron: '0 0 * * *' }, '/timeZone', 'required'],
    [{}, '/cron', 'required'],
    [{ everySeconds: 59 }, '/everySeconds', 'out_of_range'],
    [{ ...CRON, everySeconds: 60 }, '/everySeconds', 'not_applicable'],
    [{ ...CRON, targets: 'role in (' }, '/targets', 'invalid_selector'],
    [{ ...CRON, variables: { NOPE: 1 } }, '/variables/NOPE', 'unknown_variable'],
    [{ ...CRON, variables: { NOPE: '‹secret NOPE›' } }, '/variables/NOPE', 'required'],
    [{ ...CRON, variables: { NOPE: 'x'.repeat(17_000) } }, '/variables', 'too_large'],
    [{ ...CRON, pausedReason: 'why?' }, '/pausedReason', 'not_applicable'],
    [{ ...CRON, jitterSeconds: 3601 }, '/jitterSeconds', 'out_of_range'],
    [{ ...CRON, planId: 'x' }, '/planId', 'not_found'],
  ])('is rejected with the error: %j', async (more, at, code) => {
    expect(faults(await tryCreate(more))).toEqual([[at, code]]);
  });

  it('is previewed without being saved', async () => {
    const viewer = await lab.runward.member(lab.admin, 'viewer');
    const preview = await viewer.api.post<{ nextTimes: string[]; timeZone: string }>('/api/schedules/preview', CRON);
    expect([preview.status, preview.body.nextTimes.length, preview.body.timeZone]).toEqual([200, 10, 'Europe/Berlin']);
    const days = { cron: '0 0 */2 * 1', timeZone: 'UTC' };
    const warned = await viewer.api.post<{ warnings: string[] }>('/api/schedules/preview', days);
    expect(warned.body.warnings).toEqual([expect.stringContaining('Vixie cron')]);
    const wrong = await viewer.api.post<Refused>('/api/schedules/preview', { cron: '0 0 * * 8', timeZone: 'UTC' });
    expect(wrong.body.errors?.[0]?.message).toContain('field 5, the day of the week, is "8". It takes 0 to 7');
    expect((await viewer.api.post('/api/schedules', {})).status).toBe(403);
  });

  it('is visible to members who see its environment, and keeps plan and environment from being deleted', async () => {
    const { id } = await create();
    await lab.api.patch(`/api/environments/${lab.environmentId}`, { access: 'restricted' });
    const other = await lab.runward.member(lab.admin, 'operator');
    const free = await lab.plan(['true'], { environmentId: undefined });
    expect(
      (await lab.api.patch<ScheduleView>(path(id), { planId: free, environmentId: lab.environmentId })).status,
    ).toBe(200);
    for (const answer of [await other.api.get(path(id)), await patch(id, { name: 'x' }, other.api)])
      expect(answer.status).toBe(404);
    expect((await other.api.get<ScheduleListView>(`/api/schedules?planId=${free}`)).body.items).toEqual([]);
    expect((await tryCreate({ ...FAR, name: 'theirs' }, other.api)).status).toBe(404);
    const hidden = await other.api.delete<Refused>(`/api/plans/${free}`);
    expect([hidden.status, hidden.body]).toMatchObject([409, { code: 'in_use', referrers: [], hiddenReferrers: 1 }]);
    const shown = await lab.api.delete<Refused>(`/api/plans/${free}`);
    expect(shown.body.referrers).toMatchObject([{ type: 'schedule', id }]);
    const environment = await lab.api.delete<Refused>(`/api/environments/${lab.environmentId}`);
    expect(environment.body.referrers).toContainEqual(expect.objectContaining({ type: 'schedule', id }));
  });

  it('belongs to the member who last changed content or timing, not to one who renames or pauses it', async () => {
    const { id } = await create();
    const other = await lab.runward.member(lab.admin, 'operator');
    const owner = async (body: object) => (await patch(id, body, other.api)).body.owner?.id;
    for (const closedEnvironmentId of [
      { name: `renamed-${numbered}` },
      { note: 'x' },
      { targets: '' },
      { enabled: false, pausedReason: 'y' },
    ])
      expect(await owner(closedEnvironmentId)).toBe(operator.userId);
    expect(await get(id)).toMatchObject({
      ...{ enabled: false, nextAt: null, nextTimes: [] },
      paused: { by: { id: other.userId }, reason: { code: 'person', text: 'y' } },
    });
    expect(await owner({ enabled: true })).toBe(other.userId);
    expect(await get(id)).toMatchObject({ paused: null, nextTimes: expect.any(Array) });
    expect((await patch(id, { cron: '5 5 * * *' })).body.owner?.id).toBe(operator.userId);
    expect((await other.api.post<ScheduleView>(`${path(id)}/take-over`)).body.owner?.id).toBe(other.userId);
    expect((await patch(id, { everySeconds: 120 })).body).toMatchObject({ cron: null, everySeconds: 120 });
  });
});

describe('at its time', () => {
  it('starts a run that names the schedule, and sets the next time', async () => {
    const schedule = await create({ note: 'each year', labels: { kind: 'yearly' } });
    const fire = await fired(schedule.id);
    expect(fire).toMatchObject({ outcome: 'started', reason: null, missed: 0, blockedBy: null });
    const run = await ended(fire);
    expect(run).toMatchObject({
      ...{ status: 'SUCCEEDED', startedVia: 'schedule', schedule: { id: schedule.id, name: schedule.name } },
      ...{ startedBy: { id: operator.userId }, note: 'each year', labels: { kind: 'yearly' }, tokenPrefix: null },
    });
    expect(await lab.left(file)).toBe('ran\n');
    const after = await get(schedule.id);
    expect(after.lastFire).toMatchObject({
      ...{ outcome: 'started', executionId: run.id, executionStatus: 'SUCCEEDED', at: fire.at },
    });
    expect((await listFires(lab, schedule.id))[0]).toMatchObject({ executionId: run.id, executionStatus: 'SUCCEEDED' });
    expect([after.nextTimes, after.version]).toEqual([schedule.nextTimes, schedule.version]);
    expect(await trail(run.id)).toContain('execution.start');
  });

  it('starts nothing while another run conflicts, and the fire names that run', async () => {
    const busy = await lab.plan([
      `touch ${lab.evidence}/${file}.busy; until [ -e ${lab.evidence}/${file}.go ]; do sleep 0.05; done`,
    ]);
    const blocker = await lab.start(busy);
    const { id } = await create();
    expect(await fired(id)).toMatchObject({
      outcome: 'skipped',
      reason: { code: 'run_overlap' },
      blockedBy: blocker.id,
    });
    expect((await get(id)).lastFire?.reason?.text).toContain('conflicted with the run');
    await lab.api.post(`/api/executions/${blocker.id}/cancel`);
    await lab.settled(blocker.id);
    expect(await ended(await fired(id))).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('queues one run, but not a second one', async () => {
    const go = `${lab.evidence}/${file}.go`;
    const blocker = await lab.start(await lab.plan([`until [ -e ${go} ]; do sleep 0.05; done`]));
    const { id } = await create({ onOverlap: 'queue' });
    const waiting = await fired(id);
    expect(waiting).toMatchObject({ outcome: 'started', reason: null });
    const run = await lab.get(waiting.executionId ?? '');
    expect(run).toMatchObject({ status: 'PENDING', startedVia: 'schedule', startedAt: null });
    expect(await fired(id)).toMatchObject({ outcome: 'skipped', reason: { code: 'run_waiting' }, blockedBy: run.id });
    await writeFile(go, '');
    await lab.settled(blocker.id);
    expect(await ended(waiting)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await lab.left(file)).toBe('ran\n');
  });

  it('starts nothing outside of the run windows or while the collection is frozen', async () => {
    const { id } = await create();
    const blackouts = [{ from: '2020-01-01T00:00', to: '2120-01-01T00:00', reason: 'Moving' }];
    const day = { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '00:00', to: '24:00' };
    const never = await lab.api.patch<Refused>(`/api/environments/${lab.environmentId}`, {
      runWindows: { timeZone: 'UTC', open: [day], blackouts },
    });
    expect(faults(never)).toEqual([['/runWindows', 'never_comes']]);
    await closeNow();
    expect(await fired(id)).toMatchObject({ outcome: 'skipped', reason: { code: 'outside_run_window' } });
    await lab.api.patch(`/api/environments/${lab.environmentId}`, { runWindows: null });
    const collection = await lab.api.post<{ id: string }>('/api/collections', { name: `frozen-${numbered}` });
    await lab.api.patch(`/api/plans/${planId}`, { collectionId: collection.body.id });
    const freeze = { reason: 'Release', until: '2100-01-01T00:00:00Z' };
    await lab.api.patch(`/api/collections/${collection.body.id}`, { freeze });
    expect(await fired(id)).toMatchObject({ outcome: 'skipped', reason: { code: 'collection_frozen' } });
    expect(await lab.left(file)).toBe('');
    expect((await trail(id)).filter((action) => action === 'schedule.not_started')).toHaveLength(2);
  });

  it('starts a run that waits for approval in a protected environment', async () => {
    const { id } = await create();
    await lab.api.patch(`/api/environments/${lab.environmentId}`, { protected: true });
    const { executionId } = await fired(id);
    expect(await lab.get(executionId ?? '')).toMatchObject({ status: 'PAUSED', pauseReason: 'APPROVAL' });
    await lab.api.post(`/api/executions/${executionId}/cancel`);
  });

  it('skips times without a worker, or starts one run for all of them', async () => {
    const skips = await create({ everySeconds: 60, cron: undefined });
    expect(await fired(skips.id, DAY)).toMatchObject({
      outcome: 'missed',
      executionId: null,
      missed: expect.any(Number),
    });
    const once = await create({ name: `once-${numbered}`, cron: '0 0 1 1 *', onMissed: 'once' });
    const fire = await fired(once.id, DAY);
    expect(fire).toMatchObject({ outcome: 'started', missed: 0 });
    await ended(fire);
    expect(await lab.left(file)).toBe('ran\n');
  });

  it('keeps only the last hundred fires', async () => {
    const { id } = await create();
    await lab.runward.database.query(
      `insert into schedule_fires (id, tenant_id, schedule_id, at, outcome)
        select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, $2, timestamptz 'epoch' + n * interval '1 day', 'missed'
          from generate_series(1, 150) n`,
      [lab.admin.tenantId, id],
    );
    await ended(await fired(id));
    const [row] = await lab.runward.database.query<{ n: number }>(
      'select count(*)::int as n from schedule_fires where schedule_id = $1',
      [id],
    );
    expect(row?.n).toBe(100);
  });
});

/** Closes the environment: its only run window opens in about 12 hours. */
async function closeNow(): Promise<void> {
  const hour = (new Date().getUTCHours() + 12) % 24;
  const day = { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: `${String(hour).padStart(2, '0')}:00` };
  const open = [{ ...day, to: `${String(hour).padStart(2, '0')}:30` }];
  const answer = await lab.api.patch(`/api/environments/${lab.environmentId}`, {
    runWindows: { timeZone: 'UTC', open },
  });
  expect(answer.status).toBe(200);
}

describe('the rights of a schedule are the current rights of its owner', () => {
  const refused = { outcome: 'refused', reason: { code: 'owner_not_allowed' }, executionId: null };

  it('starts nothing for an owner who is disabled or not an operator, until a member takes it over', async () => {
    const { id } = await create();
    await lab.api.patch(`/api/members/${operator.userId}`, { role: 'viewer' });
    expect(await fired(id)).toMatchObject({
      ...refused,
      reason: { ...refused.reason, text: expect.stringContaining('is no longer an operator') },
    });
    await lab.api.patch(`/api/members/${operator.userId}`, { disabled: true, role: 'operator' });
    expect(await fired(id)).toMatchObject({
      ...refused,
      reason: { ...refused.reason, text: expect.stringContaining('is disabled') },
    });
    expect((await trail(id)).filter((action) => action === 'schedule.not_started')).toHaveLength(1);
    await lab.api.post(`${path(id)}/take-over`);
    expect(await ended(await fired(id))).toMatchObject({ status: 'SUCCEEDED', startedBy: { id: lab.admin.userId } });
  });

  it('pauses when its owner was removed', async () => {
    const { id } = await create();
    expect((await lab.api.delete(`/api/members/${operator.userId}`)).status).toBe(204);
    expect(await get(id)).toMatchObject({
      owner: null,
      enabled: true,
    });
    expect(await fired(id)).toMatchObject({
      ...refused,
      reason: { ...refused.reason, text: expect.stringContaining('was removed') },
    });
    expect(await get(id)).toMatchObject({
      enabled: false,
      paused: { by: null, reason: { code: 'owner_not_allowed' } },
    });
    expect((await trail(id)).slice(0, 2).sort()).toEqual(['schedule.not_started', 'schedule.pause']);
  });

  it('starts nothing for an owner without the grant', async () => {
    const { id } = await create();
    await lab.api.patch(`/api/environments/${lab.environmentId}`, { access: 'restricted' });
    expect(await fired(id)).toMatchObject({ outcome: 'refused', reason: { code: 'not_found' } });
    await lab.api.put(`/api/environments/${lab.environmentId}/grants/${operator.userId}`, { level: 'view' });
    expect(await fired(id)).toMatchObject({ outcome: 'refused', reason: { code: 'grant_required' } });
  });

  it('does not run content of an author who may not run there', async () => {
    const script = await lab.api.post<{ id: string }>('/api/scripts', { name: `script-${numbered}`, content: 'true' });
    const free = await lab.plan([{ type: 'script', scriptId: script.body.id }], { environmentId: undefined });
    await lab.api.patch(`/api/environments/${lab.environmentId}`, { access: 'restricted' });
    await lab.api.put(`/api/environments/${lab.environmentId}/grants/${operator.userId}`, { level: 'run' });
    const { id } = await create({ planId: free, environmentId: lab.environmentId });
    await ended(await fired(id));
    const stranger = await lab.runward.member(lab.admin, 'operator');
    const theirs = await stranger.api.patch(`/api/scripts/${script.body.id}`, {
      content: `echo >> ${lab.evidence}/${file}`,
    });
    expect(theirs.status).toBe(200);
    const foreign = { outcome: 'refused', reason: { code: 'author_not_allowed' } };
    expect(await fired(id)).toMatchObject({
      ...foreign,
      reason: { ...foreign.reason, text: expect.stringContaining('revision 2 of the script') },
    });
    expect(await lab.left(file)).toBe('');
    await operator.api.post(`${path(id)}/take-over`);
    expect(await ended(await fired(id))).toMatchObject({ status: 'SUCCEEDED' });
  });
});

describe('secret values of a schedule', () => {
  const SECRET = 'correct-horse-7431';
  const variables = [
    { name: 'PASS', type: 'secret' as const, required: true },
    { name: 'PLAIN', type: 'string' as const },
  ];

  it('are passed to its runs, never returned, kept by their mask, and not transferred to another plan', async () => {
    const command = `[ "$PASS" = ${SECRET} ] && echo {{ PLAIN }} >> ${lab.evidence}/${file}`;
    const withSecret = await lab.plan([command], { variables });
    const first = await tryCreate({ ...FAR, planId: withSecret, variables: { PASS: SECRET, PLAIN: 'one' } });
    expect(first.text).not.toContain(SECRET);
    const { id } = first.body;
    expect(first.body.variables).toEqual({ PASS: '‹secret PASS›', PLAIN: 'one' });
    expect(await ended(await fired(id))).toMatchObject({
      status: 'SUCCEEDED',
      variables: { PASS: '‹secret PASS›' },
      variableSources: { PASS: 'schedule', PLAIN: 'schedule' },
    });
    const kept = await patch(id, { variables: { ...first.body.variables, PLAIN: 'two' } });
    expect(kept.status).toBe(200);
    expect(await ended(await fired(id))).toMatchObject({ status: 'SUCCEEDED' });
    expect(await lab.left(file)).toBe('one\ntwo\n');
    const other = await lab.plan([command], { variables });
    const moved = await patch(id, { planId: other });
    expect(faults(moved)).toEqual([['/variables/PASS', 'required']]);
    expect((await patch(id, { planId: other, variables: { PASS: 'another-7431', PLAIN: 'x' } })).status).toBe(200);
    const [row] = await lab.runward.database.query<{ sealed: string }>(
      `select encode(sealed_variables, 'escape') || variables::text as sealed from schedules where id = $1`,
      [id],
    );
    expect(row?.sealed).not.toContain('another-7431');
    const audit = await lab.api.get(`/api/audit-logs?resourceId=${id}`);
    expect(audit.text).not.toMatch(/7431/);
  });
});
