import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { decisionsOf } from '../../../test/support/decisions.js';
import { changePolicy } from '../../../test/support/environment-policy.js';
import { eventually } from '../../../test/support/eventually.js';
import { evidenceIn } from '../../../test/support/evidence.js';
import { freeRuns, HOSTS, NAMES } from '../../../test/support/free-runs.js';
import { labWorkers } from '../../../test/support/lab-workers.js';
import { eventsOf, pausedRun } from '../../../test/support/paused-run.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';

let lab: RunLab;

const { work, endWorkers } = labWorkers(() => lab.runward);
const { marks, untilExists, allow } = evidenceIn(() => lab);
const { decided } = decisionsOf(() => lab.api);
const { mark, on, start, results, hasAll, endRemaining } = freeRuns(() => lab);
const statuses = async (id: string) => (await lab.get(id)).steps.map(({ status }) => status);
const starts = (id: string) =>
  lab.runward.database.query<{ n: number }>(
    'select count(*)::int as n from dispatches where execution_id = $1 group by step_index, server_id',
    [id],
  );

beforeAll(async () => {
  lab = await startRunLab({ hosts: HOSTS });
});
afterEach(async () => {
  await endRemaining();
  await endWorkers();
});
afterAll(() => lab.close());

describe('in a free plan', () => {
  it('lets a fast host reach its last step before a slow host ends its first', async () => {
    await work();
    const waitForOthersCommand = `until [ "$(wc -l < ${lab.evidence}/last)" -ge 3 ]; do sleep 0.05; done`;
    const id = await start([
      `${mark('first')}; touch ${lab.evidence}/last; ${on(1, waitForOthersCommand)}`,
      mark('second'),
      `${mark('last')}; ${on(2, untilExists('first-go'))}`,
    ]);
    await eventually('the slow host reaches its last step', async () => (await marks('last')).includes('web-1'));
    expect((await marks('last')).at(-1)).toBe('web-1');
    await allow('first-go');
    const run = await lab.settled(id);
    expect(run).toMatchObject({ status: 'SUCCEEDED' });
    expect(run.steps.map(({ status, counts }) => [status, counts])).toEqual(
      run.steps.map(() => ['SUCCEEDED', { SUCCEEDED: HOSTS }]),
    );
    for (const file of ['first', 'second', 'last']) expect((await marks(file)).sort()).toEqual(NAMES);
    expect((await starts(id)).map(({ n }) => n)).toEqual(Array.from({ length: 3 * HOSTS }, () => 1));
  });

  it('shows several steps as running, and ends each with its last host', async () => {
    await work();
    const id = await start([on(1, untilExists('shown-1')), on(2, untilExists('shown-2')), 'true']);
    await eventually('one host is through', () => hasAll(id, ['step-3 web-3 SUCCEEDED', 'step-2 web-2 RUNNING']));
    expect(await statuses(id)).toEqual(['RUNNING', 'RUNNING', 'RUNNING']);
    await allow('shown-1');
    await eventually('the first step is over', async () => (await statuses(id))[0] === 'SUCCEEDED');
    await eventually('one host is left', async () => (await results(id)).includes('step-3 web-1 SUCCEEDED'));
    expect(await statuses(id)).toEqual(['SUCCEEDED', 'RUNNING', 'RUNNING']);
    await allow('shown-2');
    await lab.settled(id);
    expect((await eventsOf(lab, id)).filter((each) => each.startsWith('step.'))).toHaveLength(6);
  });

  it('applies what a host set and changed to its own next steps', async () => {
    await work();
    const id = await start([
      {
        command: `echo word=from-{{ host.name }} >> "$RUNWARD_OUTPUT"; ${on(1, 'exit 3')}`,
        outputs: ['word'],
        changedExitCodes: [3],
      },
      { command: mark('handled'), onlyIfChanged: ['step-1'] },
      { command: `echo {{ steps['step-1'].outputs.word }} >> ${lab.evidence}/words`, when: 'host.name != "web-4"' },
    ]);
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await marks('handled')).toEqual(['web-1']);
    expect((await marks('words')).sort()).toEqual(['from-web-1', 'from-web-2', 'from-web-3']);
    expect((await results(id)).filter((each) => each.includes('SKIPPED'))).toEqual(['step-3 web-4 SKIPPED']);
  });

  it('has a verdict for each host and step in a dry run', async () => {
    await work();
    const id = await start([mark('dry'), mark('dry')], { mode: 'dry_run' });
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect((await lab.results(id)).map(({ verdict }) => verdict)).toEqual(
      Array.from({ length: 2 * HOSTS }, () => 'WOULD_RUN'),
    );
    expect(await marks('dry')).toEqual([]);
  });
});

