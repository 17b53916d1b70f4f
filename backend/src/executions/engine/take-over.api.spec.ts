import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { abandonedRun } from '../../../test/support/abandoned-run.js';
import { copyDatabase, type TestDatabase } from '../../../test/support/database.js';
import { changePolicy } from '../../../test/support/environment-policy.js';
import { eventually } from '../../../test/support/eventually.js';
import { evidenceIn } from '../../../test/support/evidence.js';
import { labWorkers } from '../../../test/support/lab-workers.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { storedRun } from '../../../test/support/stored-run.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { JobQueue } from '../../common/queue/job-queue.js';

let lab: RunLab;

const { work, workOn, endWorkers } = labWorkers(() => lab.runward);
const evidence = evidenceIn(() => lab);
const { untilExists, allow } = evidence;
const mark = (file: string) => `echo "\${SSH_CONNECTION#* * }" | cut -d' ' -f1 >> ${lab.evidence}/${file}`;
const marks = async (file: string) => (await evidence.marks(file)).sort();
const statuses = async (id: string) =>
  (await lab.results(id)).map(({ stepKey, serverName, status }) => `${stepKey} ${serverName} ${status}`);
const server = (index: number) => lab.servers[index]?.id ?? '';

beforeAll(async () => {
  lab = await startRunLab({ hosts: 3 });
});
afterEach(async () => {
  await endWorkers();
  // Frees the guard keys for the next test: a run with unknown results keeps them.
  await lab.runward.database.query('delete from guard_keys');
});
afterAll(() => lab.close());

describe('a run whose worker died in the middle of a step', () => {
  it('is taken over: a host that never started the command reports that, and starts it once', async () => {
    const planId = await lab.plan([mark('asked'), mark('asked-later')]);
    const id = await abandonedRun(lab, planId, {
      [server(0)]: 'RUNNING*',
      [server(1)]: 'SUCCEEDED*',
      [server(2)]: 'CONNECTING',
    });
    await work();
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await marks('asked')).toEqual(['127.0.1.1', '127.0.1.3']);
    expect(await marks('asked-later')).toEqual(['127.0.1.1', '127.0.1.2', '127.0.1.3']);
    expect((await lab.results(id, 'stepKey=step-1')).map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
  });

  it('is taken over: without a journal, a command that may have started is UNKNOWN and not started again', async () => {
    const planId = await lab.plan([mark('lost'), mark('lost-later')]);
    const id = await abandonedRun(lab, planId, {
      [server(0)]: 'RUNNING*',
      [server(1)]: 'SUCCEEDED*',
      [server(2)]: 'CONNECTING',
    });
    await lab.runward.database.query(
      'update host_results set journaled = false where execution_id = $1 and dispatch_id is not null',
      [id],
    );
    await work();
    const ended = await lab.settled(id);
    expect(ended).toMatchObject({ status: 'INTERRUPTED', statusReason: { code: 'hosts_lost' } });
    expect(await statuses(id)).toEqual(['step-1 web-1 UNKNOWN', 'step-1 web-2 SUCCEEDED', 'step-1 web-3 SUCCEEDED']);
    expect((await lab.results(id))[0]).toMatchObject({ reason: { code: 'result_unknown' }, attempts: 1 });
    expect((await lab.results(id))[0]?.reason?.text).toContain('Check the host before you rerun the step.');
    expect(await marks('lost')).toEqual(['127.0.1.3']);
    expect(await marks('lost-later')).toEqual([]);
    expect(ended.steps).toMatchObject([
      { status: 'FAILED', counts: { UNKNOWN: 1, SUCCEEDED: 2 } },
      { status: 'SKIPPED' },
    ]);
    const keys = await lab.runward.database.query<{ key: string }>('select key from guard_keys');
    expect(keys.map(({ key }) => key)).toEqual([expect.stringMatching(/^host:127\.0\.1\.1:/)]);
  });

  it('starts no unstarted command when the run needs approval, and starts it once after approval', async () => {
    const environment = `/api/environments/${lab.environmentId}`;
    const planId = await lab.plan([mark('unclear')]);
    const id = await abandonedRun(lab, planId, { [server(0)]: 'RUNNING*', [server(1)]: 'SUCCEEDED*' });
    await lab.api.patch(environment, { protected: true, allowSelfApproval: true });
    await work();
    await eventually('it waits', async () => (await lab.get(id)).pause?.reason === 'APPROVAL');
    expect(await marks('unclear')).toEqual([]);
    expect(await statuses(id)).toEqual(['step-1 web-1 PENDING', 'step-1 web-2 SUCCEEDED']);
    expect((await lab.results(id))[0]).toMatchObject({ attempts: 0, reason: null });
    const { digest } = await lab.get(id);
    expect((await lab.api.post(`/api/executions/${id}/approve`, { digest })).status).toBe(200);
    await changePolicy(lab.api, environment, { protected: false });
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await marks('unclear')).toEqual(['127.0.1.1']);
    expect((await lab.results(id))[0]).toMatchObject({ attempts: 1, reason: null });
  });

  it('ends normally when no command had been sent to a host', async () => {
    const planId = await lab.plan([mark('clean'), mark('clean-later')]);
    const id = await abandonedRun(lab, planId, {
      [server(0)]: 'SUCCEEDED*',
      [server(1)]: 'CONNECTING',
      [server(2)]: 'PENDING',
    });
    await work();
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await marks('clean')).toEqual(['127.0.1.2', '127.0.1.3']);
    expect(await marks('clean-later')).toEqual(['127.0.1.1', '127.0.1.2', '127.0.1.3']);
  });

  it('is found although its job is gone, and taken over once by two workers', async () => {
    const planId = await lab.plan([mark('swept')]);
    const id = await abandonedRun(lab, planId, {
      [server(0)]: 'PENDING',
      [server(1)]: 'PENDING',
      [server(2)]: 'PENDING',
    });
    await lab.runward.database.query('delete from pgboss.job');
    await Promise.all([work(), work()]);
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await marks('swept')).toEqual(['127.0.1.1', '127.0.1.2', '127.0.1.3']);
  });

  it('is not touched while its lease is valid', async () => {
    const planId = await lab.plan([mark('held')]);
    const id = await abandonedRun(lab, planId, {
      [server(0)]: 'PENDING',
      [server(1)]: 'PENDING',
      [server(2)]: 'PENDING',
    });
    await lab.runward.database.query(`update executions set lease_until = now() + interval '1 hour' where id = $1`, [
      id,
    ]);
    await work();
    await eventually('the job was taken', async () => {
      const [job] = await lab.runward.database.query<{ state: string }>(
        `select state from pgboss.job where data->>'executionId' = $1`,
        [id],
      );
      return job?.state === 'completed';
    });
    const [row] = await lab.runward.database.query<{ owner: string; epoch: number }>(
      'select owner, epoch from executions where id = $1',
      [id],
    );
    expect(row).toEqual({ owner: 'ghost', epoch: 1 });
    expect(await marks('held')).toEqual([]);
    await lab.runward.database.query(`update executions set lease_until = now() - interval '1 second' where id = $1`, [
      id,
    ]);
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
  });
});

