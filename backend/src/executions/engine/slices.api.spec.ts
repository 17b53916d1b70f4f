import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { abandonedRun } from '../../../test/support/abandoned-run.js';
import { eventually } from '../../../test/support/eventually.js';
import { evidenceIn } from '../../../test/support/evidence.js';
import { labWorkers } from '../../../test/support/lab-workers.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { storedRun } from '../../../test/support/stored-run.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { newId } from '../../common/ids.js';
import { OwnershipLostError } from '../store/fence.js';
import { notStartedOutcome } from './progress/host-outcome.js';
import { storeProgress } from './progress/progress-rows.js';
import type { HostChange } from './progress/step-progress.js';

let lab: RunLab;

const HOSTS = 6;
const { work: workWith, workProcess: workProcessWith, endWorkers } = labWorkers(() => lab.runward);
const work = (settings = {}) => workWith({ sliceHosts: 2, ...settings });
const workProcess = () => workProcessWith({ RUNWARD_SLICE_HOSTS: '2' });
const evidence = evidenceIn(() => lab);
const { untilExists, allow } = evidence;
const mark = (file: string) => `echo "\${SSH_CONNECTION#* * }" | cut -d' ' -f1 >> ${lab.evidence}/${file}`;
const marks = async (file: string) => (await evidence.marks(file)).sort();
const all = Array.from({ length: HOSTS }, (_, index) => `127.0.1.${index + 1}`);
const query = <R>(sql: string, values: unknown[]) => lab.runward.database.query<R>(sql, values);
const slices = (id: string) =>
  query<{ id: string; owner: string; epoch: number; hosts: number; finished: boolean }>(
    `select id, owner, epoch, cardinality(server_ids) as hosts, finished_at is not null as finished
      from execution_slices where execution_id = $1 order by id`,
    [id],
  );
const expire = async (id: string, owner?: string) => {
  const expiredLeaseSql = `lease_until = now() - interval '1 second'`;
  if (!owner) await query(`update executions set ${expiredLeaseSql} where id = $1`, [id]);
  await query(
    `update execution_slices set ${expiredLeaseSql}, created_at = created_at - interval '1 minute'
      where execution_id = $1 and finished_at is null and ($2::text is null or owner = $2)`,
    [id, owner ?? null],
  );
};

/** Ends a run that has no worker any more, to free its hosts for the next run. */
const endInDatabase = async (id: string) => {
  await query(`update executions set status = 'CANCELLED', finished_at = now() where id = $1`, [id]);
  await query('delete from guard_keys where execution_id = $1', [id]);
};

beforeAll(async () => {
  lab = await startRunLab({ hosts: HOSTS });
});
afterEach(endWorkers);
afterAll(() => lab.close());

describe('a step with many hosts', () => {
  it('is shared among workers in slices; each host runs it once, and the step counts them all', async () => {
    await Promise.all([work({ runSlots: 1 }), work({ runSlots: 1 })]);
    const { id } = await lab.start(
      await lab.plan([`${mark('many')}; ${untilExists('many-go')}; echo done`, mark('many-later')]),
    );
    await eventually(
      'two workers run slices',
      async () => new Set((await slices(id)).map(({ owner }) => owner).filter(Boolean)).size === 2,
    );
    await allow('many-go');
    const ended = await lab.settled(id);
    expect(ended).toMatchObject({
      status: 'SUCCEEDED',
      steps: [{ counts: { SUCCEEDED: HOSTS } }, { counts: { SUCCEEDED: HOSTS } }],
    });
    expect(Object.keys(ended.steps[0]?.counts ?? {})).toEqual(['SUCCEEDED']);
    expect((await slices(id)).map(({ hosts, epoch, finished }) => [hosts, epoch, finished])).toEqual(
      Array.from({ length: 6 }, () => [2, 1, true]),
    );
    expect([await marks('many'), await marks('many-later')]).toEqual([all, all]);
    expect((await lab.lines(id)).map(({ text }) => text)).toEqual(all.map(() => 'done'));
  });

  it('stays in one worker when it has few hosts', async () => {
    await work();
    const run = await lab.run([mark('few')], { targets: 'name in (web-1, web-2)' });
    expect([run.status, await slices(run.id)]).toEqual(['SUCCEEDED', []]);
  });
});

