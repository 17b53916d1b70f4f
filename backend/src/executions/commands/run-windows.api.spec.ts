import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ApprovalLab, startApprovalLab, type SteeringAnswer } from '../../../test/support/approval-lab.js';
import { eventually } from '../../../test/support/eventually.js';
import type { EnvironmentView } from '../../environments/environments.view.js';
import type { ExecutionView } from '../contract/execution.view.js';

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

let lab: ApprovalLab;
let planId: string;
let file = 0;

beforeAll(async () => {
  lab = await startApprovalLab();
  await lab.runward.worker();
});
beforeEach(async () => {
  await lab.policy({ protected: false });
  file += 1;
  planId = await lab.plan([lab.leaving(`ran-${file}`)]);
});
afterEach(() => lab.policy({ runWindows: null }));
afterAll(() => lab.close());

const openIn = (hours: number) => {
  const hour = (new Date().getUTCHours() + hours + 24) % 24;
  const text = (of: number) => `${String(of).padStart(2, '0')}:00`;
  return { timeZone: 'UTC', open: [{ days: DAYS, from: text(hour), to: text((hour + 1) % 24) }] };
};
const makeClosedWindow = () => ({ runWindows: openIn(12) });
const left = () => lab.left(`ran-${file}`);
async function held(): Promise<ExecutionView> {
  await lab.policy({ protected: true, allowSelfApproval: false, requiredApprovals: 1 });
  const run = await lab.waiting(planId);
  await lab.policy(makeClosedWindow());
  expect((await lab.approve(run.id)).status).toBe(200);
  return eventually('the run reports why it waits', async () => {
    const now = await lab.get(run.id);
    return now.statusReason && now;
  });
}

