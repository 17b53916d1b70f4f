import { writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { abandonedRun } from '../../../test/support/abandoned-run.js';
import { eventually } from '../../../test/support/eventually.js';
import type { TestWorker } from '../../../test/support/installation.js';
import { isAlive } from '../../../test/support/processes.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { ExecutionView } from '../contract/execution.view.js';
import type { CancelExecutionsView } from '../contract/steering.dto.js';

let lab: RunLab;
let worker: TestWorker | null = null;

const cancel = (id: string, body: object = {}, api = lab.api) =>
  api.post<ExecutionView & { code?: string }>(`/api/executions/${id}/cancel`, body);
const work = async () => {
  worker = await lab.runward.worker();
};

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
});
afterEach(async () => {
  await worker?.stop();
  worker = null;
});
afterAll(() => lab.close());

describe('a run that waits for a worker', () => {
  it('becomes CANCELLED at once with user and reason, and frees its hosts', async () => {
    const planId = await lab.plan([`echo ran >> ${lab.evidence}/waiting`]);
    const { id } = await lab.start(planId);
    const { status, body } = await cancel(id, { reason: 'wrong release' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'CANCELLED', finished: true, successful: false, startedAt: null });
    expect(body.statusReason).toEqual({ code: 'cancelled', text: 'Cancelled by Admin 1: wrong release' });
    expect(body.steps).toMatchObject([{ status: 'CANCELLED', reason: { code: 'run_ended' } }]);
    expect(body.hosts.map((host) => host.status)).toEqual(['CANCELLED', 'CANCELLED']);

    // The next worker finds the job of the cancelled run and ignores it. The next run on these hosts succeeds.
    await work();
    const next = await lab.settled((await lab.start(planId)).id);
    expect(next.status).toBe('SUCCEEDED');
    expect(await lab.left('waiting')).toBe('ran\nran\n');
    expect((await lab.get(id)).version).toBe(body.version);
  });
});

describe('a run whose commands are running', () => {
  it('stops the commands and their child processes on the hosts; results say so and later steps never begin', async () => {
    await work();
    const steps = [
      `sleep 300 & echo $$ $! >> ${lab.evidence}/pids; echo begun; sleep 301`,
      `echo later >> ${lab.evidence}/later`,
    ];
    const { id } = await lab.start(await lab.plan(steps));
    const pids = await eventually('both hosts have begun', async () => {
      const found = (await lab.left('pids')).trim().split(/\s+/).map(Number);
      return found.length === 4 && found;
    });
    const { body } = await cancel(id);
    expect(body).toMatchObject({
      status: 'CANCELLING',
      finished: false,
      statusReason: { code: 'cancelled', text: 'Cancelled by Admin 1.' },
    });
    const ended = await lab.settled(id);
    expect(ended).toMatchObject({ status: 'CANCELLED', steps: [{ status: 'CANCELLED' }, { status: 'CANCELLED' }] });
    for (const pid of pids) expect(await isAlive(pid)).toBe(false);
    for (const result of await lab.results(id)) {
      expect(result).toMatchObject({ status: 'CANCELLED', reason: { code: 'cancelled' }, attempts: 1 });
      expect(result.reason?.text).toBe('The run was cancelled and the command was stopped.');
    }
    const said = (await lab.lines(id)).filter(({ stream }) => stream === 'stdout');
    expect(said.map(({ text }) => text)).toEqual(['begun', 'begun']);
    expect(await lab.left('later')).toBe('');
  });

  it('accepts a second cancellation while it stops, without effect', async () => {
    await work();
    const slow = `trap 'until [ -e ${lab.evidence}/let-go ]; do sleep 0.05; done; exit 0' TERM; echo begun >> ${lab.evidence}/slow; while :; do sleep 0.05; done`;
    const { id } = await lab.start(await lab.plan([slow], { targets: 'name=web-1' }));
    await eventually('it has begun', () => lab.left('slow'));
    const first = await cancel(id, { reason: 'first' });
    const second = await cancel(id, { reason: 'second' });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body).toMatchObject({ status: 'CANCELLING', statusReason: { text: 'Cancelled by Admin 1: first' } });
    await writeFile(`${lab.evidence}/let-go`, '');
    expect(await lab.settled(id)).toMatchObject({
      status: 'CANCELLED',
      statusReason: { text: 'Cancelled by Admin 1: first' },
    });
  });
});