describe('a worker that is killed', () => {
  it('loses nothing of its slices: another worker continues the same commands', async () => {
    const doomedWorker = await workProcess();
    // Suspends this worker until the other one drives the run. It would otherwise take more slices soon, because the
    // hosts of its own slices only wait.
    doomedWorker.signal('SIGSTOP');
    await work({ runSlots: 1 });
    const { id } = await lab.start(
      await lab.plan([`${mark('slice')}; echo a; ${untilExists('slice-go')}; echo b; exit 3`]),
    );
    await eventually('one slice runs', async () => (await marks('slice')).length === 2);
    doomedWorker.signal('SIGCONT');
    await eventually(
      'the others run elsewhere',
      async () => (await lab.results(id, 'status=RUNNING')).length === HOSTS,
    );
    const [own] = (await query<{ owner: string }>('select owner from executions where id = $1', [id])).map(
      ({ owner }) => owner,
    );
    const other = (await slices(id)).map(({ owner }) => owner).find((owner) => owner !== own);
    await doomedWorker.end('SIGKILL');
    await expire(id, other);
    await allow('slice-go');
    expect((await lab.settled(id)).status).toBe('FAILED');
    const results = await lab.results(id);
    expect(results.map(({ status, exitCode, attempts }) => [status, exitCode, attempts])).toEqual(
      all.map(() => ['FAILED', 3, 1]),
    );
    expect((await slices(id)).map(({ epoch }) => epoch).sort()).toEqual([1, 2, 2]);
    expect(await marks('slice')).toEqual(all);
    expect((await lab.lines(id)).map(({ text }) => text).sort()).toEqual([
      ...all.map(() => 'a'),
      ...all.map(() => 'b'),
    ]);
  });

  it('leaves run and slices to the next worker, which creates no new slices for them', async () => {
    const doomedWorker = await workProcess();
    const { id } = await lab.start(
      await lab.plan([`${mark('whole')}; ${untilExists('whole-go')}`, mark('whole-later')]),
    );
    await eventually('all run', async () => (await lab.results(id, 'status=RUNNING')).length === HOSTS);
    await doomedWorker.end('SIGKILL');
    await expire(id);
    await work();
    await allow('whole-go');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await slices(id)).toHaveLength(6);
    expect([await marks('whole'), await marks('whole-later')]).toEqual([all, all]);
  });
});

describe('a slice whose worker lost its lease', () => {
  it('is written by the new owner only', async () => {
    const first = await work();
    const { id } = await lab.start(await lab.plan([`${mark('stolen')}; ${untilExists('stolen-go')}`]));
    await eventually('all run', async () => (await lab.results(id, 'status=RUNNING')).length === HOSTS);
    await query(
      `update execution_slices set owner = 'thief', epoch = epoch + 1, lease_until = now() + interval '1 hour' where execution_id = $1`,
      [id],
    );
    await allow('stolen-go');
    await eventually('its worker has noticed', async () => {
      const rows = await query<{ pid: number }>(
        `select 1 from pgboss.job where name = 'run-slice' and state = 'active'`,
        [],
      );
      return rows.length === 0;
    });
    expect((await lab.results(id, 'status=RUNNING')).length).toBe(HOSTS);
    await first.stop();
    await expire(id);
    await work();
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await marks('stolen')).toEqual(all);
  });
});

