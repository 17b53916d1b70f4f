import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ApprovalLab, startApprovalLab } from '../../../test/support/approval-lab.js';
import { eventually } from '../../../test/support/eventually.js';
import type { TestMember } from '../../../test/support/installation.js';
import type { LabStep } from '../../../test/support/run-lab.js';
import type { ExecutionMode } from '../lifecycle/statuses.js';

let lab: ApprovalLab;
let starter: TestMember;
let id: string;
let numbered = 0;
let file: string;

const secret = (value: string) =>
  lab.api.put(`/api/environments/${lab.environmentId}/variables/TOKEN`, { value, secret: true });
const mark = (name: string) => `echo ${name} $TOKEN >> ${lab.evidence}/${file}`;
/** Like `mark`, but waits until the test calls `letGo`. */
const held = (name: string) => `${mark(name)}; until [ -e ${lab.evidence}/${file}.go ]; do sleep 0.05; done`;
const releaseRun = () => writeFile(path.join(lab.evidence, `${file}.go`), '');
const left = async () => (await lab.left(file)).split('\n').filter(Boolean);
const decide = async (stepKey: string, action: string) => {
  const { status, text } = await lab.operator.api.post(`/api/executions/${id}/decisions`, { stepKey, action });
  expect([status, text]).toEqual([200, expect.any(String)]);
};
const approve = async () => {
  const { digest } = await lab.get(id);
  expect((await lab.approve(id, lab.approver.api, { digest })).status).toBe(200);
};
async function approvedRun(mode: ExecutionMode, steps: (LabStep | string)[], targets = 'name=web-1'): Promise<void> {
  const run = await lab.waiting(await lab.plan(steps, { targets }), starter.api, { execution_mode: mode });
  id = run.id;
  await approve();
}
const waitForApproval = async (code: string) => {
  const run = await lab.paused(id);
  expect(run).toMatchObject({ pause: { reason: 'APPROVAL' }, approval: { state: 'pending', reason: { code } } });
  return run;
};

beforeAll(async () => {
  lab = await startApprovalLab({ hosts: 2 });
  await lab.runward.worker();
});
beforeEach(async () => {
  numbered += 1;
  file = `clearance-${numbered}`;
  starter = await lab.runward.member(lab.admin, 'operator');
  await lab.grant(lab.approver, 'approve');
  await secret('first');
});
afterEach(async () => {
  await releaseRun();
  await lab.api.post(`/api/executions/${id}/cancel`);
  await lab.ended(id);
});
afterAll(() => lab.close());

describe('before a run begins', () => {
  const server = () => `/api/inventory/servers/${lab.servers[0]?.id}`;
  const put = async (fields: object) => expect((await lab.api.patch(server(), fields)).status).toBe(200);
  const start = async (mode: ExecutionMode = 'auto') => {
    const planId = await lab.plan([mark('one')], { targets: 'name in (web-1, web-2)' });
    id = (await lab.waiting(planId, starter.api, { execution_mode: mode })).id;
  };
  const expectCancelled = async () => {
    const run = await lab.ended(id);
    expect(run).toMatchObject({ status: 'CANCELLED', statusReason: { code: 'hosts_gone' } });
    expect(run.statusReason?.text).toContain('"web-1" is no longer an enabled server of');
    expect(await left()).toEqual([]);
  };
  afterEach(() => put({ enabled: true, environmentId: lab.environmentId }));

  it('it ends CANCELLED when one of its servers was disabled while it waited for approval', async () => {
    await start();
    await put({ enabled: false });
    await approve();
    await expectCancelled();
  });

  it('it ends CANCELLED when one of its servers was moved to another environment while it waited', async () => {
    await start();
    await put({ environmentId: await lab.environment('elsewhere') });
    await approve();
    await expectCancelled();
  });

  it('it ends CANCELLED when that happens while it waits before its first step', async () => {
    await start('interactive');
    await approve();
    await eventually('it waits there', async () => (await lab.get(id)).pause?.reason === 'STEP_CONFIRM');
    await put({ enabled: false });
    await decide('step-1', 'proceed');
    await expectCancelled();
  });
});