describe('outside of the run windows of its environment', () => {
  it('refuses a start with the next opening, but allows a dry run, which forecasts it', async () => {
    await lab.policy(makeClosedWindow());
    const { body: environment } = await lab.api.get<EnvironmentView>(`/api/environments/${lab.environmentId}`);
    expect(environment.runWindowState).toMatchObject({ open: false, closesAt: null, blackout: null });
    const refused = await lab.tryStart(planId, {}, lab.operator.api);
    const opensAt = environment.runWindowState?.opensAt ?? '';
    expect([refused.status, refused.body]).toMatchObject([409, { code: 'outside_run_window', nextOpensAt: opensAt }]);
    expect((refused.body as Partial<SteeringAnswer>).detail).toContain(
      `is outside of its run windows until ${opensAt}`,
    );
    const dry = await lab.settled((await lab.start(planId, { execution_mode: 'dry_run' })).id);
    expect(dry.status).toBe('SUCCEEDED');
    expect(dry.forecast).toMatchObject({ obstacles: ['window'], window: { timeZone: 'UTC', opensAt } });
    expect(await left()).toBe('');
  });

  it('accepts a start scheduled inside a window, and refuses one outside', async () => {
    await lab.policy(makeClosedWindow());
    const { body } = await lab.api.get<EnvironmentView>(`/api/environments/${lab.environmentId}`);
    const opens = Date.parse(body.runWindowState?.opensAt ?? '');
    const at = (ms: number) => ({ startAt: new Date(opens + ms).toISOString() });
    expect((await lab.tryStart(planId, at(-60_000))).status).toBe(409);
    const planned = await lab.start(planId, at(60_000));
    expect((await lab.api.post(`/api/executions/${planned.id}/cancel`)).status).toBe(200);
  });

  it('lets an admin start with a reason, recorded in run and audit trail; other members cannot', async () => {
    await lab.policy(makeClosedWindow());
    const more = { windowOverride: 'The site is down' };
    expect((await lab.tryStart(planId, more, lab.operator.api)).status).toBe(403);
    const run = await lab.settled((await lab.start(planId, more)).id);
    expect(run).toMatchObject({ status: 'SUCCEEDED', windowOverride: 'The site is down' });
    const trail = await lab.api.get(`/api/audit-logs?action=execution.start&resourceId=${run.id}`);
    expect(trail.text).toContain('"windowOverride":"The site is down"');
    const again = { hosts: 'all', snapshot: 'same' };
    const rerun = await lab.api.post<SteeringAnswer>(`/api/executions/${run.id}/rerun`, again);
    expect([rerun.status, rerun.body.code]).toEqual([409, 'outside_run_window']);
    const overridden = await lab.api.post<ExecutionView>(`/api/executions/${run.id}/rerun`, { ...again, ...more });
    expect((await lab.settled(overridden.body.id)).status).toBe('SUCCEEDED');
  });

  it('an approved run waits with a reason and begins when the window opens', async () => {
    const run = await held();
    expect(run).toMatchObject({ status: 'PENDING', startedAt: null, statusReason: { code: 'outside_run_window' } });
    expect(run.statusReason?.text).toContain('The run begins then.');
    expect(await left()).toBe('');
    await lab.policy({ runWindows: openIn(0) });
    expect(await lab.settled(run.id)).toMatchObject({ status: 'SUCCEEDED', statusReason: null });
    expect(await left()).toBe('ran\n');
  });

  it('an approved run begins when an admin overrides the windows for this run', async () => {
    const run = await held();
    const path = `/api/executions/${run.id}/window-override`;
    const body = { reason: 'Agreed with the owner' };
    expect((await lab.operator.api.post(path, body)).status).toBe(403);
    expect((await lab.api.post<SteeringAnswer>(path, body)).body.windowOverride).toBe('Agreed with the owner');
    expect((await lab.settled(run.id)).status).toBe('SUCCEEDED');
    expect(await lab.trail(run.id)).toContain('execution.override_window');
    expect((await lab.api.post<SteeringAnswer>(path, body)).body.code).toBe('already_finished');
  });

  it('a run that has begun continues, also after a pause', async () => {
    const gate = await lab.plan([{ type: 'gate', message: 'go on?' }, lab.leaving(`ran-${file}`)]);
    const run = await lab.paused((await lab.start(gate)).id);
    await lab.policy(makeClosedWindow());
    const body = { stepKey: run.pause?.stepKey, action: 'proceed' };
    expect((await lab.api.post(`/api/executions/${run.id}/decisions`, body)).status).toBe(200);
    expect((await lab.ended(run.id)).status).toBe('SUCCEEDED');
  });

  it('an override is refused for a run that the windows do not hold back', async () => {
    await lab.policy({ protected: true });
    const run = await lab.waiting(planId);
    const refused = await lab.api.post<SteeringAnswer>(`/api/executions/${run.id}/window-override`, {
      reason: 'just so',
    });
    expect([refused.status, refused.body.code]).toEqual([409, 'not_held']);
    await lab.api.post(`/api/executions/${run.id}/cancel`);
  });

  it('only admins can change the windows, and faults are reported with their fields', async () => {
    const path = `/api/environments/${lab.environmentId}`;
    expect((await lab.operator.api.patch(path, makeClosedWindow())).status).toBe(403);
    const span = { days: ['mon', 'mon'], from: '25:00', to: '6:00' };
    const blackout = { from: '2026-02-30T00:00', to: '2026-12-24', reason: ' ' };
    const answer = await lab.api.patch<{ errors: { path: string; code: string }[] }>(path, {
      runWindows: { timeZone: 'Berlin', open: [span], blackouts: [blackout] },
    });
    expect(answer.body.errors.map(({ path: at, code }) => [at, code])).toEqual([
      ['/runWindows/timeZone', 'unknown_time_zone'],
      ['/runWindows/open/0/days', 'duplicate_item'],
      ['/runWindows/open/0/from', 'invalid_format'],
      ['/runWindows/open/0/to', 'invalid_format'],
      ['/runWindows/blackouts/0/from', 'invalid_format'],
      ['/runWindows/blackouts/0/to', 'invalid_format'],
      ['/runWindows/blackouts/0/reason', 'invalid_format'],
    ]);
    expect((await lab.api.patch(path, { runWindows: { timeZone: 'UTC', open: [] } })).status).toBe(400);
  });
});
