import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, apiClient } from '../../test/support/api-client.js';
import { made } from '../../test/support/environment-scene.js';
import { firedSchedule } from '../../test/support/fired-schedule.js';
import { type RunLab, startRunLab } from '../../test/support/run-lab.js';
import type { ScheduleFireListView, ScheduleListView, ScheduleView } from './schedules.view.js';

const FAR = { execution_mode: 'auto', cron: '0 0 1 1 *', timeZone: 'UTC' };

interface Refused {
  code: string;
  errors?: { path: string; code: string }[];
}

let lab: RunLab;
let planId: string;
let otherPlanId: string;
let elsewhereId: string;
/** Schedules: of the plan in the lab, of the same plan in another environment, of another plan in the lab. */
let own: string;
let elsewhere: string;
let ofOther: string;
let numbered = 0;

beforeAll(async () => {
  lab = await startRunLab();
  await lab.runward.worker();
  elsewhereId = await lab.environment('elsewhere');
  planId = await lab.plan(['true'], { environmentId: undefined });
  otherPlanId = await lab.plan(['true']);
  own = await made(save({ environmentId: lab.environmentId }));
  elsewhere = await made(save({ environmentId: elsewhereId }));
  ofOther = await made(save({ planId: otherPlanId }));
});
afterAll(() => lab.close());

function save(more: object, api: ApiClient = lab.api) {
  numbered += 1;
  return api.post<ScheduleView & Refused>('/api/schedules', { ...FAR, name: `schedule ${numbered}`, planId, ...more });
}
const path = (id: string) => `/api/schedules/${id}`;
async function clientWithScope(scope: object): Promise<ApiClient> {
  numbered += 1;
  const wanted = { name: `token ${numbered}`, scope: { access: 'all', ...scope } };
  const { status, body } = await lab.api.post<{ token: string }>('/api/tokens', wanted);
  expect(status).toBe(201);
  return apiClient(lab.runward.url, body);
}
const toBoth = (more: object = {}) =>
  clientWithScope({ environmentIds: [lab.environmentId], planIds: [planId], ...more });
const listed = async (api: ApiClient) =>
  (await api.get<ScheduleListView>('/api/schedules')).body.items.map(({ id }) => id).sort();