describe('a host that fails in a free plan', () => {
  it('continues directly with its cleanup, while other hosts continue with the plan', async () => {
    await work();
    const id = await start(
      [
        `${on(1, 'exit 1')}; ${on(2, untilExists('cleaned'))}`,
        mark('after'),
        { command: `${mark('cleanup')}; ${on(1, `touch ${lab.evidence}/cleaned`)}`, always: true },
      ],
      { maxFailPercent: 50 },
    );
    const run = await lab.settled(id);
    expect(run).toMatchObject({ status: 'PARTIALLY_SUCCEEDED' });
    expect(run.steps.map(({ status }) => status)).toEqual(['PARTIALLY_SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']);
    expect((await marks('after')).sort()).toEqual(['web-2', 'web-3', 'web-4']);
    expect((await marks('cleanup')).sort()).toEqual(NAMES);
  });

  it('stops other hosts when it exceeds the failure limit: running steps end, and only cleanup starts', async () => {
    await work();
    const id = await start([
      `${on(1, `${untilExists('limit-1')}; exit 1`)}; ${on(3, untilExists('limit-3'))}`,
      `${mark('limit')}; ${on(2, untilExists('limit-2'))}`,
      mark('limit-later'),
      { command: mark('limit-cleanup'), always: true },
    ]);
    await eventually('one is through, one waits', () => hasAll(id, ['step-4 web-4 SUCCEEDED', 'step-2 web-2 RUNNING']));
    await allow('limit-1');
    await eventually('it failed and cleaned up', async () => (await marks('limit-cleanup')).includes('web-1'));
    await Promise.all([allow('limit-2'), allow('limit-3')]);
    const run = await lab.settled(id);
    expect(run).toMatchObject({ status: 'FAILED' });
    expect(run.steps.map(({ status }) => status)).toEqual([
      ...['FAILED', 'PARTIALLY_SUCCEEDED', 'PARTIALLY_SUCCEEDED', 'SUCCEEDED'],
    ]);
    expect((await marks('limit')).sort()).toEqual(['web-2', 'web-4']);
    expect(await marks('limit-later')).toEqual(['web-4']);
    expect((await marks('limit-cleanup')).sort()).toEqual(NAMES);
  });

  it('is rerun alone when a person decides so, while other hosts have continued', async () => {
    await work();
    const id = await start(
      [`${mark('anew')}; ${on(1, `${untilExists('anew-2')}; [ -e ${lab.evidence}/anew-mended ]`)}`, mark('anew-2')],
      { mode: 'semi_assisted', targets: 'name in (web-1, web-2)' },
    );
    const paused = await pausedRun(lab, id);
    expect(paused.pause).toMatchObject({ reason: 'FAILURE_DECISION', stepKey: 'step-1' });
    const [first, second] = lab.servers.map((server) => server.id);
    const body = { stepKey: 'step-1', action: 'retry', serverIds: [second] };
    const refused = await lab.api.post<{ code: string }>(`/api/executions/${id}/decisions`, body);
    expect([refused.status, refused.body.code]).toEqual([409, 'nothing_to_retry']);
    await allow('anew-mended');
    await decided(id, 'retry', 'step-1');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await marks('anew')).toHaveLength(3);
    expect((await marks('anew-2')).sort()).toEqual(['web-1', 'web-2']);
    const [made] = await lab.runward.database.query<{ ids: string[] }>(
      `select data->'serverIds' as ids from execution_events where execution_id = $1 and type = 'decision.made'`,
      [id],
    );
    expect(made?.ids).toEqual([first]);
  });

  it('pauses the run in semi-assisted mode once running steps have ended, then continues with the waiting hosts', async () => {
    await work();
    const isRepairedCommand = `[ -e ${lab.evidence}/mended ]`;
    const id = await start(
      [
        on(1, `${untilExists('asked')}; ${isRepairedCommand}`),
        `${mark('asked')}; ${on(2, `${untilExists('asked-go')}; ${isRepairedCommand}`)}`,
        mark('asked-last'),
      ],
      { mode: 'semi_assisted', targets: 'name in (web-1, web-2)' },
    );
    await eventually('one waits', async () => (await results(id)).includes('step-2 web-2 RUNNING'));
    expect((await lab.get(id)).status).toBe('RUNNING');
    await allow('asked-go');
    expect((await pausedRun(lab, id)).pause).toMatchObject({ reason: 'FAILURE_DECISION', stepKey: 'step-1' });
    await allow('mended');
    await decided(id, 'retry_failed', 'step-1');
    await eventually('the second one', async () => (await lab.get(id)).pause?.stepKey === 'step-2');
    await decided(id, 'skip', 'step-2');
    const run = await lab.settled(id);
    expect(run).toMatchObject({ status: 'PARTIALLY_SUCCEEDED' });
    expect((await marks('asked')).sort()).toEqual(['web-1', 'web-2']);
    expect((await marks('asked-last')).sort()).toEqual(['web-1', 'web-2']);
  });
});

