import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decisionsOf } from '../../../test/support/decisions.js';
import { evidenceIn } from '../../../test/support/evidence.js';
import type { TestMember } from '../../../test/support/installation.js';
import { endedRun, overdue, pausedRun, trailOf } from '../../../test/support/paused-run.js';
import { type LabStep, type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { ExecutionView } from '../contract/execution.view.js';
import type { ExecutionMode } from '../lifecycle/statuses.js';

let lab: RunLab;
let operator: TestMember;

const { decide, decided } = decisionsOf(() => operator.api);
const { marks, allow } = evidenceIn(() => lab);
const start = async (mode: ExecutionMode, steps: (LabStep | string)[]) =>
  (await lab.start(await lab.plan(steps), { execution_mode: mode })).id;
const mark = (file: string) => `echo $(hostname) >> ${lab.evidence}/${file}`;
const ran = async (file: string) => (await marks(file)).length;
const failing = (file: string) =>
  `echo x >> ${lab.evidence}/${file}; case "$SSH_CONNECTION" in *127.0.1.2*) [ -e ${lab.evidence}/${file}.mended ];; esac`;
const repairStep = (file: string) => allow(`${file}.mended`);
const serverId = (index: number) => lab.servers[index]?.id ?? '';

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
  operator = await lab.runward.member(lab.admin, 'operator');
  await lab.runward.worker();
});
afterAll(() => lab.close());

describe('a semi-assisted run', () => {
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

  it('reruns a failed step on the failed hosts only', async () => {
    const id = await failed('retry-failed');
    await repairStep('retry-failed');
    await decided(id, 'retry_failed');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect([await ran('retry-failed'), await ran('retry-failed-after')]).toEqual([3, 2]);
    expect((await lab.results(id)).map(({ attempts }) => attempts).sort()).toEqual([1, 1, 1, 2]);
  });

  it('asks again when the step fails again', async () => {
    const id = await failed('twice');
    await decided(id, 'retry_failed');
    expect((await pausedRun(lab, id)).pause?.reason).toBe('FAILURE_DECISION');
    expect(await ran('twice')).toBe(3);
    await decided(id, 'abort');
    const run = await lab.settled(id);
    expect(run.hosts.map(({ status }) => status)).toEqual(['CANCELLED', 'FAILED']);
  });

  it('reruns the step on all hosts, or on the named hosts', async () => {
    const id = await failed('retry');
    await decided(id, 'retry');
    await pausedRun(lab, id);
    expect(await ran('retry')).toBe(4);
    await repairStep('retry');
    await decided(id, 'retry', 'step-1', { serverIds: [serverId(1)] });
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await ran('retry')).toBe(5);
  });

  it('continues without the failed hosts', async () => {
    const id = await failed('exclude');
    await decided(id, 'exclude_hosts');
    const run = await lab.settled(id);
    expect(run).toMatchObject({ status: 'PARTIALLY_SUCCEEDED', successful: true });
    expect(run.hosts.map(({ status }) => status)).toEqual(['SUCCEEDED', 'FAILED']);
    expect(await ran('exclude-after')).toBe(1);
  });

  it('continues with all hosts despite the failure', async () => {
    const id = await failed('skip');
    await decided(id, 'skip', 'step-1', { comment: 'known' });
    const run = await lab.settled(id);
    expect(run).toMatchObject({ status: 'PARTIALLY_SUCCEEDED', statusReason: { code: 'some_hosts_failed' } });
    expect(await ran('skip-after')).toBe(2);
    // The observed failure is kept: the host stays failed in that step and in the run.
    expect((await lab.results(id, 'stepKey=step-1')).map(({ status }) => status)).toEqual(['SUCCEEDED', 'FAILED']);
    expect(run.hosts.map(({ status }) => status)).toEqual(['SUCCEEDED', 'FAILED']);
    const again = await operator.api.post<ExecutionView>(`/api/executions/${id}/rerun`, {
      hosts: 'failed',
      snapshot: 'same',
    });
    expect([again.status, again.body.hosts.map(({ serverId: host }) => host)]).toEqual([201, [serverId(1)]]);
    await operator.api.post(`/api/executions/${again.body.id}/cancel`);
    await endedRun(lab, again.body.id);
  });

  it('rejects an answer meant for an earlier pause at the same step', async () => {
    const id = await start('semi_assisted', [{ command: `${mark('late')}; false`, confirm: true }]);
    const asked = await pausedRun(lab, id);
    const seen = { stepKey: 'step-1', pauseSince: asked.pause?.since };
    await decided(id, 'proceed', 'step-1', seen);
    const failedNow = await pausedRun(lab, id);
    // At the earlier pause, `skip` meant to omit the step. Now it would mean to continue despite the failure.
    const late = await decide(id, { ...seen, action: 'skip' });
    expect([late.status, late.body.code]).toEqual([409, 'not_possible_now']);
    expect(late.body).toMatchObject({ choices: failedNow.pause?.choices });
    expect((await lab.get(id)).status).toBe('PAUSED');
    await decided(id, 'abort', 'step-1', { pauseSince: failedNow.pause?.since });
    await lab.settled(id);
  });

  it('refuses to retry hosts that did not fail', async () => {
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

  it('refuses an answer for a server that is not a host of the step', async () => {
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

  it('keeps the observed host results when the run is cancelled there', async () => {
    const id = await failed('cancelled');
    expect((await operator.api.post(`/api/executions/${id}/cancel`)).status).toBe(200);
    const run = await endedRun(lab, id);
    expect([run.status, run.hosts[1]?.status]).toEqual(['CANCELLED', 'FAILED']);
  });

  it('keeps the observed host results when the decision expires', async () => {
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
  ])('is rejected with the field when it is invalid: %j', async (body, field) => {
    const answer = await decide(id, body);
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, field]);
  });

  it('is rejected with the possible actions when its action is not possible', async () => {
    for (const body of [
      { stepKey: 'step-2', action: 'proceed' },
      { stepKey: 'step-1', action: 'retry' },
      { stepKey: 'step-1', action: 'exclude_hosts' },
    ]) {
      const answer = await decide(id, body);
      expect([answer.status, answer.body.code, answer.body.choices]).toEqual([409, 'not_possible_now', CHOICES]);
    }
  });

  it('is rejected for a viewer, or without the grant', async () => {
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

  it('is accepted once when several arrive at the same time; the rest get a conflict', async () => {
    const answers = await Promise.all(
      ['skip', 'abort', 'skip', 'abort', 'skip'].map((action) => decide(id, { stepKey: 'step-1', action })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    // A later answer finds the run continuing, or waiting again before its next step.
    for (const { status, body } of answers)
      if (status !== 200)
        expect([409, 'not_waiting', 'not_possible_now']).toEqual(expect.arrayContaining([status, body.code]));
    expect((await trailOf(lab, id)).filter((action) => action === 'execution.decide')).toHaveLength(1);
  });

  it('is rejected when the run has finished', async () => {
    await lab.api.get(`/api/executions/${id}?wait=20&until=settled`);
    await operator.api.post(`/api/executions/${id}/cancel`);
    await endedRun(lab, id);
    const { status, body } = await decide(id, { stepKey: 'step-1', action: 'proceed' });
    expect([status, body.code, body.choices]).toEqual([409, 'not_waiting', []]);
  });
});