describe('a narrowed token', () => {
  it('sees only the schedules of its environments and plans; other ones appear not to exist', async () => {
    expect(await listed(await toBoth())).toEqual([own]);
    expect(await listed(await clientWithScope({ environmentIds: [lab.environmentId] }))).toEqual([own, ofOther].sort());
    expect(await listed(await clientWithScope({ planIds: [otherPlanId] }))).toEqual([ofOther]);
    const api = await toBoth();
    for (const id of [elsewhere, ofOther]) {
      const answers = [
        await api.get(path(id)),
        await api.get(`${path(id)}/fires`),
        await api.patch(path(id), { note: 'x' }),
        await api.post(`${path(id)}/take-over`),
        await api.delete(path(id)),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    }
  });

  it('creates, changes, pauses, resumes and deletes them, and moves none out of its limits', async () => {
    const api = await toBoth();
    const { status, body: schedule } = await save({ environmentId: lab.environmentId }, api);
    expect([status, schedule.owner]).toEqual([201, { id: lab.admin.userId, name: expect.any(String), narrowed: true }]);
    const patch = (body: object) => api.patch<ScheduleView & Refused>(path(schedule.id), body);
    expect((await patch({ cron: '5 5 * * *' })).body).toMatchObject({ cron: '5 5 * * *' });
    expect((await patch({ enabled: false, pausedReason: 'why' })).body).toMatchObject({ enabled: false });
    expect((await patch({ enabled: true })).body).toMatchObject({ enabled: true });
    for (const [at, body] of Object.entries({
      '/environmentId': { environmentId: elsewhereId },
      '/planId': { planId: otherPlanId },
    })) {
      expect((await patch(body)).body).toMatchObject({ code: 'not_found', errors: [{ path: at }] });
      expect((await save({ environmentId: lab.environmentId, ...body }, api)).body.errors).toMatchObject([
        { path: at },
      ]);
    }
    expect((await api.delete(path(schedule.id))).status).toBe(204);
  });

  it('with access to start runs or to read can only read them, because a schedule outlives the token', async () => {
    for (const access of ['read', 'run']) {
      const api = await toBoth({ access });
      expect(await listed(api)).toEqual([own]);
      expect((await api.post('/api/schedules/preview', { cron: FAR.cron, timeZone: 'UTC' })).status).toBe(200);
      const refused = [
        await save({ environmentId: lab.environmentId }, api),
        await api.patch<Refused>(path(own), { enabled: false }),
        await api.post<Refused>(`${path(own)}/take-over`),
        await api.delete<Refused>(path(own)),
      ];
      expect(refused.map(({ body }) => body.code)).toEqual(Array(4).fill('insufficient_scope'));
    }
  });

  it('does not see a conflicting run of another plan', async () => {
    const slow = await lab.plan([`until [ -e ${lab.evidence}/go ]; do sleep 0.05; done`]);
    const blocker = await lab.start(slow);
    const fire = await firedSchedule(lab, own);
    expect(fire).toMatchObject({ reason: { code: 'run_overlap' }, blockedBy: blocker.id });
    const api = await toBoth();
    const { items } = (await api.get<ScheduleFireListView>(`${path(own)}/fires`)).body;
    const expectedReason = { reason: { code: 'run_overlap', text: 'Another run conflicted.' } };
    expect(items[0]).toMatchObject({ ...expectedReason, blockedBy: null });
    expect((await api.get<ScheduleView>(path(own))).body.lastFire).toMatchObject(expectedReason);
    const of = await clientWithScope({ environmentIds: [lab.environmentId] });
    expect((await of.get<ScheduleFireListView>(`${path(own)}/fires`)).body.items[0]?.blockedBy).toBe(blocker.id);
    await lab.api.post(`/api/executions/${blocker.id}/cancel`);
    await lab.settled(blocker.id);
  });
});

describe('a schedule saved with a narrowed token', () => {
  it('runs with no more rights than the token had, until a member takes it over', async () => {
    const bound = await lab.plan(['true']);
    const api = await clientWithScope({ environmentIds: [lab.environmentId] });
    const { id } = (await save({ planId: bound }, api)).body;
    const first = await firedSchedule(lab, id);
    expect(await lab.settled(first.executionId ?? '')).toMatchObject({ status: 'SUCCEEDED' });
    // Hidden from the token, but visible to its member.
    expect((await lab.api.patch(`/api/plans/${bound}`, { environmentId: elsewhereId })).status).toBe(200);
    expect(await firedSchedule(lab, id)).toMatchObject({
      ...{ outcome: 'refused', reason: { code: 'not_found' }, executionId: null },
    });
    const taken = await lab.api.post<ScheduleView>(`${path(id)}/take-over`);
    expect(taken.body.owner).toMatchObject({ id: lab.admin.userId, narrowed: false });
    const last = await firedSchedule(lab, id);
    expect(await lab.settled(last.executionId ?? '')).toMatchObject({ status: 'SUCCEEDED' });
  });
});

describe('a notification rule', () => {
  const rule = async (more: object) => {
    numbered += 1;
    const channel = { type: 'ntfy', url: 'https://nobody.invalid', topic: 'runs' };
    return made(
      lab.api.post('/api/notification-rules', {
        name: `rule ${numbered}`,
        channel,
        events: ['execution.failed'],
        ...more,
      }),
    );
  };

  it('can be read, but not changed, with a token that is narrowed to its environments', async () => {
    const bound = await rule({ environmentIds: [lab.environmentId] });
    const others = [await rule({ environmentIds: [lab.environmentId, elsewhereId] }), await rule({})];
    const api = await clientWithScope({ environmentIds: [lab.environmentId] });
    const list = (await api.get<{ items: { id: string }[] }>('/api/notification-rules')).body;
    expect(list.items.map(({ id }) => id)).toEqual([bound]);
    expect((await api.get(`/api/notification-rules/${bound}/deliveries`)).status).toBe(200);
    for (const id of others) expect((await api.get(`/api/notification-rules/${id}`)).status).toBe(404);
    const refused = await api.patch<Refused>(`/api/notification-rules/${bound}`, { enabled: false });
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
    const ofPlan = await toBoth();
    expect((await ofPlan.get(`/api/notification-rules/${bound}`)).status).toBe(403);
  });
});