describe('all hosts of a free plan meet', () => {
  it('at a gate', async () => {
    await work();
    const id = await start([
      on(1, untilExists('gate-1')),
      mark('before-gate'),
      { type: 'gate', message: 'All of them?' },
      mark('after-gate'),
      mark('after-gate'),
    ]);
    await eventually('three wait for the fourth', async () => (await marks('before-gate')).length === 3);
    expect((await lab.get(id)).status).toBe('RUNNING');
    await allow('gate-1');
    expect((await pausedRun(lab, id)).pause).toMatchObject({ reason: 'GATE', stepKey: 'step-3' });
    expect([await marks('before-gate'), await marks('after-gate')]).toMatchObject([{ length: HOSTS }, []]);
    await decided(id, 'proceed', 'step-3');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await marks('after-gate')).toHaveLength(2 * HOSTS);
  });

  it('before and after a step that runs once, whose outputs are available to each of them', async () => {
    await work();
    const id = await start([
      `${on(4, untilExists('once-go'))}; ${mark('met')}`,
      { command: `echo "seen=$(wc -l < ${lab.evidence}/met)" >> $RUNWARD_OUTPUT`, runOnce: true, outputs: ['seen'] },
      `echo {{ steps['step-2'].outputs.seen }} >> ${lab.evidence}/seen`,
    ]);
    await eventually('three wait', async () => (await marks('met')).length === 3);
    await allow('once-go');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await marks('seen')).toEqual(NAMES.map(() => String(HOSTS)));
  });

  it('at a pause that a person requests, wherever each of them is', async () => {
    await work();
    const id = await start([on(1, untilExists('ask-1')), on(2, untilExists('ask-2')), mark('ask-last')], {
      targets: 'name in (web-1, web-2)',
    });
    await eventually('each is somewhere', async () => (await results(id)).includes('step-2 web-2 RUNNING'));
    await lab.api.post(`/api/executions/${id}/pause`, {});
    await Promise.all([allow('ask-1'), allow('ask-2')]);
    expect((await pausedRun(lab, id)).pause).toMatchObject({ reason: 'REQUESTED', stepKey: 'step-2' });
    expect(await marks('ask-last')).toEqual([]);
    await decided(id, 'proceed', 'step-2');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect((await marks('ask-last')).sort()).toEqual(['web-1', 'web-2']);
    expect((await starts(id)).map(({ n }) => n)).toEqual(Array.from({ length: 6 }, () => 1));
  });
});

describe('a host of a free plan', () => {
  it('begins no further step when the run is no longer cleared: the run waits for approval', async () => {
    await work();
    const id = await start([on(1, untilExists('clear-1')), on(2, untilExists('clear-2')), mark('clear-last')], {
      targets: 'name in (web-1, web-2)',
    });
    await eventually('each is somewhere', () => hasAll(id, ['step-1 web-1 RUNNING', 'step-2 web-2 RUNNING']));
    await lab.api.patch(`/api/environments/${lab.environmentId}`, { protected: true });
    try {
      await Promise.all([allow('clear-1'), allow('clear-2')]);
      expect((await pausedRun(lab, id)).pause).toMatchObject({ reason: 'APPROVAL' });
    } finally {
      await changePolicy(lab.api, lab.environmentId, { protected: false });
    }
    expect(await results(id)).toEqual(['step-1 web-1 SUCCEEDED', 'step-1 web-2 SUCCEEDED', 'step-2 web-2 SUCCEEDED']);
    expect(await marks('clear-last')).toEqual([]);
  });

  it.each([
    ['alone', {}],
    ['in a slice', { sliceHosts: 1 }],
  ])('makes no further attempt before the run is approved, when it is no longer cleared: %s', async (how, more) => {
    await work(more);
    const environment = `/api/environments/${lab.environmentId}`;
    const file = `again-${how.replaceAll(' ', '-')}`;
    const again = `${mark(file)}; [ "$(grep -c {{ host.name }} ${lab.evidence}/${file})" -ge 2 ]`;
    const failing = { key: 'failing', command: again, retries: { count: 3, delaySeconds: 2 } };
    const id = await start([failing, mark(`${file}-last`)], { targets: 'name in (web-1, web-2)' });
    await eventually('both have failed once', async () => (await marks(file)).length === 2);
    await lab.api.patch(environment, { protected: true, allowSelfApproval: true });
    try {
      const { pause, digest } = await pausedRun(lab, id);
      expect(pause).toMatchObject({ reason: 'APPROVAL' });
      expect((await marks(file)).sort()).toEqual(['web-1', 'web-2']);
      expect((await lab.api.post(`/api/executions/${id}/approve`, { digest })).status).toBe(200);
      expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    } finally {
      await changePolicy(lab.api, environment, { protected: false, allowSelfApproval: false });
    }
    expect((await marks(file)).sort()).toEqual(['web-1', 'web-1', 'web-2', 'web-2']);
    expect((await marks(`${file}-last`)).sort()).toEqual(['web-1', 'web-2']);
  });
});