describe('between two steps', () => {
  it('a run continues with a server that was disabled since it began', async () => {
    await approvedRun('auto', [held('one'), mark('two')]);
    await eventually('the first step runs', async () => (await left()).length === 1);
    expect((await lab.api.patch(`/api/inventory/servers/${lab.servers[0]?.id}`, { enabled: false })).status).toBe(200);
    await releaseRun();
    expect((await lab.ended(id)).status).toBe('SUCCEEDED');
    expect(await left()).toEqual(['one first', 'two first']);
    expect((await lab.api.patch(`/api/inventory/servers/${lab.servers[0]?.id}`, { enabled: true })).status).toBe(200);
  });
});

describe('between two steps', () => {
  beforeEach(async () => {
    await approvedRun('auto', [held('one'), mark('two')]);
    await eventually('the first step runs', async () => (await left()).length === 1);
  });

  it('a run returns to approval when a secret was changed, and continues with the new value', async () => {
    await secret('second');
    await releaseRun();
    await waitForApproval('secret_changed');
    expect(await left()).toEqual(['one first']);
    await approve();
    expect((await lab.ended(id)).status).toBe('SUCCEEDED');
    expect(await left()).toEqual(['one first', 'two second']);
    expect((await lab.trail(id)).filter((action) => action === 'execution.paused')).toHaveLength(1);
  });

  it('a run returns to approval when its approver may no longer approve', async () => {
    await lab.grant(lab.approver, 'run');
    await releaseRun();
    await waitForApproval('approver_not_allowed');
    expect(await left()).toEqual(['one first']);
    expect((await lab.reject(id, lab.second.api)).body.status).toBe('REJECTED');
    const run = await lab.get(id);
    expect(run.steps.map(({ status }) => status)).toEqual(['SUCCEEDED', 'CANCELLED']);
  });

  it('a run ends CANCELLED when its requester may no longer run', async () => {
    await lab.api.patch(`/api/members/${starter.userId}`, { disabled: true });
    await releaseRun();
    const run = await lab.ended(id);
    expect(run).toMatchObject({ status: 'CANCELLED', statusReason: { code: 'starter_not_allowed' } });
    expect(run.steps.map(({ status }) => status)).toEqual(['SUCCEEDED', 'CANCELLED']);
    expect(await left()).toEqual(['one first']);
  });
});

