import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '../../../test/support/eventually.js';
import type { TestMember, TestWorker } from '../../../test/support/installation.js';
import { endedRun, eventsOf, overdue, pausedRun, trailOf } from '../../../test/support/paused-run.js';
import { type LabPlan, type LabStep, type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { Problem } from '../../common/errors/problem.js';
import type { ExecutionView } from '../execution.view.js';
import type { ExecutionMode } from '../lifecycle/statuses.js';

type Answered = ExecutionView &
  Pick<Problem, 'code'> & { errors?: { path: string; code: string }[]; choices?: string[] };

let lab: RunLab;
let worker: TestWorker;
let operator: TestMember;

const decide = (id: string, body: object, api = operator.api) =>
  api.post<Answered>(`/api/executions/${id}/decisions`, body);
const decided = async (id: string, action: string, stepKey = 'step-1', more: object = {}) => {
  const { status, text } = await decide(id, { stepKey, action, ...more });
  expect([status, text]).toEqual([200, expect.any(String)]);
};
const start = async (mode: ExecutionMode, steps: (LabStep | string)[], more: LabPlan = {}) =>
  (await lab.start(await lab.plan(steps, more), { execution_mode: mode })).id;
const mark = (file: string) => `echo $(hostname) >> ${lab.evidence}/${file}`;
/** How often the command ran. */
const ran = async (file: string) => (await lab.left(file)).split('\n').length - 1;
const steps = (run: ExecutionView) => run.steps.map(({ status }) => status);
/** Fails on the second host as long as the file is not there. */
const failing = (file: string) =>
  `echo x >> ${lab.evidence}/${file}; [ $SSH_CONNECTION = x ] || true; case "$SSH_CONNECTION" in *127.0.1.2*) [ -e ${lab.evidence}/${file}.mended ];; esac`;
const mend = (file: string) => writeFile(path.join(lab.evidence, `${file}.mended`), '');
const serverId = (index: number) => lab.servers[index]?.id ?? '';

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
  operator = await lab.runward.member(lab.admin, 'operator');
  worker = await lab.runward.worker();
});
afterAll(() => lab.close());