describe('a run with slices', () => {
  it('can be cancelled: commands are stopped in all of them', async () => {
    await Promise.all([work({ runSlots: 1 }), work({ runSlots: 2 })]);
    const { id } = await lab.start(await lab.plan([`${mark('cancel')}; sleep 300`, mark('cancel-later')]));
    await eventually('all run', async () => (await lab.results(id, 'status=RUNNING')).length === HOSTS);
    await lab.api.post(`/api/executions/${id}/cancel`, {});
    expect((await lab.settled(id)).status).toBe('CANCELLED');
    expect((await lab.results(id)).map(({ status }) => status)).toEqual(all.map(() => 'CANCELLED'));
    expect(await marks('cancel-later')).toEqual([]);
  });

  it("stores a slice's result as the host's only one when its driver died during the cancellation", async () => {
    const servers = lab.servers.map(({ id }) => id);
    const [begun = '', waiting = '', ...beside] = servers;
    const id = await abandonedRun(lab, await lab.plan([`${mark('dead')}; true`]), {
      [begun]: 'CONNECTING*',
      [waiting]: 'CONNECTING',
      ...Object.fromEntries(beside.map((server) => [server, 'PENDING' as const])),
    });
    await query(`update executions set status = 'CANCELLING' where id = $1`, [id]);
    await query(
      `insert into execution_slices (id, tenant_id, execution_id, step_index, last_step, server_ids, owner, epoch, lease_until)
        values ($1, $2, $3, 0, 0, $4, 'other', 1, now() + interval '1 hour')`,
      [newId(), lab.admin.tenantId, id, [waiting]],
    );
    await work();
    const statuses = async () =>
      Object.fromEntries((await lab.results(id)).map(({ serverId, status }) => [serverId, status]));
    await eventually('the host with a command was asked', async () => (await statuses())[begun] === 'CANCELLED');
    expect((await statuses())[waiting]).toBe('CONNECTING');
    await expire(id, 'other');
    expect((await lab.settled(id)).status).toBe('CANCELLED');
    const eventCounts = await query<{ id: string; n: number }>(
      `select data->>'serverId' as id, count(*)::int as n from execution_events
        where execution_id = $1 and type = 'host.finished' group by 1`,
      [id],
    );
    expect(Object.fromEntries(eventCounts.map(({ id, n }) => [id, n]))).toEqual(
      Object.fromEntries(servers.map((server) => [server, 1])),
    );
    expect(await marks('dead')).toEqual([]);
  });

  it('stores no intent and no second result on a host that has its result', async () => {
    const [over = ''] = lab.servers.map(({ id }) => id);
    const id = await abandonedRun(lab, await lab.plan(['true']), { [over]: 'CANCELLED' });
    const ref = { tenantId: lab.admin.tenantId, executionId: id };
    const before = await storedRun(lab, id);
    const changes: HostChange[] = [
      { serverId: over, kind: 'connecting' },
      {
        serverId: over,
        kind: 'dispatch',
        dispatchId: newId(),
        attempt: 1,
        before: { stdout: 0, stderr: 0 },
        journaled: true,
      },
      { serverId: over, kind: 'finished', outcome: notStartedOutcome('cancel'), totals: null },
    ];
    for (const [flush, change] of changes.entries()) {
      const batch = { stepIndex: 0, stepKey: 'step-1', changes: [change], output: [], counts: {}, flush: flush + 1 };
      const stored = lab.runward.app
        .get(UnitOfWork)
        .run(ref.tenantId, (tx) => storeProgress(tx, ref, { owner: 'ghost', epoch: 1 }, batch));
      await expect(stored).rejects.toThrow(OwnershipLostError);
    }
    expect(await storedRun(lab, id)).toEqual(before);
    await endInDatabase(id);
  });

  it.each([
    ['waits for approval', `status = 'PAUSED', pause_reason = 'APPROVAL', owner = null, lease_until = null`],
    ['was let go on and is not driven yet', `status = 'PENDING', owner = null, lease_until = null`],
    ['is over', `status = 'CANCELLED', finished_at = now()`],
  ])('stores no intent of a slice when it %s, and does not treat it as stored', async (_title, changes) => {
    const [host = ''] = lab.servers.map(({ id }) => id);
    const id = await abandonedRun(lab, await lab.plan(['true']), { [host]: 'CONNECTING' });
    const sliceId = newId();
    await query(
      `insert into execution_slices (id, tenant_id, execution_id, step_index, last_step, server_ids, owner, epoch, lease_until)
        values ($1, $2, $3, 0, 0, $4, 'ghost', 1, now() + interval '1 hour')`,
      [sliceId, lab.admin.tenantId, id, [host]],
    );
    await query(`update executions set ${changes} where id = $1`, [id]);
    const before = await storedRun(lab, id);
    const ref = { tenantId: lab.admin.tenantId, executionId: id };
    const intent = { serverId: host, kind: 'dispatch' as const, dispatchId: newId(), attempt: 1, journaled: true };
    const changesOfHost = [{ ...intent, before: { stdout: 0, stderr: 0 } }];
    const batch = { stepIndex: 0, stepKey: 'step-1', changes: changesOfHost, output: [], counts: {}, flush: 1 };
    const stored = lab.runward.app
      .get(UnitOfWork)
      .run(ref.tenantId, (tx) => storeProgress(tx, ref, { owner: 'ghost', epoch: 1, sliceId }, batch));
    await expect(stored).rejects.toThrow(OwnershipLostError);
    expect(await storedRun(lab, id)).toEqual(before);
    expect(await query('select flush_seq from execution_slices where id = $1', [sliceId])).toEqual([
      { flush_seq: '0' },
    ]);
    await endInDatabase(id);
  });

  it('can be cancelled although its slices wait for busy workers', async () => {
    await work({ runSlots: 1 });
    const { id } = await lab.start(await lab.plan([`${mark('busy')}; ${untilExists('busy-go')}`]));
    await eventually('one slice runs', async () => (await lab.results(id, 'status=RUNNING')).length === 2);
    await lab.api.post(`/api/executions/${id}/cancel`, {});
    expect((await lab.settled(id)).status).toBe('CANCELLED');
    expect((await lab.results(id)).map(({ status }) => status)).toEqual(all.map(() => 'CANCELLED'));
    expect(await marks('busy')).toHaveLength(2);
  });

  it('ends at its own time limit: commands are stopped in all of them', async () => {
    await Promise.all([work({ runSlots: 1 }), work({ runSlots: 2 })]);
    const ended = await lab.run([`${mark('late')}; sleep 300`], { timeoutSeconds: 3 });
    expect(ended).toMatchObject({ status: 'TIMED_OUT', statusReason: { code: 'run_timed_out' } });
    expect((await lab.results(ended.id)).map(({ reason }) => reason?.code)).toEqual(all.map(() => 'run_timed_out'));
  });

  it('is handed over by workers that are stopped', async () => {
    const first = await work();
    const { id } = await lab.start(await lab.plan([`${mark('drain')}; ${untilExists('drain-go')}`]));
    await eventually('all run', async () => (await lab.results(id, 'status=RUNNING')).length === HOSTS);
    await first.stop();
    await work();
    await allow('drain-go');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await marks('drain')).toEqual(all);
  });
});