describe('a job that is enqueued several times', () => {
  it('makes one worker drive the run once', async () => {
    await Promise.all([work(), work()]);
    const planId = await lab.plan([`${mark('bells')}; sleep 0.5`, mark('bells-later')]);
    const { id } = await lab.start(planId);
    const { app } = lab.runward;
    const ref = { tenantId: lab.admin.tenantId, executionId: id };
    await Promise.all(
      Array.from({ length: 10 }, () =>
        app.get(UnitOfWork).run(ref.tenantId, (tx) => app.get(JobQueue).enqueueAdvanceRun(tx, ref)),
      ),
    );
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await marks('bells')).toHaveLength(3);
    expect(await marks('bells-later')).toHaveLength(3);
    const [row] = await lab.runward.database.query<{ epoch: number }>('select epoch from executions where id = $1', [
      id,
    ]);
    expect(row?.epoch).toBe(1);
  });
});

describe('a worker that lost its lease', () => {
  const stored = (id: string) => storedRun(lab, id);
  const stealLease = (id: string) =>
    lab.runward.database.query(
      `update executions set owner = 'thief', epoch = epoch + 1, lease_until = now() + interval '1 hour' where id = $1`,
      [id],
    );

  it.each([
    ['when it next writes', async () => undefined],
    [
      'when it is notified',
      async (id: string) => {
        await lab.runward.database.query(`select pg_notify('runward_control', $1)`, [id]);
      },
    ],
  ])('notices %s, and then writes and starts nothing', async (how, hint) => {
    const file = how.replaceAll(' ', '-');
    const worker = await work({ hostSlots: 2 });
    const steps = [`${mark(file)}; ${untilExists(`${file}-go`)}; echo done`, mark(`${file}-later`)];
    const { id } = await lab.start(await lab.plan(steps));
    await eventually('two hosts have begun', async () => (await marks(file)).length === 2);
    await eventually('that is stored', async () => (await lab.results(id, 'status=RUNNING')).length === 2);
    await stealLease(id);
    const before = await stored(id);
    await hint(id);
    await allow(`${file}-go`);
    await worker.stop();
    expect(await stored(id)).toEqual(before);
    expect(await marks(file)).toHaveLength(2);
    expect(await marks(`${file}-later`)).toEqual([]);
    await lab.api.post(`/api/executions/${id}/cancel`, {});
    await lab.runward.database.query('update executions set lease_until = now() where id = $1', [id]);
    await work();
    expect((await lab.settled(id)).status).toBe('CANCELLED');
  });
});

