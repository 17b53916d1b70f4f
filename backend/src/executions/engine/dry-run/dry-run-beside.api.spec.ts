import { writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type DryLab, startDryLab } from '../../../../test/support/dry-lab.js';
import { changePolicy } from '../../../../test/support/environment-policy.js';
import { eventually } from '../../../../test/support/eventually.js';
import type { TestWorker } from '../../../../test/support/installation.js';
import { startWorkerProcess, type WorkerProcess } from '../../../../test/support/worker-process.js';

let dry: DryLab;
let worker: TestWorker;
let processes: WorkerProcess[] = [];

const mark = (file: string) => `echo x >> ${dry.lab.evidence}/${file}`;
const until = (file: string) => `until [ -e ${dry.lab.evidence}/${file} ]; do sleep 0.05; done`;
const allow = (file: string) => writeFile(`${dry.lab.evidence}/${file}`, '');
const protect = async (isProtected: boolean) => {
  const { status, body } = await changePolicy(dry.lab.api, dry.environmentId, { protected: isProtected });
  expect([status, body.protected]).toEqual([200, isProtected]);
};
const ONE = { targets: 'name=one' };
const verdictOf = async (id: string, key: string) => (await dry.cells(id)).get(`${key} one`);

beforeAll(async () => {
  dry = await startDryLab();
  worker = await dry.lab.runward.worker();
});
afterAll(() => dry.close());

