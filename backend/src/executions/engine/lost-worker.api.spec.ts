import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { evidenceIn } from '../../../test/support/evidence.js';
import { endSessions, freezeIdleSessions } from '../../../test/support/host-sessions.js';
import { labWorkers } from '../../../test/support/lab-workers.js';
import { eventsOf } from '../../../test/support/paused-run.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { storedRun } from '../../../test/support/stored-run.js';

let lab: RunLab;

const { work, workProcess, endWorkers } = labWorkers(() => lab.runward);
const { marks, untilExists, allow } = evidenceIn(() => lab);
const mark = (file: string) => `echo x >> ${lab.evidence}/${file}`;
const ON_WEB_1 = 'case "$SSH_CONNECTION" in *127.0.1.1*) true;; *) false;; esac';
const due = (id: string) =>
  lab.runward.database.query(
    'update host_results set next_attempt_at = now() where execution_id = $1 and next_attempt_at is not null',
    [id],
  );
const expireLease = (id: string) =>
  lab.runward.database.query(`update executions set lease_until = now() - interval '1 second' where id = $1`, [id]);
const stored = (id: string) => storedRun(lab, id);
const textOf = async (id: string, stream: string) => {
  const lines = new Map<number, string>();
  for (const { line, text, stream: of } of await lab.lines(id))
    if (of === stream) lines.set(line, `${lines.get(line) ?? ''}${text}`);
  return [...lines.values()];
};
const numbered = (word: string, count: number) => Array.from({ length: count }, (_, index) => `${word}-${index + 1}`);

beforeAll(async () => {
  lab = await startRunLab({ hosts: 3 });
});
afterEach(async () => {
  await endWorkers();
});
afterAll(() => lab.close());