describe('a worker that is stopped', () => {
  it('lets running commands end and hands the run over; finished hosts are not repeated', async () => {
    const first = await work({ hostSlots: 1 });
    const { id } = await lab.start(
      await lab.plan([`${mark('drain')}; ${untilExists('drain-go')}`, mark('drain-later')]),
    );
    await eventually('one host has begun', async () => (await marks('drain')).length === 1);
    const stopped = first.stop();
    await work();
    await allow('drain-go');
    await stopped;
    const ended = await lab.settled(id);
    expect(ended).toMatchObject({
      status: 'SUCCEEDED',
      steps: [{ counts: { SUCCEEDED: 3 } }, { counts: { SUCCEEDED: 3 } }],
    });
    expect(await marks('drain')).toEqual(['127.0.1.1', '127.0.1.2', '127.0.1.3']);
    expect(await marks('drain-later')).toEqual(['127.0.1.1', '127.0.1.2', '127.0.1.3']);
    const [row] = await lab.runward.database.query<{ epoch: number }>('select epoch from executions where id = $1', [
      id,
    ]);
    expect(row?.epoch).toBe(2);
  });

  it('leaves a command with a host journal running: the next worker receives its end', async () => {
    const first = await work();
    const { id } = await lab.start(
      await lab.plan([`echo one; ${mark('long')}; ${untilExists('long-go')}; echo two; exit 4`], {
        targets: 'name=web-1',
      }),
    );
    await eventually('it has begun', async () => (await marks('long')).length === 1);
    await first.stop();
    expect((await lab.get(id)).status).toBe('RUNNING');
    await allow('long-go');
    await work();
    expect((await lab.settled(id)).status).toBe('FAILED');
    expect((await lab.results(id))[0]).toMatchObject({ status: 'FAILED', exitCode: 4, attempts: 1 });
    expect((await lab.lines(id)).map(({ text }) => text)).toEqual(['one', 'two']);
    expect(await marks('long')).toHaveLength(1);
  });

  it('abandons a long command without a journal: its result is UNKNOWN, the run INTERRUPTED', async () => {
    const first = await work({ hostJournal: false });
    const { id } = await lab.start(
      await lab.plan([`${mark('plain')}; ${untilExists('plain-go')}`], { targets: 'name=web-1' }),
    );
    await eventually('it has begun', async () => (await marks('plain')).length === 1);
    await first.stop();
    await allow('plain-go');
    await work();
    expect((await lab.settled(id)).status).toBe('INTERRUPTED');
    expect((await lab.results(id))[0]).toMatchObject({
      status: 'UNKNOWN',
      reason: { code: 'worker_stopped' },
      attempts: 1,
    });
    expect(await marks('plain')).toHaveLength(1);
  });

  it('abandons a command of an environment with the host journal disabled', async () => {
    await lab.api.patch(`/api/environments/${lab.environmentId}`, { hostJournal: false });
    try {
      const first = await work();
      const { id } = await lab.start(
        await lab.plan([`${mark('bare')}; ${untilExists('bare-go')}`], { targets: 'name=web-1' }),
      );
      await eventually('it has begun', async () => (await marks('bare')).length === 1);
      await first.stop();
      await allow('bare-go');
      await work();
      expect((await lab.settled(id)).status).toBe('INTERRUPTED');
      expect((await lab.results(id))[0]).toMatchObject({
        status: 'UNKNOWN',
        reason: { code: 'worker_stopped' },
        attempts: 1,
      });
    } finally {
      await lab.api.patch(`/api/environments/${lab.environmentId}`, { hostJournal: true });
    }
  });

  it('asks the host about a command that began before the environment disabled the journal', async () => {
    const first = await work();
    const { id } = await lab.start(
      await lab.plan([`${mark('kept')}; ${untilExists('kept-go')}; exit 3`], { targets: 'name=web-1' }),
    );
    await eventually('it has begun', async () => (await marks('kept')).length === 1);
    await lab.api.patch(`/api/environments/${lab.environmentId}`, { hostJournal: false });
    try {
      await first.stop();
      await allow('kept-go');
      await work();
      await lab.settled(id);
      expect((await lab.results(id))[0]).toMatchObject({ status: 'FAILED', exitCode: 3, attempts: 1 });
      expect(await marks('kept')).toHaveLength(1);
    } finally {
      await lab.api.patch(`/api/environments/${lab.environmentId}`, { hostJournal: true });
    }
  });

  it('is replaced repeatedly, and each host still runs each step exactly once', async () => {
    const keys = ['one', 'two', 'three', 'four', 'five', 'six'];
    const { id } = await lab.start(
      await lab.plan(keys.map((key) => ({ key, command: `${mark(`roll-${key}`)}; sleep 0.2` }))),
    );
    let worker = await work();
    for (const key of ['one', 'three', 'five']) {
      await eventually(`step ${key} has begun`, async () => (await marks(`roll-${key}`)).length > 0);
      const [, next] = await Promise.all([worker.stop(), work()]);
      worker = next;
    }
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    for (const key of keys)
      expect([key, ...(await marks(`roll-${key}`))]).toEqual([key, '127.0.1.1', '127.0.1.2', '127.0.1.3']);
  });
});