describe('a run whose worker died', () => {
  it('is cancelled without a live worker; the next worker asks the hosts and starts nothing', async () => {
    const [first, second] = lab.servers;
    const planId = await lab.plan([`echo again >> ${lab.evidence}/again`]);
    const id = await abandonedRun(lab, planId, { [first?.id ?? '']: 'RUNNING*', [second?.id ?? '']: 'CONNECTING' });
    expect((await cancel(id)).body.status).toBe('CANCELLING');
    const modeAnswer = await lab.api.post(`/api/executions/${id}/mode`, { execution_mode: 'interactive' });
    expect([modeAnswer.status, modeAnswer.body]).toMatchObject([
      409,
      { code: 'not_possible_now', choices: [], detail: expect.stringContaining('being cancelled') },
    ]);
    await work();
    const ended = await lab.settled(id);
    expect(ended.status).toBe('CANCELLED');
    expect(ended.hosts.map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED']);
    expect(await lab.results(id)).toMatchObject([
      { status: 'CANCELLED', reason: { code: 'cancelled' } },
      { status: 'CANCELLED', reason: { code: 'cancelled' } },
    ]);
    expect(await lab.left('again')).toBe('');
    expect((await lab.settled((await lab.start(planId)).id)).status).toBe('SUCCEEDED');
  });
});

describe('a request to cancel', () => {
  it('conflicts with a finished run and changes nothing', async () => {
    await work();
    const run = await lab.run(['true'], { targets: 'name=web-1' });
    const { status, body } = await cancel(run.id);
    expect([status, body.code]).toEqual([409, 'already_finished']);
    expect(await lab.get(run.id)).toEqual(run);
    const cancelled = await lab.start(await lab.plan(['sleep 300'], { targets: 'name=web-1' }));
    await cancel(cancelled.id);
    await lab.settled(cancelled.id);
    expect((await cancel(cancelled.id)).status).toBe(409);
  });

  it('answers 404 to another tenant, 403 to a viewer, and validates its body', async () => {
    const { id } = (await lab.api.get<{ items: ExecutionView[] }>('/api/executions?limit=1')).body
      .items[0] as ExecutionView;
    const stranger = await lab.runward.tenant();
    const viewer = await lab.runward.member(lab.admin, 'viewer');
    expect((await cancel(id, {}, stranger.api)).status).toBe(404);
    expect((await cancel('nonsense')).status).toBe(404);
    expect((await cancel(id, {}, viewer.api)).status).toBe(403);
    expect((await cancel(id, { why: 'x' })).status).toBe(400);
  });
});

describe('many runs at once', () => {
  const cancelMatching = (body: object, api = lab.api) =>
    api.post<CancelExecutionsView & { code?: string }>('/api/executions/cancel', body);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const planned = async (more: object = {}, api = lab.api) => {
    const { status, body } = await lab.tryStart(await lab.plan(['true']), { startAt: tomorrow, ...more }, api);
    expect(status).toBe(201);
    return body;
  };

  it('are cancelled by member, environment, plan, label and status, with one audit entry each', async () => {
    const operator = await lab.runward.member(lab.admin, 'operator');
    const [own, first, second] = [
      await planned({ labels: { team: 'web' } }),
      await planned({ labels: { team: 'web' } }, operator.api),
      await planned({}, operator.api),
    ];
    for (const field of ['startedById', 'planId', 'environmentId'])
      expect((await cancelMatching({ [field]: 'no-id' })).body.code).toBe('not_found');
    const ids = async (body: object) => (await cancelMatching(body)).body.cancelled.map(({ id }) => id);
    expect(await ids({ startedById: operator.userId, labels: { team: 'db' } })).toEqual([]);
    expect(await ids({ startedById: operator.userId, status: ['RUNNING', 'PAUSED'] })).toEqual([]);
    expect(await ids({ planId: first.planId, environmentId: lab.environmentId })).toEqual([first.id]);
    const { body } = await cancelMatching({ startedById: operator.userId, reason: 'release withdrawn' });
    expect(body).toEqual({
      cancelled: [{ id: second.id, planName: second.planName, environmentName: 'lab', status: 'CANCELLED' }],
      more: false,
    });
    expect((await lab.get(second.id)).statusReason?.text).toBe('Cancelled by Admin 1: release withdrawn');
    expect(await ids({ labels: { team: 'web' } })).toEqual([own.id]);
    const audited = await lab.runward.database.query<{ id: string }[]>(
      `select resource_id as id from audit_entries where action = 'execution.cancelled' and resource_id = any ($1)`,
      [[own.id, first.id, second.id]],
    );
    expect(audited).toHaveLength(3);
  });

  it('are cancelled a hundred at a time, and the answer reports when more runs match', async () => {
    const planId = await lab.plan(['true']);
    const operators = await Promise.all([1, 2].map(() => lab.runward.member(lab.admin, 'operator')));
    await Promise.all(
      operators.map(async ({ api }) => {
        for (let n = 0; n < 50; n += 1)
          expect((await lab.tryStart(planId, { startAt: tomorrow }, api)).status).toBe(201);
      }),
    );
    const elsewhere = await lab.environment('beside');
    await lab.server({ name: 'beside-1', environmentId: elsewhere, hostname: '127.0.1.2' });
    await lab.tryStart(planId, { startAt: tomorrow, environmentId: elsewhere });
    const { body: first } = await cancelMatching({ planId });
    expect([first.cancelled.length, first.more]).toEqual([100, true]);
    const { body: last } = await cancelMatching({ planId });
    expect([last.cancelled.length, last.more]).toEqual([1, false]);
  });

  it('require a filter and an admin', async () => {
    const run = await planned();
    const operator = await lab.runward.member(lab.admin, 'operator');
    expect((await cancelMatching({ status: ['PENDING'] })).body.code).toBe('invalid_request');
    expect((await cancelMatching({ planId: run.planId, status: ['FAILED'] })).body.code).toBe('invalid_request');
    expect((await cancelMatching({ planId: run.planId }, operator.api)).status).toBe(403);
    expect((await lab.get(run.id)).status).toBe('PENDING');
    await cancel(run.id);
  });
});