describe('a worker that is killed during a command', () => {
  it('loses nothing: the next worker continues the same command with its whole output and exit code', async () => {
    const first = await workProcess();
    const half = 'i=0; while [ $i -lt 20 ]; do i=$((i+1)); echo out-$i; echo err-$i >&2; done; printf half';
    const rest = 'echo -way; while [ $i -lt 40 ]; do i=$((i+1)); echo out-$i; echo err-$i >&2; done; exit 3';
    const { id } = await lab.start(
      await lab.plan([`${mark('kill')}; ${half}; ${untilExists('kill-go')}; ${rest}`], { targets: 'name=web-1' }),
    );
    const queuedRun = await lab.start(await lab.plan([mark('kill-behind')], { targets: 'name=web-1' }), {
      onOverlap: 'queue',
    });
    await eventually('half of the output is stored', async () => (await lab.lines(id)).length === 41);
    await first.end('SIGKILL');
    await expireLease(id);
    await work();
    await eventually('the next worker has found it', async () => (await lab.results(id))[0]?.status === 'RUNNING');
    await allow('kill-go');
    const ended = await lab.settled(id);
    expect(ended).toMatchObject({ status: 'FAILED', steps: [{ counts: { FAILED: 1 } }] });
    expect((await lab.results(id))[0]).toMatchObject({ status: 'FAILED', exitCode: 3, attempts: 1, outputLines: 81 });
    expect(await textOf(id, 'stdout')).toEqual([...numbered('out', 20), 'half-way', ...numbered('out', 40).slice(20)]);
    expect(await textOf(id, 'stderr')).toEqual(numbered('err', 40));
    const numbers = new Set((await lab.lines(id)).map(({ line }) => line));
    expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 81 }, (_, index) => index + 1));
    expect(await marks('kill')).toHaveLength(1);
    // The next run waited for the host. It may begin only when the first run's command has ended, not when the first
    // worker has.
    const next = await lab.settled(queuedRun.id);
    expect(next.status).toBe('SUCCEEDED');
    expect(await marks('kill-behind')).toHaveLength(1);
    expect(Date.parse(next.startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(ended.finishedAt ?? ''));
  });

  it('loses nothing of a command that ends before the next worker starts', async () => {
    const first = await workProcess();
    const steps = [`${mark('gone')}; ${untilExists('gone-go')}; echo last; ${mark('gone-end')}`, mark('gone-later')];
    const { id } = await lab.start(await lab.plan(steps));
    await eventually('all have begun', async () => (await marks('gone')).length === 3);
    await first.end('SIGKILL');
    await allow('gone-go');
    await eventually('all have ended', async () => (await marks('gone-end')).length === 3);
    await expireLease(id);
    await work();
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect((await lab.lines(id)).map(({ text }) => text)).toEqual(['last', 'last', 'last']);
    expect(await marks('gone')).toHaveLength(3);
    expect(await marks('gone-later')).toHaveLength(3);
  });

  it('does not use up a retry: the recovered attempt counts', async () => {
    const first = await workProcess();
    const command = `${mark('tries')}; [ "$RUNWARD_ATTEMPT" = 2 ] || { ${untilExists('tries-go')}; echo failed; false; }`;
    const retries = { count: 1, delaySeconds: 0, backoff: 'constant' as const };
    const { id } = await lab.start(await lab.plan([{ command, retries }], { targets: 'name=web-1' }));
    await eventually('it runs', async () => (await lab.results(id))[0]?.status === 'RUNNING');
    await first.end('SIGKILL');
    await expireLease(id);
    await allow('tries-go');
    await work();
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect((await lab.results(id))[0]).toMatchObject({ status: 'SUCCEEDED', attempts: 2, outputLines: 1 });
    expect(await marks('tries')).toHaveLength(2);
  });

  it('leaves no false state of a host between two attempts', async () => {
    const first = await workProcess();
    const retries = { count: 1, delaySeconds: 300, backoff: 'constant' as const };
    const step = { command: `${mark('between')}; false`, retries };
    const { id } = await lab.start(await lab.plan([step], { targets: 'name=web-1' }));
    await eventually(
      'it waits for its next attempt',
      async () => (await lab.results(id))[0]?.reason?.code === 'exit_code',
    );
    await first.end('SIGKILL');
    await lab.api.post(`/api/executions/${id}/cancel`, {});
    await expireLease(id);
    await work();
    expect((await lab.settled(id)).status).toBe('CANCELLED');
    expect((await lab.results(id))[0]).toMatchObject({
      status: 'CANCELLED',
      reason: { text: 'The run ended before the next attempt on this host. The previous attempt failed.' },
    });
    expect(await marks('between')).toHaveLength(1);
  });

  it('leaves the time of the next attempt to the next worker, which waits neither shorter nor longer', async () => {
    const dueAt = async (run: string) => {
      const rows = await lab.runward.database.query<{ at: Date }>(
        'select next_attempt_at as at from host_results where execution_id = $1 and next_attempt_at is not null',
        [run],
      );
      return rows.map(({ at }) => at.getTime());
    };
    const first = await workProcess();
    const retries = { count: 1, delaySeconds: 300, backoff: 'constant' as const };
    const fails = `${mark('due')}; [ "$RUNWARD_ATTEMPT" = 2 ]`;
    const step = { command: `if ${ON_WEB_1}; then ${untilExists('due-go')}; else ${fails}; fi`, retries };
    const { id } = await lab.start(await lab.plan([step], { targets: 'name in (web-1, web-2)' }));
    await eventually('one waits for its next attempt', async () => (await dueAt(id)).length === 1);
    await first.end('SIGKILL');
    const at = await dueAt(id);
    expect(at[0]).toBeGreaterThan(Date.now() + 200_000);
    await expireLease(id);
    const second = await work();
    await allow('due-go');
    await eventually('the other has ended', async () => (await lab.results(id, 'status=SUCCEEDED')).length === 1);
    await second.stop();
    expect(await dueAt(id)).toEqual(at);
    expect(await marks('due')).toHaveLength(1);
    await due(id);
    await work();
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await marks('due')).toHaveLength(2);
  });

  it('counts a host between two attempts as begun', async () => {
    const first = await workProcess();
    const retries = { count: 1, delaySeconds: 300, backoff: 'constant' as const };
    const command = `${mark('batched')}; ${ON_WEB_1} || false`;
    const step = { command, retries, batch: 2 };
    const { id } = await lab.start(await lab.plan([step]));
    await eventually(
      'one waits for its next attempt',
      async () => (await lab.results(id)).filter(({ reason }) => reason?.code === 'exit_code').length === 1,
    );
    // Marks the other host of the batch as failed, which exceeds the step's failure limit.
    const failed = `update host_results set status = 'FAILED', code = 'exit_code' where execution_id = $1 and server_id = $2`;
    await first.end('SIGKILL');
    await due(id);
    await lab.runward.database.query(failed, [id, lab.servers[0]?.id]);
    await expireLease(id);
    await work();
    expect((await lab.settled(id)).status).toBe('FAILED');
    expect((await lab.results(id)).map(({ status }) => status)).toEqual(['FAILED', 'FAILED', 'SKIPPED']);
    expect(await marks('batched')).toHaveLength(3);
  });

  it('does not suspend a time limit: the command is stopped on the host', async () => {
    const first = await workProcess();
    const steps = [{ key: 'slow', command: `${mark('slow')}; sleep 300`, timeoutSeconds: 2 }];
    const { id } = await lab.start(await lab.plan(steps, { targets: 'name=web-1' }));
    await eventually('it runs', async () => (await lab.results(id))[0]?.status === 'RUNNING');
    await first.end('SIGKILL');
    await expireLease(id);
    await work();
    expect((await lab.settled(id)).status).toBe('FAILED');
    expect((await lab.results(id))[0]).toMatchObject({
      status: 'TIMED_OUT',
      reason: { code: 'step_timed_out' },
      attempts: 1,
    });
    expect(await marks('slow')).toHaveLength(1);
  });

  it('allows its run to be cancelled: the next worker stops the command and starts nothing', async () => {
    const first = await workProcess();
    const { id } = await lab.start(await lab.plan([`${mark('stop')}; sleep 300`, mark('stop-later')]));
    await eventually('all run', async () => (await lab.results(id, 'status=RUNNING')).length === 3);
    await first.end('SIGKILL');
    await lab.api.post(`/api/executions/${id}/cancel`, {});
    await expireLease(id);
    await work();
    expect((await lab.settled(id)).status).toBe('CANCELLED');
    expect((await lab.results(id)).map(({ status, reason }) => [status, reason?.code ?? null])).toEqual(
      Array.from({ length: 3 }, () => ['CANCELLED', 'cancelled']),
    );
    expect(await marks('stop-later')).toEqual([]);
  });
});

