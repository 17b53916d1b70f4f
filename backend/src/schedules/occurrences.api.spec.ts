import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 } from 'uuid';
import { apiClient, type ApiClient } from '../../test/support/api-client.js';
import { made } from '../../test/support/environment-scene.js';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import { queryAs } from '../../test/support/table-contents.js';
import type { OccurrencesView } from './occurrences.view.js';

const DAY_MS = 86_400_000;

let runward: Installation;
let admin: TestMember;
let environmentId: string;
let planId: string;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  environmentId = await made(admin.api.post('/api/environments', { name: 'live' }));
  planId = await planIn(environmentId, 'Backup');
});
afterAll(() => runward.close());

const planIn = (environment: string, name: string) =>
  made(admin.api.post('/api/plans', { name, environmentId: environment, steps: [{ key: 'one', command: 'true' }] }));
const schedule = (name: string, more: object) =>
  made(admin.api.post('/api/schedules', { name, planId, execution_mode: 'auto', timeZone: 'UTC', ...more }));
const read = (query: object, api: ApiClient = admin.api) =>
  api.get<OccurrencesView & { errors?: { path: string }[] }>(
    `/api/schedules/occurrences?${new URLSearchParams({ ...query }).toString()}`,
  );
const soon = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const period = (days = 31) => ({ from: soon(0), to: soon(days) });

async function fire(scheduleId: string, at: Date, outcome: string, missed = 0): Promise<void> {
  await queryAs(
    runward.database,
    admin.tenantId,
    `insert into schedule_fires (id, tenant_id, schedule_id, at, outcome, missed) values ($1, $2, $3, $4, $5, $6)`,
    [v7({ msecs: at.getTime() }), admin.tenantId, scheduleId, at, outcome, missed],
  );
}

describe('the occurrences of all schedules', () => {
  it('are results in the past and times in the future, each by the clocks of its zone', async () => {
    const id = await schedule('nightly', { cron: '30 2 * * *', timeZone: 'Europe/Berlin' });
    const at = new Date(Math.floor(Date.now() / 60_000) * 60_000 - DAY_MS);
    await fire(id, at, 'missed', 2);
    await fire(id, new Date(at.getTime() - 40 * DAY_MS), 'missed');
    const { status, body } = await read({ from: soon(-5), to: soon(30), q: 'NIGHT' });
    expect(status).toBe(200);
    expect(body.schedules).toMatchObject([
      { id, name: 'nightly', planName: 'Backup', environmentName: 'live', enabled: true, frequent: false },
    ]);
    expect(body.past).toMatchObject([{ scheduleId: id, at: at.toISOString(), outcome: 'missed', missed: 2 }]);
    expect([body.coming.length, body.truncated, body.moreSchedules]).toEqual([30, false, false]);
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit', minute: '2-digit' });
    expect(new Set(body.coming.map((each) => clock.format(new Date(each.at))))).toEqual(new Set(['02:30']));
    const { body: one } = await admin.api.get<{ nextTimes: string[] }>(`/api/schedules/${id}`);
    expect(body.coming.slice(0, 10).map((each) => each.at)).toEqual(one.nextTimes);
  });

  it('name a frequent schedule without its times, and a paused one', async () => {
    await schedule('often quarter', { cron: '*/15 * * * *' });
    await schedule('often paused', { cron: '0 3 * * *', enabled: false });
    const { body } = await read({ ...period(), q: 'often' });
    expect(body.schedules.map(({ name, frequent, enabled }) => [name, frequent, enabled])).toEqual([
      ['often paused', false, false],
      ['often quarter', true, true],
    ]);
    expect([body.coming, body.past]).toEqual([[], []]);
  });

  it('can be limited to a plan and an environment', async () => {
    const other = await planIn(environmentId, 'Other');
    const id = await schedule('of other', { planId: other, cron: '0 4 * * *' });
    expect((await read({ ...period(), planId: other })).body.schedules.map((each) => each.id)).toEqual([id]);
    const empty = await made(admin.api.post('/api/environments', { name: 'empty' }));
    expect((await read({ ...period(), environmentId: empty })).body.schedules).toEqual([]);
  });

  it('need a period of at most 45 days', async () => {
    for (const [query, path] of [
      [{ from: soon(0), to: soon(46) }, '?to'],
      [{ from: soon(1), to: soon(0) }, '?to'],
      [{ to: soon(-1) }, '?to'],
    ] as const) {
      const { status, body } = await read(query);
      expect([status, body.errors?.[0]?.path]).toEqual([400, path]);
    }
  });

  it('are those of schedules in environments that the caller can see, and of the plans of a token', async () => {
    const hidden = await made(admin.api.post('/api/environments', { name: 'vault', access: 'restricted' }));
    const plan = await planIn(hidden, 'Vault');
    const id = await schedule('vault nightly', { planId: plan, cron: '0 5 * * *' });
    await fire(id, new Date(Date.now() - DAY_MS), 'skipped');
    const viewer = await runward.member(admin, 'viewer');
    const query = { from: soon(-5), to: soon(30), q: 'vault' };
    expect((await read(query, viewer.api)).body).toMatchObject({ schedules: [], past: [], coming: [] });
    await admin.api.put(`/api/environments/${hidden}/grants/${viewer.userId}`, { level: 'view' });
    const { body } = await read(query, viewer.api);
    expect([body.schedules.length, body.past.length, body.coming.length]).toEqual([1, 1, 30]);
    const scope = { access: 'read', planIds: [planId], environmentIds: [environmentId] };
    const token = await admin.api.post<{ token: string }>('/api/tokens', { name: 'limited', scope });
    const limited = await read(query, apiClient(runward.url, { token: token.body.token }));
    expect(limited.body.schedules).toEqual([]);
  });

  it('are at most 200 schedules and 2,000 coming occurrences', async () => {
    await queryAs(
      runward.database,
      admin.tenantId,
      `insert into schedules (id, tenant_id, name, plan_id, environment_id, execution_mode, cron, time_zone, on_overlap, on_missed,
          enabled, owner_name, next_at, due_at)
        select gen_random_uuid(), $1, 'many ' || n, $2, $3, 'auto', '0 6 * * *', 'UTC', 'skip', 'skip', true, 'x',
            date_trunc('day', now()) + interval '30 hours', date_trunc('day', now()) + interval '30 hours'
          from generate_series(1, 201) n`,
      [admin.tenantId, planId, environmentId],
    );
    const { body } = await read({ ...period(30), q: 'many' });
    expect([body.schedules.length, body.moreSchedules]).toEqual([200, true]);
    expect([body.coming.length, body.truncated]).toEqual([2_000, true]);
  });
});