describe('a dry run in a protected environment', () => {
  afterEach(() => protect(false));

  it('does not wait, starts no check, says so, and reports that a real run would need approval', async () => {
    await protect(true);
    const before = await dry.listTraces();
    const planId = await dry.plan(
      [
        { key: 'a', command: mark('a'), check: mark('checked') },
        { key: 'b', command: mark('b') },
      ],
      ONE,
    );
    const run = await dry.dryRun(planId);
    expect(run).toMatchObject({ status: 'SUCCEEDED', approval: null, forecast: { approvalRequired: true } });
    expect(await verdictOf(run.id, 'a')).toMatchObject({
      verdict: 'CANNOT_PREDICT',
      reason: { code: 'check_needs_approval' },
      diff: null,
    });
    expect(await verdictOf(run.id, 'b')).toMatchObject({ verdict: 'WOULD_RUN' });
    expect(await dry.listTraces()).toEqual(before);
  });

  it('starts no further check when the environment becomes protected during the run', async () => {
    const planId = await dry.plan(
      [
        { key: 'a', command: 'true', check: `${mark('asked')}; ${until('protected')}` },
        { key: 'b', command: 'true', check: mark('second') },
      ],
      ONE,
    );
    const { id } = await dry.lab.start(planId, { execution_mode: 'dry_run' });
    await eventually('the first check runs', async () => (await dry.lab.left('asked')) !== '');
    await protect(true);
    await allow('protected');
    expect((await dry.lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await verdictOf(id, 'a')).toMatchObject({ verdict: 'NO_CHANGE' });
    expect(await verdictOf(id, 'b')).toMatchObject({
      verdict: 'CANNOT_PREDICT',
      reason: { code: 'check_needs_approval' },
    });
    expect(await dry.lab.left('second')).toBe('');
  });
});

describe('a dry run during a run on the same hosts', () => {
  it('takes no guard, is refused by none, disturbs nothing, and predicts the conflict', async () => {
    const planId = await dry.plan([{ key: 'a', command: `${mark('begun')}; ${until('end')}; ${mark('done')}` }], ONE);
    const real = await dry.lab.start(planId);
    await eventually('the real run has begun', async () => (await dry.lab.left('begun')) !== '');
    const twice = await Promise.all([dry.dryRun(planId), dry.dryRun(planId)]);
    for (const run of twice) {
      expect(run).toMatchObject({ status: 'SUCCEEDED', forecast: { approvalRequired: false, hiddenConflicts: 0 } });
      expect(run.forecast?.conflicts).toMatchObject([{ executionId: real.id }]);
    }
    const keys = await dry.lab.runward.database.query<{ execution_id: string }>('select execution_id from guard_keys');
    expect(new Set(keys.map(({ execution_id }) => execution_id))).toEqual(new Set([real.id]));
    expect((await dry.lab.get(real.id)).status).toBe('RUNNING');
    await allow('end');
    expect((await dry.lab.settled(real.id)).status).toBe('SUCCEEDED');
    expect([await dry.lab.left('begun'), await dry.lab.left('done')]).toEqual(['x\n', 'x\n']);
    expect((await dry.lab.get(twice[0].id)).forecast?.conflicts).toEqual([]);
  });
});

describe('the digest of a dry run', () => {
  it('permits the start of exactly the same run and nothing else', async () => {
    const variables = [{ name: 'word', type: 'string', default: 'a' }];
    const planId = await dry.plan([{ key: 'a', command: 'echo {{ word }}' }], { ...ONE, variables });
    const { digest: expectedDigest } = await dry.dryRun(planId);
    const other = await dry.lab.tryStart(planId, { expectedDigest, variables: { word: 'b' } });
    expect([other.status, other.body]).toMatchObject([409, { code: 'digest_changed' }]);
    const same = await dry.lab.tryStart(planId, { expectedDigest });
    expect([same.status, same.body.digest]).toEqual([201, expectedDigest]);
    expect((await dry.lab.settled(same.body.id)).status).toBe('SUCCEEDED');
  });
});

describe('a dry run that is cancelled or exceeds its time limit', () => {
  it('ends its checks and leaves the remaining steps without a verdict', async () => {
    const planId = await dry.plan(
      [
        { key: 'a', command: 'true', check: `${mark('waiting')}; sleep 300` },
        { key: 'b', command: 'true' },
      ],
      ONE,
    );
    const { id } = await dry.lab.start(planId, { execution_mode: 'dry_run' });
    await eventually('the check runs', async () => (await dry.lab.left('waiting')) !== '');
    await dry.lab.api.post(`/api/executions/${id}/cancel`, {});
    expect(await dry.lab.settled(id)).toMatchObject({
      status: 'CANCELLED',
      steps: [{ status: 'CANCELLED' }, { status: 'CANCELLED' }],
    });
    expect(await verdictOf(id, 'a')).toMatchObject({
      status: 'CANCELLED',
      verdict: null,
      reason: { code: 'cancelled' },
    });
  });

  it("ends TIMED_OUT at the plan's own limit", async () => {
    const run = await dry.dryRun(
      await dry.plan([{ key: 'a', command: 'true', check: 'sleep 300' }], { ...ONE, timeoutSeconds: 1 }),
    );
    expect(run.status).toBe('TIMED_OUT');
    expect(await verdictOf(run.id, 'a')).toMatchObject({
      status: 'TIMED_OUT',
      verdict: null,
      reason: { code: 'run_timed_out' },
    });
  });
});

describe('a worker that is stopped during a dry run', () => {
  it('finishes its check, and the next worker continues with the other steps', async () => {
    const planId = await dry.plan(
      [
        { key: 'a', command: 'true', check: `${mark('last')}; sleep 2; exit 1` },
        { key: 'b', command: 'true', check: mark('next') },
      ],
      ONE,
    );
    const { id } = await dry.lab.start(planId, { execution_mode: 'dry_run' });
    await eventually('the check runs', async () => (await dry.lab.left('last')) !== '');
    await worker.stop();
    expect(await verdictOf(id, 'a')).toMatchObject({ verdict: 'WOULD_CHANGE', attempts: 1 });
    expect([await dry.lab.left('last'), await dry.lab.left('next')]).toEqual(['x\n', '']);
    worker = await dry.lab.runward.worker();
    expect((await dry.lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await verdictOf(id, 'b')).toMatchObject({ verdict: 'NO_CHANGE' });
    expect([await dry.lab.left('last'), await dry.lab.left('next')]).toEqual(['x\n', 'x\n']);
  });
});

describe('a check whose worker is killed', () => {
  beforeAll(() => worker.stop());
  afterEach(async () => {
    await Promise.all(processes.map((each) => each.end('SIGKILL')));
    processes = [];
  });

  it('is not repeated by the next worker, which continues with the other steps', async () => {
    const { database } = dry.lab.runward;
    const planId = await dry.plan(
      [
        { key: 'a', command: 'true', check: `${mark('starts')}; sleep 5; exit 1` },
        { key: 'b', command: 'true' },
      ],
      ONE,
    );
    processes.push(await startWorkerProcess(dry.lab.runward));
    const { id } = await dry.lab.start(planId, { execution_mode: 'dry_run' });
    await eventually('the check runs', async () => (await dry.lab.left('starts')) !== '');
    await processes[0]?.end('SIGKILL');
    await database.query(`update executions set lease_until = now() - interval '1 second' where id = $1`, [id]);
    processes.push(await startWorkerProcess(dry.lab.runward));
    expect((await dry.lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await verdictOf(id, 'a')).toMatchObject({
      verdict: 'CANNOT_PREDICT',
      reason: { code: 'check_lost' },
      attempts: 1,
    });
    expect(await verdictOf(id, 'b')).toMatchObject({ verdict: 'WOULD_RUN' });
    expect(await dry.lab.left('starts')).toBe('x\n');
  });
});