describe('between two batches of a step', () => {
  it('a run returns to approval, and continues with the remaining hosts once approved', async () => {
    await approvedRun('auto', [{ command: held('one'), batch: '1' }], '');
    await eventually('the first host runs', async () => (await left()).length === 1);
    await secret('second');
    await releaseRun();
    await waitForApproval('secret_changed');
    expect(await left()).toEqual(['one first']);
    await approve();
    const run = await lab.ended(id);
    expect(run.status).toBe('SUCCEEDED');
    expect(run.steps[0]?.counts).toEqual({ SUCCEEDED: 2 });
    expect(await left()).toEqual(['one first', 'one second']);
  });

  it('a run that is cancelled while it waits there ends, and leaves the remaining hosts alone', async () => {
    await approvedRun('auto', [{ command: held('one'), batch: '1' }], '');
    await eventually('the first host runs', async () => (await left()).length === 1);
    await secret('second');
    await releaseRun();
    await waitForApproval('secret_changed');
    await lab.api.post(`/api/executions/${id}/cancel`);
    const run = await lab.ended(id);
    expect(run.hosts.map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED']);
    expect(run.steps[0]?.counts).toEqual({ SUCCEEDED: 1, CANCELLED: 1 });
    expect(await left()).toEqual(['one first']);
  });
});

describe('between two attempts of a step', () => {
  const again = { retries: { count: 3, delaySeconds: 0, backoff: 'constant' as const } };
  beforeEach(async () => {
    // The first step fails until the secret has its second value.
    await approvedRun('auto', [{ command: `${held('one')}; [ "$TOKEN" = second ]`, ...again }, mark('two')]);
    await eventually('the first attempt runs', async () => (await left()).length === 1);
  });

  it('a run returns to approval when a secret was changed, and continues with the next attempt once approved', async () => {
    await secret('second');
    await releaseRun();
    const { steps } = await waitForApproval('secret_changed');
    expect(steps[0]).toMatchObject({ status: 'RUNNING', counts: { PENDING: 1 } });
    expect(await left()).toEqual(['one first']);
    await approve();
    expect((await lab.ended(id)).status).toBe('SUCCEEDED');
    expect(await left()).toEqual(['one first', 'one second', 'two second']);
    expect((await lab.results(id, 'stepKey=step-1')).map(({ attempts }) => attempts)).toEqual([2]);
  });

  it('a run returns to approval when its approver may no longer approve, and can be rejected there', async () => {
    await lab.grant(lab.approver, 'run');
    await releaseRun();
    await waitForApproval('approver_not_allowed');
    expect(await left()).toEqual(['one first']);
    expect((await lab.reject(id, lab.second.api)).body.status).toBe('REJECTED');
    expect((await lab.results(id))[0]).toMatchObject({
      status: 'CANCELLED',
      attempts: 1,
      reason: { text: 'The run ended before the next attempt on this host. The previous attempt failed.' },
    });
  });

  it('a run ends CANCELLED when its requester may no longer run', async () => {
    await lab.api.patch(`/api/members/${starter.userId}`, { role: 'viewer' });
    await releaseRun();
    const run = await lab.ended(id);
    expect(run).toMatchObject({ status: 'CANCELLED', statusReason: { code: 'starter_not_allowed' } });
    expect(run.steps.map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED']);
    expect(await left()).toEqual(['one first']);
  });
});

describe('when a person continues it', () => {
  it.each([
    ['a step that was to be confirmed', 'interactive', { key: 'step-2' }, 'proceed'],
    ['a gate', 'auto', { key: 'step-2', type: 'gate', message: 'Well?' }, 'proceed'],
  ] as const)('a run returns to approval before %s', async (_, mode, second, action) => {
    const last = mark('last');
    await approvedRun(mode, [mark('one'), 'type' in second ? second : { ...second, command: last }, last]);
    if (mode === 'interactive') {
      await lab.paused(id);
      await decide('step-1', 'proceed');
    }
    await eventually('the second pause', async () => (await lab.get(id)).pause?.stepKey === 'step-2');
    await secret('second');
    await decide('step-2', action);
    await eventually('the run waits again', async () => (await lab.get(id)).pause?.reason === 'APPROVAL');
    await waitForApproval('secret_changed');
    expect(await left()).toEqual(['one first']);
    await approve();
    await eventually('the next step ran', async () => (await left()).length === 2);
    expect((await left()).at(-1)).toBe('last second');
  });

  it('a failed step is not rerun before it is approved again', async () => {
    await approvedRun('semi_assisted', [`${mark('one')}; [ -e ${lab.evidence}/${file}.go ]`]);
    expect((await lab.paused(id)).pause?.reason).toBe('FAILURE_DECISION');
    await secret('second');
    await releaseRun();
    await decide('step-1', 'retry_failed');
    await eventually('the run waits again', async () => (await lab.get(id)).pause?.reason === 'APPROVAL');
    expect(await left()).toEqual(['one first']);
    await approve();
    expect((await lab.ended(id)).status).toBe('SUCCEEDED');
    expect(await left()).toEqual(['one first', 'one second']);
  });

  it('a failed step is not rerun for a requester who may no longer run there', async () => {
    await approvedRun('semi_assisted', [`${mark('one')}; false`]);
    await lab.paused(id);
    await lab.api.patch(`/api/members/${starter.userId}`, { role: 'viewer' });
    await decide('step-1', 'retry');
    const run = await lab.ended(id);
    expect(run).toMatchObject({ status: 'CANCELLED', statusReason: { code: 'starter_not_allowed' } });
    expect(await left()).toEqual(['one first']);
  });
});
