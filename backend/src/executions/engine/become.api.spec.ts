import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import type { TestWorker } from '../../../test/support/installation.js';
import { isAlive } from '../../../test/support/processes.js';
import { type LabStep, type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { makeSudoUser, type SudoUser } from '../../../test/support/sudo-user.js';
import { startWorkerProcess, type WorkerProcess } from '../../../test/support/worker-process.js';

let lab: RunLab;
let workers: (() => Promise<unknown>)[] = [];

const work = async (): Promise<TestWorker> => {
  const worker = await lab.runward.worker();
  workers.push(() => worker.stop());
  return worker;
};
const workProcess = async (): Promise<WorkerProcess> => {
  const worker = await startWorkerProcess(lab.runward);
  workers.push(() => worker.end('SIGKILL'));
  return worker;
};
const mark = (file: string) => `id -un >> ${lab.evidence}/${file}`;
const left = async (file: string) => (await lab.left(file)).split('\n').filter(Boolean);
const untilExists = (file: string) => `until [ -e ${lab.evidence}/${file} ]; do sleep 0.05; done`;
const start = async (step: LabStep, host: string) =>
  (await lab.start(await lab.plan([step, { command: mark('later') }], { targets: `name=${host}` }))).id;
const result = async (id: string) => (await lab.results(id, 'stepKey=step-1'))[0];

beforeAll(async () => {
  lab = await startRunLab();
});
afterEach(async () => {
  await Promise.all(workers.map((end) => end()));
  workers = [];
});
afterAll(() => lab.close());

describe('a step with a become user that sudo refuses', () => {
  it.each([
    ['by default', {}],
    ['although the status of sudo is one that the step takes for success', { okExitCodes: [0, 1] }],
    ['although the command has a condition and outputs', { unless: 'true', outputs: ['a'] }],
    [
      'and is not tried again, which would only look like an attack',
      { retries: { count: 3, delaySeconds: 0, backoff: 'constant' as const } },
    ],
  ])('fails with advice and starts nothing: %s', async (_, more) => {
    await work();
    const id = await start({ command: mark('refused'), become: 'runward-no-such-user', ...more }, 'web-1');
    expect((await lab.settled(id)).status).toBe('FAILED');
    expect(await result(id)).toMatchObject({
      status: 'FAILED',
      reason: { code: 'no_sudo_right', text: expect.stringContaining('runward-no-such-user') },
      attempts: 1,
    });
    const lines = await lab.lines(id);
    expect(lines[0]?.text).toMatch(/^sudo: /);
    expect(lines.filter(({ stream }) => stream === 'stdout')).toEqual([]);
    expect(await left('refused')).toEqual([]);
    expect(await left('later')).toEqual([]);
  });
});

describe('a step whose working directory does not exist', () => {
  it('fails although the step accepts the exit status as success, and starts nothing', async () => {
    await work();
    const more = { workingDirectory: `${lab.evidence}/nowhere`, okExitCodes: [0, 1] };
    const id = await start({ command: mark('nowhere'), ...more }, 'web-1');
    expect((await lab.settled(id)).status).toBe('FAILED');
    expect(await result(id)).toMatchObject({ status: 'FAILED', reason: { code: 'not_run' }, exitCode: 1 });
    expect((await lab.lines(id))[0]?.text).toContain('does not exist on this host');
    expect(await left('nowhere')).toEqual([]);
  });
});

if (process.getuid?.() === 0) {
  const users: SudoUser[] = [];
  const add = async (kind: string, rule: string | null, defaults?: string) => {
    const user = await makeSudoUser(kind, rule, defaults);
    users.push(user);
    await lab.server({ name: kind, username: user.name });
  };
  beforeAll(async () => {
    await add('sudoer', 'ALL=(root) NOPASSWD: /bin/sh');
    await add('plain', null);
    await add('tty', 'ALL=(ALL) NOPASSWD: ALL', 'requiretty');
  });
  afterAll(() => users.forEach((user) => user.remove()));

  describe('a step that becomes root', () => {
    it('runs as root where sudo allows the login user a shell, and reports the exit code', async () => {
      await work();
      const id = await start({ command: `${mark('root')}; echo out; echo err >&2; exit 3`, become: 'root' }, 'sudoer');
      expect((await lab.settled(id)).status).toBe('FAILED');
      expect(await result(id)).toMatchObject({ status: 'FAILED', exitCode: 3, reason: { code: 'exit_code' } });
      expect(await left('root')).toEqual(['root']);
      expect((await lab.lines(id)).map(({ stream, text }) => `${stream} ${text}`).sort()).toEqual([
        'stderr err',
        'stdout out',
      ]);
    });

    it('fails where the login user has no sudo right, and starts nothing', async () => {
      await work();
      const id = await start({ command: mark('plain'), become: 'root' }, 'plain');
      expect((await lab.settled(id)).status).toBe('FAILED');
      const stepResult = await result(id);
      expect(stepResult).toMatchObject({ status: 'FAILED', reason: { code: 'no_sudo_right' } });
      expect(stepResult?.reason?.text).toMatch(/^Nothing was run: .* may not run commands as root on this host/);
      expect(await left('plain')).toEqual([]);
    });

    it('fails where sudo requires a terminal, and a dry run reports this too', async () => {
      await work();
      const message = expect.stringMatching(/sudo requires a terminal .*Defaults:runward-tty-\d+ !requiretty/);
      const planId = await lab.plan([{ command: mark('tty'), become: 'root' }], { targets: 'name=tty' });
      for (const mode of ['auto', 'dry_run']) {
        const { id } = await lab.settled((await lab.start(planId, { execution_mode: mode })).id);
        expect(await result(id)).toMatchObject({
          status: 'FAILED',
          reason: { code: 'sudo_requires_tty', text: message },
        });
      }
      expect(await left('tty')).toEqual([]);
    });

    it('survives its worker: the next worker continues the same start with its whole output and exit code', async () => {
      const first = await workProcess();
      const halfOutputCommand = 'i=0; while [ $i -lt 20 ]; do i=$((i+1)); echo out-$i; done';
      const rest = 'while [ $i -lt 40 ]; do i=$((i+1)); echo out-$i; done; echo last >&2; exit 5';
      const id = await start(
        { command: `${mark('kill')}; ${halfOutputCommand}; ${untilExists('kill-go')}; ${rest}`, become: 'root' },
        'sudoer',
      );
      await eventually('half of the output is stored', async () => (await lab.lines(id)).length === 20);
      await first.end('SIGKILL');
      await lab.runward.database.query(
        `update executions set lease_until = now() - interval '1 second' where id = $1`,
        [id],
      );
      await work();
      await eventually('the next worker has found it', async () => (await result(id))?.status === 'RUNNING');
      await writeFile(`${lab.evidence}/kill-go`, '');
      expect((await lab.settled(id)).status).toBe('FAILED');
      expect(await result(id)).toMatchObject({ exitCode: 5, attempts: 1, outputLines: 41 });
      const lines = new Map<number, string>();
      for (const { line, text, stream } of await lab.lines(id))
        if (stream === 'stdout') lines.set(line, `${lines.get(line) ?? ''}${text}`);
      expect([...lines.values()]).toEqual(Array.from({ length: 40 }, (__, n) => `out-${n + 1}`));
      expect(await left('kill')).toEqual(['root']);
    });

    it.each([
      ['', 'ends'],
      [`trap '' TERM HUP; `, 'ends hard'],
    ])(
      '%sends with a cancelled run: no process continues as root, not even in a session of its own',
      async (trap, file) => {
        await work();
        const name = file.replace(' ', '-');
        const child = `echo $$ > ${lab.evidence}/${name}-child; exec >/dev/null 2>&1; while :; do sleep 0.2; done`;
        const command = `${trap}${mark(name)}; setsid sh -c '${child}' & until [ -e ${lab.evidence}/${name}-child ]; do sleep 0.1; done; echo $$ > ${lab.evidence}/${name}-pid; while :; do sleep 0.2; done`;
        const id = await start({ command, become: 'root' }, 'sudoer');
        await eventually('it runs', async () => (await left(`${name}-pid`)).length === 1);
        const pid = Number((await left(`${name}-pid`))[0]);
        const other = Number((await left(`${name}-child`))[0]);
        expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\t0\t/m);
        await lab.api.post(`/api/executions/${id}/cancel`, {});
        expect((await lab.settled(id, 50)).status).toBe('CANCELLED');
        expect(await result(id)).toMatchObject({ status: 'CANCELLED' });
        expect(await isAlive(pid)).toBe(false);
        expect(await isAlive(other)).toBe(false);
      },
    );

    it('names the processes of a cancelled command that its login user may not end', async () => {
      await work();
      const child = `trap "" TERM; echo $$ > ${lab.evidence}/foreign; exec >/dev/null 2>&1; while :; do sleep 0.2; done`;
      const id = await start({ command: `sudo -n /bin/sh -c '${child}' & wait` }, 'sudoer');
      await eventually('it runs', async () => (await left('foreign')).length === 1);
      const pid = Number((await left('foreign'))[0]);
      await lab.api.post(`/api/executions/${id}/cancel`, {});
      expect((await lab.settled(id, 50)).status).toBe('CANCELLED');
      const message = expect.stringMatching(`could not be ended: .*sh \\(process ${pid}\\)`);
      expect(await result(id)).toMatchObject({ status: 'CANCELLED', reason: { text: message } });
      process.kill(pid, 'SIGKILL');
    });
  });
}