describe('a run that two workers drive, each on a copy of the database', () => {
  interface SeenRun {
    status: string;
    code: string | null;
    message: string | null;
  }
  const one = { targets: 'name=web-1' };
  const results = (database: TestDatabase, id: string) =>
    database.query<SeenRun>(
      'select status, code, message from host_results where execution_id = $1 order by step_index',
      [id],
    );
  const copied = async (steps: string[], test: (id: string, copy: TestDatabase) => Promise<void>) => {
    const { id } = await lab.start(await lab.plan(steps, one));
    const copy = await copyDatabase(lab.runward.database);
    // With an external database, the owner is not a superuser: it sees only rows of the current tenant.
    for (const database of [lab.runward.database, copy])
      await database.query(`select set_config('app.tenant', $1, false)`, [lab.admin.tenantId]);
    try {
      await test(id, copy);
    } finally {
      await endWorkers();
      await copy.drop();
    }
  };
  const ended = (database: TestDatabase, id: string) =>
    eventually('the run has ended', async () => {
      const [row] = await database.query<{ status: string }>(
        'select status from executions where id = $1 and finished_at is not null',
        [id],
      );
      return row?.status;
    });

  it('starts a step once on the host: the second worker attaches, and reports the result only if it reads it', async () => {
    await copied([`${mark('cloned')}; ${untilExists('cloned-go')}; exit 3`], async (id, copy) => {
      await work();
      await eventually('it runs', async () => (await results(lab.runward.database, id))[0]?.status === 'RUNNING');
      await workOn(copy);
      await eventually('the copy has found it', async () => (await results(copy, id))[0]?.status === 'RUNNING');
      await allow('cloned-go');
      await Promise.all([ended(lab.runward.database, id), ended(copy, id)]);
      expect(await marks('cloned')).toHaveLength(1);
      const [[original], [second]] = await Promise.all([results(lab.runward.database, id), results(copy, id)]);
      // The first worker that reads the exit status ends the run there. The host then forgets the run.
      const seen = [original?.status, second?.status];
      expect(seen).toContain('FAILED');
      expect(['FAILED', 'UNKNOWN']).toEqual(expect.arrayContaining(seen));
      expect(second?.message).toContain('Another process of this installation started this attempt');
    });
  });

  it('is not repeated after the other worker has ended it: its result is UNKNOWN, with the cause', async () => {
    await copied([mark('cloned-after'), mark('cloned-after')], async (id, copy) => {
      await work();
      expect((await lab.settled(id)).status).toBe('SUCCEEDED');
      await endWorkers();
      await workOn(copy);
      expect(await ended(copy, id)).toBe('INTERRUPTED');
      expect((await results(copy, id))[0]).toMatchObject({
        ...{ status: 'UNKNOWN', code: 'started_elsewhere' },
        message: expect.stringContaining('ended the run there'),
      });
      expect(await marks('cloned-after')).toHaveLength(2);
    });
  });
});
