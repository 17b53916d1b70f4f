import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { type Answered, decisionsOf } from '../../../test/support/decisions.js';
import { eventually } from '../../../test/support/eventually.js';
import { evidenceIn } from '../../../test/support/evidence.js';
import type { TestMember, TestWorker } from '../../../test/support/installation.js';
import { eventsOf, pausedRun, trailOf } from '../../../test/support/paused-run.js';
import { type LabPlan, type LabStep, type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { ExecutionView } from '../contract/execution.view.js';
import type { PauseAnswersView } from '../contract/run-people.view.js';
import type { ExecutionMode } from '../lifecycle/statuses.js';

let lab: RunLab;
let worker: TestWorker;
let operator: TestMember;

const { decided } = decisionsOf(() => operator.api);
const { marks, untilExists, allow } = evidenceIn(() => lab);
const start = async (mode: ExecutionMode, steps: (LabStep | string)[], more: LabPlan = {}) =>
  (await lab.start(await lab.plan(steps, more), { execution_mode: mode })).id;
const mark = (file: string) => `echo $(hostname) >> ${lab.evidence}/${file}`;
const ran = async (file: string) => (await marks(file)).length;
const steps = (run: ExecutionView) => run.steps.map(({ status }) => status);

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
  operator = await lab.runward.member(lab.admin, 'operator');
  worker = await lab.runward.worker();
});
afterAll(() => lab.close());

describe('an interactive run', () => {
  it('waits before each step with a preview of it, and runs the confirmed steps', async () => {
    const id = await start('interactive', [mark('one'), mark('two')]);
    const first = await pausedRun(lab, id);
    expect(first.pause).toMatchObject({
      reason: 'STEP_CONFIRM',
      stepKey: 'step-1',
      choices: ['proceed', 'skip', 'abort'],
    });
    expect(steps(first)).toEqual(['PAUSED', 'PENDING']);
    expect(await ran('one')).toBe(0);
    await decided(id, 'proceed');
    const second = await pausedRun(lab, id);
    expect(second.pause?.stepKey).toBe('step-2');
    expect([await ran('one'), await ran('two')]).toEqual([2, 0]);
    await decided(id, 'skip', 'step-2', { comment: 'done by hand' });
    const run = await lab.settled(id);
    expect(run).toMatchObject({ status: 'SUCCEEDED', pause: null });
    expect(run.steps[1]).toMatchObject({
      status: 'SKIPPED',
      reason: { code: 'skipped_by_person', text: expect.stringMatching(/skipped this step: done by hand$/) },
    });
    expect(await ran('two')).toBe(0);
  });

  it('records one audit entry for each transition and decision, and matching events', async () => {
    const id = await start('interactive', ['true']);
    await pausedRun(lab, id);
    await decided(id, 'proceed', 'step-1', { comment: 'go' });
    await lab.settled(id);
    expect(await trailOf(lab, id)).toEqual([
      ...['execution.start', 'execution.paused', 'execution.running', 'execution.decide', 'execution.succeeded'],
    ]);
    expect((await eventsOf(lab, id)).filter((each) => /^(execution|decision)/.test(each))).toEqual([
      ...['execution.status_changed PENDING', 'execution.status_changed PAUSED', 'decision.requested STEP_CONFIRM'],
      ...['execution.status_changed RUNNING', 'decision.made proceed'],
      ...['execution.status_changed SUCCEEDED', 'execution.finished SUCCEEDED'],
    ]);
  });

  it('lists the answers with members and comments, oldest first', async () => {
    const id = await start('interactive', ['true', 'true']);
    await pausedRun(lab, id);
    await decided(id, 'proceed', 'step-1', { comment: 'go' });
    await pausedRun(lab, id);
    await decided(id, 'skip', 'step-2');
    await lab.settled(id);
    const { body } = await lab.api.get<PauseAnswersView>(`/api/executions/${id}/decisions`);
    const user = { id: operator.userId, name: expect.stringMatching(/^operator/) };
    const answer = { at: expect.stringMatching(/Z$/), user, pauseReason: 'STEP_CONFIRM', hostCount: null };
    expect(body).toEqual({
      items: [
        { ...answer, stepKey: 'step-1', action: 'proceed', comment: 'go' },
        { ...answer, stepKey: 'step-2', action: 'skip', comment: null },
      ],
      moreAnswers: 0,
    });
  });

  it('ends CANCELLED when it is aborted, and frees its hosts', async () => {
    const id = await start('interactive', [mark('aborted')]);
    await pausedRun(lab, id);
    await decided(id, 'abort', 'step-1', { comment: 'wrong night' });
    const run = await lab.settled(id);
    expect(run).toMatchObject({ status: 'CANCELLED', statusReason: { code: 'aborted' } });
    expect(run.statusReason?.text).toMatch(/^Aborted by operator \d+: wrong night$/);
    expect(await ran('aborted')).toBe(0);
    expect((await lab.run(['true'])).status).toBe('SUCCEEDED');
  });
});

describe('a gate', () => {
  it('waits in every mode with its message until it is opened', async () => {
    for (const mode of ['auto', 'semi_assisted', 'interactive'] as const) {
      const id = await start(mode, [{ key: 'look', type: 'gate', message: 'Is the backup done?' }]);
      const run = await pausedRun(lab, id);
      expect(run.pause).toMatchObject({
        reason: 'GATE',
        text: 'Is the backup done?',
        stepKey: 'look',
        choices: ['proceed', 'abort'],
      });
      expect(run.steps[0]).toMatchObject({ type: 'gate', command: 'Is the backup done?' });
      await decided(id, 'proceed', 'look');
      expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    }
  });

  it('waits for its own time limit', async () => {
    const gate: LabStep = { key: 'look', type: 'gate', message: 'Well?', timeoutSeconds: 120 };
    const run = await pausedRun(lab, await start('auto', [gate]));
    expect(Date.parse(run.pause?.expiresAt ?? '') - Date.parse(run.pause?.since ?? '')).toBe(120_000);
    await decided(run.id, 'abort', 'look');
    await lab.settled(run.id);
  });
});