describe('an interactive run', () => {
  it('waits before each step with what it would do, and runs what a person lets it', async () => {
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
      reason: expect.stringMatching(/skipped it: done by hand$/),
    });
    expect(await ran('two')).toBe(0);
  });

  it('leaves one audit entry for each transition and each decision, and events that tell the same', async () => {
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

  it('ends CANCELLED when a person aborts it, and frees its hosts', async () => {
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
  it('waits in every mode with its message until a person opens it', async () => {
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

  it('waits as long as its own time limit says', async () => {
    const gate: LabStep = { key: 'look', type: 'gate', message: 'Well?', timeoutSeconds: 120 };
    const run = await pausedRun(lab, await start('auto', [gate]));
    expect(Date.parse(run.pause?.expiresAt ?? '') - Date.parse(run.pause?.since ?? '')).toBe(120_000);
    await decided(run.id, 'abort', 'look');
    await lab.settled(run.id);
  });
});

describe('a semi-assisted run', () => {
  it('waits before the steps that want to be confirmed only', async () => {
    const id = await start('semi_assisted', [mark('plain'), { command: mark('confirm'), confirm: true }]);
    const run = await pausedRun(lab, id);
    expect(run.pause).toMatchObject({ reason: 'STEP_CONFIRM', stepKey: 'step-2' });
    expect([await ran('plain'), await ran('confirm')]).toEqual([2, 0]);
    await decided(id, 'proceed', 'step-2');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
  });

  const failed = async (file: string) => {
    const id = await start('semi_assisted', [failing(file), mark(`${file}-after`)]);
    const run = await pausedRun(lab, id);
    expect(run.pause).toMatchObject({
      reason: 'FAILURE_DECISION',
      text: '1 failed of 2 hosts.',
      stepKey: 'step-1',
      choices: ['retry', 'retry_failed', 'skip', 'exclude_hosts', 'abort'],
    });
    expect(await ran(file)).toBe(2);
    return id;
  };

  it('runs a step that failed again on the failed hosts', async () => {
    const id = await failed('retry-failed');
    await mend('retry-failed');
    await decided(id, 'retry_failed');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect([await ran('retry-failed'), await ran('retry-failed-after')]).toEqual([3, 2]);
    expect((await lab.results(id)).map(({ attempts }) => attempts).sort()).toEqual([1, 1, 1, 2]);
  });

  it('asks again when it fails again', async () => {
    const id = await failed('twice');
    await decided(id, 'retry_failed');
    expect((await pausedRun(lab, id)).pause?.reason).toBe('FAILURE_DECISION');
    expect(await ran('twice')).toBe(3);
    await decided(id, 'abort');
    const run = await lab.settled(id);
    expect(run.hosts.map(({ status }) => status)).toEqual(['CANCELLED', 'FAILED']);
  });

  it('runs it again on all hosts, or on those that are named', async () => {
    const id = await failed('retry');
    await decided(id, 'retry');
    await pausedRun(lab, id);
    expect(await ran('retry')).toBe(4);
    await mend('retry');
    await decided(id, 'retry', 'step-1', { serverIds: [serverId(1)] });
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await ran('retry')).toBe(5);
  });

  it('goes on without the hosts that failed', async () => {
    const id = await failed('exclude');
    await decided(id, 'exclude_hosts');
    const run = await lab.settled(id);
    expect(run).toMatchObject({ status: 'PARTIALLY_SUCCEEDED', successful: true });
    expect(run.hosts.map(({ status }) => status)).toEqual(['SUCCEEDED', 'FAILED']);
    expect(await ran('exclude-after')).toBe(1);
  });

  it('goes on with all hosts in spite of the failure', async () => {
    const id = await failed('skip');
    await decided(id, 'skip', 'step-1', { comment: 'known' });
    const run = await lab.settled(id);
    expect(run).toMatchObject({ status: 'PARTIALLY_SUCCEEDED', statusReason: { code: 'some_hosts_failed' } });
    expect(await ran('skip-after')).toBe(2);
    // What was observed stays: neither the host in that step nor the host as a whole succeeded.
    expect((await lab.results(id, 'stepKey=step-1')).map(({ status }) => status)).toEqual(['SUCCEEDED', 'FAILED']);
    expect(run.hosts.map(({ status }) => status)).toEqual(['SUCCEEDED', 'FAILED']);
    // And so it is among those that failed when they are run again.
    const again = await operator.api.post<ExecutionView>(`/api/executions/${id}/rerun`, {
      hosts: 'failed',
      snapshot: 'same',
    });
    expect([again.status, again.body.hosts.map(({ serverId: host }) => host)]).toEqual([201, [serverId(1)]]);
    await operator.api.post(`/api/executions/${again.body.id}/cancel`);
    await endedRun(lab, again.body.id);
  });

  it('takes no answer that was meant for an earlier pause at the same step', async () => {
    const id = await start('semi_assisted', [{ command: `${mark('late')}; false`, confirm: true }]);
    const asked = await pausedRun(lab, id);
    const seen = { stepKey: 'step-1', pauseSince: asked.pause?.since };
    await decided(id, 'proceed', 'step-1', seen);
    const failedNow = await pausedRun(lab, id);
    // Before the step it would have left it out; now it would go on in spite of its failure.
    const late = await decide(id, { ...seen, action: 'skip' });
    expect([late.status, late.body.code]).toEqual([409, 'not_possible_now']);
    expect(late.body).toMatchObject({ choices: failedNow.pause?.choices });
    expect((await lab.get(id)).status).toBe('PAUSED');
    await decided(id, 'abort', 'step-1', { pauseSince: failedNow.pause?.since });
    await lab.settled(id);
  });

  it('runs nothing again where nothing failed', async () => {
    const id = await failed('whole');
    const { status, body } = await decide(id, {
      stepKey: 'step-1',
      action: 'retry_failed',
      serverIds: [serverId(1), serverId(0)],
    });
    expect([status, body.code]).toEqual([409, 'nothing_to_retry']);
    expect(await ran('whole')).toBe(2);
    await decided(id, 'abort');
    await lab.settled(id);
  });

  it('refuses an answer for a server that is no host of the step', async () => {
    const id = await failed('unknown');
    const { id: elsewhere } = await lab.server({ environmentId: await lab.environment('elsewhere') });
    for (const server of ['nobody', elsewhere]) {
      for (const action of ['retry', 'retry_failed', 'exclude_hosts']) {
        const answer = await decide(id, { stepKey: 'step-1', action, serverIds: [serverId(1), server] });
        expect([answer.status, answer.body.errors?.[0]]).toMatchObject([
          400,
          { path: '/serverIds/1', code: 'unknown_server' },
        ]);
      }
    }
    const applied = await decide(id, { stepKey: 'step-1', action: 'skip', serverIds: [serverId(1)] });
    expect([applied.status, applied.body.errors?.[0]?.path]).toEqual([400, '/serverIds']);
    await decided(id, 'abort');
    await lab.settled(id);
  });

  it('keeps what was seen of the hosts when it is cancelled there', async () => {
    const id = await failed('cancelled');
    expect((await operator.api.post(`/api/executions/${id}/cancel`)).status).toBe(200);
    const run = await endedRun(lab, id);
    expect([run.status, run.hosts[1]?.status]).toEqual(['CANCELLED', 'FAILED']);
  });

  it('keeps what was seen of the hosts when nobody decides in time', async () => {
    const id = await failed('expired');
    await overdue(lab, id);
    expect((await decide(id, { stepKey: 'step-1', action: 'skip' })).body.code).toBe('not_waiting');
    const run = await endedRun(lab, id);
    expect(run).toMatchObject({ status: 'EXPIRED', statusReason: { code: 'decision_expired' } });
    expect(run.hosts[1]?.status).toBe('FAILED');
    expect(await trailOf(lab, id)).toEqual([
      ...['execution.start', 'execution.running', 'execution.paused', 'execution.expired'],
    ]);
  });
});

describe('an answer', () => {
  let id: string;
  const CHOICES = ['proceed', 'skip', 'abort'];
  beforeAll(async () => {
    id = await start('interactive', ['true', 'true']);
    await pausedRun(lab, id);
  });

  it.each([
    [{ stepKey: 'stpe-1', action: 'proceed' }, '/stepKey'],
    [{ stepKey: 'step-1', action: 'yes' }, '/action'],
    [{ stepKey: 'step-1', action: 'proceed', serverIds: ['nobody'] }, '/serverIds'],
    [{ stepKey: 'step-1', action: 'retry', serverIds: [] }, '/serverIds'],
    [{ action: 'proceed' }, '/stepKey'],
  ])('that makes no sense is refused and names the field: %j', async (body, field) => {
    const answer = await decide(id, body);
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, field]);
  });

  it('that is not possible now is refused with what is', async () => {
    for (const body of [
      { stepKey: 'step-2', action: 'proceed' },
      { stepKey: 'step-1', action: 'retry' },
      { stepKey: 'step-1', action: 'exclude_hosts' },
    ]) {
      const answer = await decide(id, body);
      expect([answer.status, answer.body.code, answer.body.choices]).toEqual([409, 'not_possible_now', CHOICES]);
    }
  });

  it('of a viewer, or without the grant, is refused', async () => {
    const viewer = await lab.runward.member(lab.admin, 'viewer');
    expect((await decide(id, { stepKey: 'step-1', action: 'proceed' }, viewer.api)).status).toBe(403);
    const environment = `/api/environments/${lab.environmentId}`;
    await lab.api.patch(environment, { access: 'restricted' });
    expect((await decide(id, { stepKey: 'step-1', action: 'proceed' })).status).toBe(404);
    await lab.api.put(`${environment}/grants/${operator.userId}`, { level: 'view' });
    expect((await decide(id, { stepKey: 'step-1', action: 'proceed' })).body.code).toBe('grant_required');
    await lab.api.patch(environment, { access: 'open' });
    await lab.api.delete(`${environment}/grants/${operator.userId}`);
  });

  it('wins alone when several come at once; the others hear that the run waits no more', async () => {
    const answers = await Promise.all(
      ['skip', 'abort', 'skip', 'abort', 'skip'].map((action) => decide(id, { stepKey: 'step-1', action })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    // By then the run goes on, or waits before its next step already.
    for (const { status, body } of answers)
      if (status !== 200)
        expect([409, 'not_waiting', 'not_possible_now']).toEqual(expect.arrayContaining([status, body.code]));
    expect((await trailOf(lab, id)).filter((action) => action === 'execution.decide')).toHaveLength(1);
  });

  it('to a run that is over is refused', async () => {
    await lab.api.get(`/api/executions/${id}?wait=20&until=settled`);
    await operator.api.post(`/api/executions/${id}/cancel`);
    await endedRun(lab, id);
    const { status, body } = await decide(id, { stepKey: 'step-1', action: 'proceed' });
    expect([status, body.code, body.choices]).toEqual([409, 'not_waiting', []]);
  });
});

describe('a run that is asked to pause', () => {
  const pause = (id: string, api = operator.api) => api.post<Answered>(`/api/executions/${id}/pause`);

  it('pauses at the next step boundary and goes on when a person says so', async () => {
    const go = path.join(lab.evidence, 'go');
    const id = await start('auto', [`${mark('before')}; until [ -e ${go} ]; do sleep 0.05; done`, mark('after')]);
    await eventually('the step has begun', async () => (await ran('before')) === 2);
    const { status, body } = await pause(id);
    expect([status, body.status, body.pauseRequestedBy]).toEqual([200, 'RUNNING', expect.stringMatching(/^operator/)]);
    await writeFile(go, '');
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

  it('is switched only towards fewer questions, and the pause that it is in still wants its answer', async () => {
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

  it('has to be one that environment and plan allow, at the start and later', async () => {
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

describe('a run that waits', () => {
  it('outlives all workers, and goes on with the next one', async () => {
    const id = await start('interactive', [mark('outlives')], { timeoutSeconds: 60 });
    await pausedRun(lab, id);
    await worker.stop();
    await decided(id, 'proceed');
    const going = await lab.get(id);
    expect(going).toMatchObject({ status: 'RUNNING', pause: null });
    // Its own time limit begins with it.
    expect(Date.parse(going.expiresAt ?? '') - Date.parse(going.startedAt ?? '')).toBe(60_000);
    worker = await lab.runward.worker();
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await ran('outlives')).toBe(2);
    await rm(path.join(lab.evidence, 'outlives'));
  });

  it('keeps its guard, and its own time limit stands still', async () => {
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