describe('a worker that was suspended and resumes', () => {
  it('writes nothing and starts nothing any more', async () => {
    const staleWorker = await workProcess({ RUNWARD_HOST_SLOTS: '1' });
    const { id } = await lab.start(
      await lab.plan([`${mark('still')}; ${untilExists('still-go')}`, mark('still-later')]),
    );
    await eventually('one runs', async () => (await lab.results(id, 'status=RUNNING')).length === 1);
    staleWorker.signal('SIGSTOP');
    await expireLease(id);
    await allow('still-go');
    await work();
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    const before = await stored(id);
    staleWorker.signal('SIGCONT');
    await eventually('it has noticed', () => staleWorker.printed().includes('has another owner'));
    expect(await stored(id)).toEqual(before);
    expect(await marks('still')).toHaveLength(3);
    expect(await marks('still-later')).toHaveLength(3);
  });
});

describe('a worker that receives a stop signal', () => {
  it('ends within 15 s during a command, and the run succeeds with the next worker', async () => {
    const first = await workProcess();
    const { id } = await lab.start(await lab.plan([`${mark('term')}; ${untilExists('term-go')}`, mark('term-later')]));
    await eventually('all run', async () => (await lab.results(id, 'status=RUNNING')).length === 3);
    const { code, ms } = await first.end('SIGTERM');
    expect(code).toBe(0);
    expect(ms).toBeLessThan(15_000);
    await work();
    await allow('term-go');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await marks('term')).toHaveLength(3);
    expect(await marks('term-later')).toHaveLength(3);
  });
});

describe('a connection that is cut during a command', () => {
  it('is reopened, and the command continues as if nothing had happened', async () => {
    await work();
    const { id } = await lab.start(
      await lab.plan([`${mark('cut')}; echo before; ${untilExists('cut-go')}; echo after; exit 5`], {
        targets: 'name=web-1',
      }),
    );
    await eventually('its output is stored', async () => (await lab.lines(id)).length === 1);
    await endSessions(lab.hosts.sshd.pids);
    // Reads the event, because it is permanent: the status changes back within milliseconds.
    await eventually('that was noticed', async () =>
      (await eventsOf(lab, id)).includes('host.reconnecting CONNECTING'),
    );
    await eventually('it was found again', async () => (await lab.results(id))[0]?.status === 'RUNNING');
    await allow('cut-go');
    expect((await lab.settled(id)).status).toBe('FAILED');
    expect((await lab.results(id))[0]).toMatchObject({ exitCode: 5, attempts: 1 });
    expect((await lab.lines(id)).map(({ text }) => text)).toEqual(['before', 'after']);
    expect(await marks('cut')).toHaveLength(1);
  });
});

describe('a connection that breaks silently between two steps', () => {
  it('is noticed with the next command, which starts once over a new one', async () => {
    await work();
    const steps = [
      'true',
      { key: 'wait', command: `${mark('idle')}; ${untilExists('idle-go')}`, targets: 'name=web-2' },
      { key: 'last', command: mark('idle-last') },
    ];
    const { id } = await lab.start(await lab.plan(steps, { targets: 'name in (web-1, web-2)' }));
    await eventually('one host works', async () => (await lab.results(id, 'stepKey=wait&status=RUNNING')).length === 1);
    await freezeIdleSessions(lab.hosts.sshd.pids);
    await allow('idle-go');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await marks('idle-last')).toHaveLength(2);
    expect((await lab.results(id, 'stepKey=last')).map(({ attempts }) => attempts)).toEqual([1, 1]);
  });
});