describe('a semi-assisted run', () => {
  it('waits only before steps with `confirm`', async () => {
    const id = await start('semi_assisted', [mark('plain'), { command: mark('confirm'), confirm: true }]);
    const run = await pausedRun(lab, id);
    expect(run.pause).toMatchObject({ reason: 'STEP_CONFIRM', stepKey: 'step-2' });
    expect([await ran('plain'), await ran('confirm')]).toEqual([2, 0]);
    await decided(id, 'proceed', 'step-2');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
  });
});

describe('a run that is requested to pause', () => {
  const pause = (id: string, api = operator.api) => api.post<Answered>(`/api/executions/${id}/pause`);

  it('pauses at the next step boundary and continues on a decision', async () => {
    const id = await start('auto', [`${mark('before')}; ${untilExists('go')}`, mark('after')]);
    await eventually('the step has begun', async () => (await ran('before')) === 2);
    const { status, body } = await pause(id);
    expect([status, body.status, body.pauseRequestedBy?.id]).toEqual([200, 'RUNNING', operator.userId]);
    await allow('go');
    const run = await pausedRun(lab, id);
    expect(run).toMatchObject({
      pause: { reason: 'REQUESTED', stepKey: 'step-2', choices: ['proceed', 'abort'] },
      pauseRequestedBy: null,
    });
    expect(await ran('after')).toBe(0);
    expect((await pause(id)).body.code).toBe('not_possible_now');
    await decided(id, 'proceed', 'step-2');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect((await pause(id)).body.code).toBe('already_finished');
    expect((await trailOf(lab, id)).filter((action) => action === 'execution.pause')).toHaveLength(1);
  });
});

describe('the mode of a run', () => {
  const mode = (id: string, execution_mode: string) =>
    operator.api.post<Answered>(`/api/executions/${id}/mode`, { execution_mode });

  it('can only be switched to fewer questions, and the current pause still needs its answer', async () => {
    const id = await start('interactive', ['true', { command: 'true', confirm: true }, 'true']);
    await pausedRun(lab, id);
    for (const to of ['interactive', 'dry_run']) {
      const { status, body } = await mode(id, to);
      expect([status, body.code, body.choices]).toEqual([409, 'not_possible_now', ['semi_assisted', 'auto']]);
    }
    expect((await mode(id, 'semi_assisted')).body).toMatchObject({ status: 'PAUSED', execution_mode: 'semi_assisted' });
    await decided(id, 'proceed');
    expect((await pausedRun(lab, id)).pause?.stepKey).toBe('step-2');
    expect((await mode(id, 'interactive')).body.choices).toEqual(['auto']);
    expect((await mode(id, 'auto')).status).toBe(200);
    await decided(id, 'proceed', 'step-2');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect((await mode(id, 'auto')).body.code).toBe('already_finished');
    expect((await trailOf(lab, id)).filter((action) => action === 'execution.switch_mode')).toHaveLength(2);
  });

  it('must be allowed by environment and plan, at the start and later', async () => {
    const environment = `/api/environments/${lab.environmentId}`;
    await lab.api.patch(environment, { allowedModes: ['interactive'] });
    const planId = await lab.plan(['true'], { allowedModes: ['interactive', 'auto'] });
    const refused = await lab.tryStart(planId, { execution_mode: 'auto' });
    expect([refused.status, (refused.body as Answered).code]).toEqual([409, 'mode_not_allowed']);
    const { id } = await lab.start(planId, { execution_mode: 'interactive' });
    await pausedRun(lab, id);
    expect((await mode(id, 'auto')).body.code).toBe('mode_not_allowed');
    await lab.api.patch(environment, { allowedModes: [] });
    expect((await mode(id, 'semi_assisted')).body.code).toBe('mode_not_allowed');
    expect((await mode(id, 'auto')).status).toBe(200);
    await decided(id, 'abort');
    await lab.settled(id);
  });
});

describe('a waiting run', () => {
  it('survives the end of all workers and continues with the next one', async () => {
    const id = await start('interactive', [mark('outlives')], { timeoutSeconds: 60 });
    await pausedRun(lab, id);
    await worker.stop();
    await decided(id, 'proceed');
    const going = await lab.get(id);
    expect(going).toMatchObject({ status: 'RUNNING', pause: null });
    expect(Date.parse(going.expiresAt ?? '') - Date.parse(going.startedAt ?? '')).toBe(60_000);
    worker = await lab.runward.worker();
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await ran('outlives')).toBe(2);
    await rm(path.join(lab.evidence, 'outlives'));
  });

  it('keeps its guard, and its time limit is suspended', async () => {
    const id = await start('interactive', ['true', 'true'], { timeoutSeconds: 60 });
    await pausedRun(lab, id);
    const overlap = await lab.tryStart(await lab.plan(['true']));
    expect([overlap.status, (overlap.body as Answered).code]).toEqual([409, 'run_overlap']);
    await decided(id, 'proceed');
    await pausedRun(lab, id);
    await lab.runward.database.query(
      `update executions set deadline_at = now() - interval '50 seconds', pause_since = now() - interval '1 hour' where id = $1`,
      [id],
    );
    await decided(id, 'proceed', 'step-2');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
  });
});
