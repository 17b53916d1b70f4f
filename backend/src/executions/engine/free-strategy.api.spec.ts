import { writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import type { TestWorker } from '../../../test/support/installation.js';
import { eventsOf, pausedRun } from '../../../test/support/paused-run.js';
import { type LabPlan, type LabStep, type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { startWorkerProcess, type WorkerProcess } from '../../../test/support/worker-process.js';
import type { ExecutionMode } from '../lifecycle/statuses.js';

let lab: RunLab;
let started: string | null = null;
let workers: TestWorker[] = [];
let processes: WorkerProcess[] = [];

const HOSTS = 4;
const NAMES = Array.from({ length: HOSTS }, (_, index) => `web-${index + 1}`);
const work = async (settings = {}): Promise<TestWorker> => {
  const worker = await lab.runward.worker(settings);
  workers.push(worker);
  return worker;
};
const workProcess = async (settings: NodeJS.ProcessEnv = {}): Promise<WorkerProcess> => {
  const worker = await startWorkerProcess(lab.runward, settings);
  processes.push(worker);
  return worker;
};
/** Each host leaves its name behind, in the order in which they come. */
const mark = (file: string) => `echo {{ host.name }} >> ${lab.evidence}/${file}`;
const marks = async (file: string) => (await lab.left(file)).split('\n').filter(Boolean);
const untilExists = (file: string) => `until [ -e ${lab.evidence}/${file} ]; do sleep 0.05; done`;
const allow = (file: string) => writeFile(`${lab.evidence}/${file}`, '');
/** Only on this host, by its number. */
const on = (host: number, command: string) => `if [ {{ host.name }} = web-${host} ]; then ${command}; fi`;
const start = async (
  steps: (LabStep | string)[],
  { mode = 'auto', ...more }: LabPlan & { mode?: ExecutionMode } = {},
): Promise<string> => {
  const plan = await lab.plan(steps, { strategy: 'free', ...more });
  const { id } = await lab.start(plan, { execution_mode: mode });
  started = id;
  return id;
};
const decided = async (id: string, action: string, stepKey: string, more: object = {}) => {
  const { status, text } = await lab.api.post(`/api/executions/${id}/decisions`, { stepKey, action, ...more });
  expect([status, text]).toEqual([200, expect.any(String)]);
};
const statuses = async (id: string) => (await lab.get(id)).steps.map(({ status }) => status);
/** Results as "step host status". */
const results = async (id: string) => {
  const servers = new Map(lab.servers.map((server) => [server.id, server.name]));
  return (await lab.results(id))
    .map(({ stepKey, serverId, status }) => `${stepKey} ${servers.get(serverId)} ${status}`)
    .sort();
};
/** Whether all of these are among the results. */
const hasAll = async (id: string, wanted: string[]): Promise<boolean> => {
  const found = await results(id);
  return wanted.every((each) => found.includes(each));
};
const starts = (id: string) =>
  lab.runward.database.query<{ n: number }>(
    'select count(*)::int as n from dispatches where execution_id = $1 group by step_index, server_id',
    [id],
  );
const expireLeases = async (id: string) => {
  await lab.runward.database.query(`update executions set lease_until = now() - interval '1 second' where id = $1`, [
    id,
  ]);
  await lab.runward.database.query(
    `update execution_slices set lease_until = now() - interval '1 second', created_at = created_at - interval '1 minute'
      where execution_id = $1 and finished_at is null`,
    [id],
  );
};

beforeAll(async () => {
  lab = await startRunLab({ hosts: HOSTS });
});
afterEach(async () => {
  // One that a failing test left behind would hold the hosts of the next.
  const left = started && (await lab.get(started));
  if (left && !left.finished) {
    await lab.api.post(`/api/executions/${left.id}/cancel`, {});
    await lab.settled(left.id).catch(() => undefined);
  }
  await Promise.all([...workers.map((worker) => worker.stop()), ...processes.map((each) => each.end('SIGKILL'))]);
  workers = [];
  processes = [];
});
afterAll(() => lab.close());

describe('in a free plan', () => {
  it('a fast host reaches its last step before a slow one has ended its first', async () => {
    await work();
    // The slow host ends its first step only when the others have come to the last one.
    const lastOfOthers = `until [ "$(wc -l < ${lab.evidence}/last)" -ge 3 ]; do sleep 0.05; done`;
    const id = await start([
      `${mark('first')}; touch ${lab.evidence}/last; ${on(1, lastOfOthers)}`,
      mark('second'),
      `${mark('last')}; ${on(2, untilExists('first-go'))}`,
    ]);
    await eventually('the slow host comes to its last step', async () => (await marks('last')).includes('web-1'));
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

  it('several steps are shown as running, and each is over when its last host is', async () => {
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

  it('what a host set and changed counts for its own next steps', async () => {
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

  it('a dry run gives each host a verdict for each step', async () => {
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
  it('goes straight to its cleanup, and the others on', async () => {
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

  it('stops the others when it is one too many: what runs ends, nothing but cleanup begins', async () => {
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

  it('is run again where a person wants it, and only it: the others have gone on', async () => {
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

  it('is asked about in semi-assisted mode once what runs has ended, and goes on with those who wait', async () => {
    await work();
    const mended = `[ -e ${lab.evidence}/mended ]`;
    const id = await start(
      [
        on(1, `${untilExists('asked')}; ${mended}`),
        `${mark('asked')}; ${on(2, `${untilExists('asked-go')}; ${mended}`)}`,
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
    // Both hosts were in trouble: one is asked about after the other.
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

  it('before and after a step that runs once, whose outputs are there for each of them', async () => {
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

  it('at a pause that a person asks for, wherever each of them is', async () => {
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
      await lab.api.patch(`/api/environments/${lab.environmentId}`, { protected: false });
    }
    expect(await results(id)).toEqual(['step-1 web-1 SUCCEEDED', 'step-1 web-2 SUCCEEDED', 'step-2 web-2 SUCCEEDED']);
    expect(await marks('clear-last')).toEqual([]);
  });
});

describe('a free run', () => {
  const spread = (name: string): string[] => [
    `${mark(`${name}-1`)}; ${on(1, untilExists(`${name}-go`))}; echo one`,
    `${mark(`${name}-2`)}; ${on(2, untilExists(`${name}-go`))}; echo two`,
    `${mark(`${name}-3`)}; ${on(3, untilExists(`${name}-go`))}; echo three`,
    mark(`${name}-4`),
  ];
  const isSpread = (id: string): Promise<boolean> =>
    hasAll(id, ['step-1 web-1 RUNNING', 'step-2 web-2 RUNNING', 'step-3 web-3 RUNNING']);
  const ranOnce = async (id: string, name: string): Promise<void> => {
    for (const step of [1, 2, 3, 4]) expect((await marks(`${name}-${step}`)).sort()).toEqual(NAMES);
    expect((await lab.results(id)).map(({ attempts }) => attempts)).toEqual(Array.from({ length: 4 * HOSTS }, () => 1));
    const lines = (await lab.lines(id)).map(({ text }) => text).sort();
    expect(lines).toEqual(['one', 'three', 'two'].flatMap((word) => NAMES.map(() => word)));
  };

  it('is cancelled in all of its steps, and begins none after', async () => {
    await work();
    const id = await start(spread('cancel'));
    await eventually('one is through', async () => (await isSpread(id)) && hasAll(id, ['step-4 web-4 SUCCEEDED']));
    await lab.api.post(`/api/executions/${id}/cancel`, {});
    const run = await lab.settled(id);
    expect(run.status).toBe('CANCELLED');
    expect((await results(id)).filter((each) => !each.endsWith('SUCCEEDED'))).toEqual([
      ...['step-1 web-1 CANCELLED', 'step-2 web-2 CANCELLED', 'step-3 web-3 CANCELLED'],
    ]);
    expect(run.steps.map(({ status }) => status)).toEqual(run.steps.map(() => 'CANCELLED'));
    expect(await marks('cancel-4')).toEqual(['web-4']);
  });

  it('ends with its own time limit in all of its steps', async () => {
    await work();
    const id = await start(spread('late'), { timeoutSeconds: 4 });
    const run = await lab.settled(id);
    expect(run).toMatchObject({ status: 'TIMED_OUT', statusReason: { code: 'run_timed_out' } });
    expect((await results(id)).filter((each) => !each.endsWith('SUCCEEDED'))).toEqual([
      ...['step-1 web-1 TIMED_OUT', 'step-2 web-2 TIMED_OUT', 'step-3 web-3 TIMED_OUT'],
    ]);
  });

  it('loses nothing with a worker that is killed: each host goes on from where it was', async () => {
    const doomed = await workProcess();
    const id = await start(spread('kill'));
    await eventually('hosts are in three steps', () => isSpread(id));
    await doomed.end('SIGKILL');
    await expireLeases(id);
    await work();
    await allow('kill-go');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    await ranOnce(id, 'kill');
  });

  it('is handed over by a worker that is stopped', async () => {
    const first = await work();
    const id = await start(spread('drain'));
    await eventually('hosts are in three steps', () => isSpread(id));
    await first.stop();
    await work();
    await allow('drain-go');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    await ranOnce(id, 'drain');
  });

  it('is shared among workers, who each have their hosts go on', async () => {
    await Promise.all([work({ sliceHosts: 2, runSlots: 1 }), work({ sliceHosts: 2, runSlots: 1 })]);
    const id = await start(spread('share'));
    await eventually('hosts are in three steps', () => isSpread(id));
    const slices = await lab.runward.database.query<{ owner: string }>(
      'select owner from execution_slices where execution_id = $1',
      [id],
    );
    expect([slices.length, new Set(slices.map(({ owner }) => owner)).size]).toEqual([2, 2]);
    await allow('share-go');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    await ranOnce(id, 'share');
  });

  it('loses nothing of its slices with a worker that is killed', async () => {
    const settings = { RUNWARD_SLICE_HOSTS: '2' };
    const doomed = await workProcess(settings);
    const id = await start(spread('slices'));
    await eventually('hosts are in three steps', () => isSpread(id));
    await doomed.end('SIGKILL');
    await expireLeases(id);
    await Promise.all([work({ sliceHosts: 2 }), work({ sliceHosts: 2 })]);
    await allow('slices-go');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    await ranOnce(id, 'slices');
  });

  it('is run again from a step', async () => {
    await work();
    const id = await start([mark('again-1'), mark('again-2'), mark('again-3')]);
    await lab.settled(id);
    const { body } = await lab.api.post<{ id: string }>(`/api/executions/${id}/rerun`, {
      ...{ hosts: 'all', snapshot: 'same', fromStepKey: 'step-2' },
    });
    expect((await lab.settled(body.id)).steps.map(({ status }) => status)).toEqual([
      ...['SKIPPED', 'SUCCEEDED', 'SUCCEEDED'],
    ]);
    expect((await marks('again-1')).sort()).toEqual(NAMES);
    expect((await marks('again-3')).sort()).toEqual(NAMES.flatMap((name) => [name, name]));
  });
});
