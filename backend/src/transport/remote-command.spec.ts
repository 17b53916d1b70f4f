import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, untilUnchanged } from '../../test/support/eventually.js';
import { startSshHosts, type SshHosts } from '../../test/support/ssh-hosts.js';
import type { CommandRequest, CommandResult, OutputStream, RunningCommand } from './remote-command.js';
import {
  openConnection,
  type ConnectionOptions,
  type SshConnection,
  type SshTarget,
} from './connection/ssh-connection.js';

let hosts: SshHosts;
beforeAll(async () => {
  hosts = await startSshHosts({ addresses: ['127.0.1.1'] });
});
afterAll(() => hosts.stop());

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

async function connect(target: SshTarget = hosts.target(), options?: ConnectionOptions): Promise<SshConnection> {
  const connection = await openConnection(target, options);
  cleanUp.push(() => connection.end());
  return connection;
}

interface Ran {
  result: CommandResult;
  stdout: string;
  stderr: string;
}

async function run(script: string, connection?: SshConnection, changes: Partial<CommandRequest> = {}): Promise<Ran> {
  const output: Record<OutputStream, Buffer[]> = { stdout: [], stderr: [] };
  const command = await (connection ?? (await connect())).exec({
    script,
    onOutput: (stream, bytes) => void output[stream].push(bytes),
    ...changes,
  });
  const result = await command.result;
  const text = (stream: OutputStream) => Buffer.concat(output[stream]).toString();
  return { result, stdout: text('stdout'), stderr: text('stderr') };
}

async function startUntil(mark: string, script: string, connection?: SshConnection): Promise<RunningCommand> {
  let seen = '';
  let tell: () => void;
  const marked = new Promise<void>((resolve) => (tell = resolve));
  const command = await (connection ?? (await connect())).exec({
    script,
    onOutput: (_stream, bytes) => {
      seen += bytes.toString();
      if (seen.includes(mark)) tell();
    },
  });
  await marked;
  return command;
}

const exited = (exitCode: number) => ({ kind: 'exited', exitCode });

const isRunning = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

describe('a command', () => {
  it('reports its output streams separately, and its exit code', async () => {
    const ran = await run('echo out; echo err >&2; exit 7');
    expect(ran).toEqual({ result: exited(7), stdout: 'out\n', stderr: 'err\n' });
  });

  it.each([
    ['true', 0],
    ['false', 1],
    ['no-such-command-here', 127],
    ['exit 255', 255],
    ['if', 2],
    ['', 0],
    ['# only a comment', 0],
  ])('ends with its own exit code: %j is %i', async (script, code) => {
    expect((await run(script)).result).toEqual(exited(code));
  });

  it('distinguishes an end by a signal from an exit code', async () => {
    expect((await run('kill -TERM $$')).result).toEqual({ kind: 'signalled', signal: 'SIGTERM' });
  });

  it('names the line of the script in which the shell found an error', async () => {
    expect((await run('true\ntrue\nno-such-command-here')).stderr).toMatch(/\b3: .*no-such-command-here: not found/);
  });

  it('finds its standard input at end-of-file', async () => {
    expect(await run('cat; wc -c')).toMatchObject({ result: exited(0), stdout: '0\n' });
  });

  it('leads a process group of its own, which the acknowledgement names', async () => {
    const events: string[] = [];
    const command = await (await connect()).exec({
      script: 'echo $$',
      onStarted: () => void events.push('started'),
      onOutput: (_stream, bytes) => void events.push(bytes.toString()),
    });
    expect(await command.started).toBe(true);
    await command.result;
    expect(events).toEqual(['started', `${command.pid}\n`]);
  });

  it('receives hostile values byte for byte', async () => {
    const values = [
      "'",
      '"',
      '`id`$(id)${HOME}',
      'two\nlines',
      '\\',
      '!history',
      'žluťoučký 🐎',
      '-n',
      '%s',
      '\t',
      '*',
    ];
    const quoted = values.map((value) => `'${value.replaceAll("'", `'\\''`)}'`);
    const ran = await run(`for v in ${quoted.join(' ')}; do printf '%s|' "$v"; done`);
    expect(ran).toEqual({ result: exited(0), stdout: values.map((value) => `${value}|`).join(''), stderr: '' });
  });

  it('accepts a long script', async () => {
    const line = `: ${'x'.repeat(1000)}\n`;
    expect(await run(`${line.repeat(3000)}echo end`)).toMatchObject({ result: exited(0), stdout: 'end\n' });
  });

  it('is refused if it contains a NUL character', async () => {
    expect((await run('echo \0')).result).toMatchObject({ kind: 'refused' });
  });

  it('shows nothing of its script to other users of the host', async () => {
    const secret = 'hunter2-in-the-script';
    const command = await startUntil('up', `export TOKEN=${secret}; echo up; sleep 20; true`);
    const commandLines = () =>
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => {
          try {
            return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
          } catch {
            return '';
          }
        });
    await eventually('the process runs', () => commandLines().some((line) => line === 'sleep\u000020\0'));
    expect(commandLines().filter((line) => line.includes(secret) || line.includes('TOKEN'))).toEqual([]);
    await command.terminate(1000);
  });

  it('runs concurrently with and after others on one connection', async () => {
    const connection = await connect();
    const both = await Promise.all([run('sleep 0.2; echo one', connection), run('echo two; exit 2', connection)]);
    expect(both.map((ran) => ran.stdout)).toEqual(['one\n', 'two\n']);
    expect((await run('exit 3', connection)).result).toEqual(exited(3));
  });

  it('keeps its exit code when it closes its output first', async () => {
    expect((await run('exec </dev/null >/dev/null 2>&1; sleep 0.5; exit 5')).result).toEqual(exited(5));
  });

  it('does not wait forever for a background process that keeps the output open', async () => {
    const ran = await run('sleep 60 & echo pid:$!; exit 4');
    const pid = Number(/pid:(\d+)/.exec(ran.stdout)?.[1]);
    cleanUp.push(() => process.kill(pid));
    expect(ran.result).toEqual({ kind: 'exited', exitCode: 4, outputStillOpen: true });
    expect(isRunning(pid)).toBe(true);
  });
});

describe('output', () => {
  it('applies backpressure to the host, and is complete before the result', async () => {
    const total = 40 * 1024 * 1024;
    let taken = 0;
    let busy = false;
    let overlaps = 0;
    const before = process.memoryUsage().rss;
    let most = 0;
    const { result } = await run(`head -c ${total} /dev/zero`, undefined, {
      onOutput: async (_stream, bytes) => {
        overlaps += busy ? 1 : 0;
        busy = true;
        taken += bytes.length;
        if (taken % (1024 * 1024) < bytes.length) await new Promise((resolve) => setTimeout(resolve, 5));
        most = Math.max(most, process.memoryUsage().rss - before);
        busy = false;
      },
    });
    expect({ result, taken, overlaps }).toEqual({ result: exited(0), taken: total, overlaps: 0 });
    expect(most).toBeLessThan(100 * 1024 * 1024);
  });

  it('does not accumulate when the reader stops, even on both streams', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'runward-progress-'));
    await chmod(folder, 0o777);
    cleanUp.push(() => rm(folder, { recursive: true }));
    const progress = path.join(folder, 'rounds');
    const written = () => Number(existsSync(progress) ? readFileSync(progress, 'utf8') : 0);
    let release: () => void;
    const standstill = new Promise<void>((resolve) => (release = resolve));
    let taken = 0;
    let calls = 0;
    const connection = await connect();
    const command = await connection.exec({
      script: `i=0; while [ $i -lt 400 ]; do head -c 100000 /dev/zero; echo warning >&2; i=$((i+1)); echo $i >${progress}; done`,
      onOutput: (_stream, bytes) => {
        taken += bytes.length;
        calls += 1;
        return standstill;
      },
    });
    await eventually('the command prints', () => written() > 0);
    expect(await untilUnchanged('the command is blocked', written)).toBeLessThan(20);
    expect(calls).toBe(1);
    release!();
    expect(await command.result).toEqual(exited(0));
    expect(taken).toBe(400 * (100_000 + 'warning\n'.length));
  });

  it('that cannot be accepted rejects the result with the callback’s own error', async () => {
    const full = new Error('disk full');
    const command = await (await connect()).exec({
      script: 'yes',
      onOutput: () => Promise.reject(full),
    });
    await expect(command.result).rejects.toBe(full);
  });
});

describe('a host that fails', () => {
  it('during a command leaves a lost result, never an exit code', async () => {
    const own = await startSshHosts({ addresses: ['127.0.1.4'] });
    cleanUp.push(() => own.stop());
    const connection = await connect(own.target());
    const command = await startUntil('up', 'echo up; sleep 60', connection);
    own.sshd.kill();
    expect(await command.result).toMatchObject({ kind: 'lost', started: true });
    await connection.closed;
    const next = await run('true', connection);
    expect(next.result).toMatchObject({ kind: 'refused', message: expect.stringContaining('127.0.1.4') });
  });

  it('by hanging is detected by the keepalive', async () => {
    const own = await startSshHosts({ addresses: ['127.0.1.5'] });
    cleanUp.push(() => own.stop());
    const connection = await connect(own.target(), { keepaliveIntervalMs: 100, keepaliveCountMax: 2 });
    const command = await startUntil('up', 'echo up; sleep 60', connection);
    for (const pid of sessionsOf(own.sshd.pid)) {
      process.kill(pid, 'SIGSTOP');
      cleanUp.push(() => process.kill(pid, 'SIGCONT'));
    }
    expect(await command.result).toMatchObject({
      kind: 'lost',
      started: true,
      message: expect.stringContaining('Keepalive timeout'),
    });
    await connection.closed;
  });

  it('by opening no more sessions refuses the command', async () => {
    const own = await startSshHosts({ addresses: ['127.0.1.6'], extraConfig: 'MaxSessions 1' });
    cleanUp.push(() => own.stop());
    const connection = await connect(own.target());
    const first = await startUntil('up', 'echo up; sleep 60', connection);
    const second = await run('true', connection);
    expect(second.result).toMatchObject({ kind: 'refused', message: expect.stringContaining('MaxSessions') });
    await first.terminate(1000);
    expect(await first.result).toEqual({ kind: 'signalled', signal: 'SIGTERM' });
  });

  it('by a login shell that ends immediately never counts as success', async () => {
    const own = await startSshHosts({
      addresses: ['127.0.1.7'],
      extraConfig: 'ForceCommand echo "This account is closed."',
    });
    cleanUp.push(() => own.stop());
    const ran = await run('echo never', await connect(own.target()));
    expect(ran.result).toMatchObject({
      kind: 'refused',
      unsent: true,
      message: expect.stringMatching(/ended with status 0 before the command started:.*"This account is closed\."/),
    });
  });

  it('by never starting the command is abandoned in time', async () => {
    const own = await startSshHosts({ addresses: ['127.0.1.8'], extraConfig: 'ForceCommand exec sleep 60' });
    cleanUp.push(() => own.stop());
    const connection = await connect(own.target());
    const ran = await run('echo never', connection, { execTimeoutMs: 300 });
    expect(ran.result).toMatchObject({ kind: 'refused', code: 'no_launcher', unsent: true });
    const abort = new AbortController();
    const waiting = run('echo never', connection, { signal: abort.signal });
    setTimeout(() => abort.abort(), 100);
    expect((await waiting).result).toMatchObject({ kind: 'refused', unsent: true });
  });
});

describe('terminating', () => {
  it('ends the whole process tree', async () => {
    const connection = await connect();
    let pids: number[] = [];
    const command = await connection.exec({
      script: 'sh -c "sleep 61 & echo \\$! \\$\\$; wait" & echo $!; wait',
      onOutput: (_stream, bytes) => {
        pids = [...pids, ...(bytes.toString().match(/\d+/g) ?? []).map(Number)];
      },
    });
    await eventually('the processes run', () => pids.length >= 3);
    expect(pids.every(isRunning)).toBe(true);
    await command.terminate(3000);
    expect(await command.result).toEqual({ kind: 'signalled', signal: 'SIGTERM' });
    await eventually('the processes have ended', () => !pids.some(isRunning));
    expect((await run('echo still here', connection)).stdout).toBe('still here\n');
  });

  it('is graceful first', async () => {
    const command = await startUntil('up', 'trap "echo bye; exit 9" TERM; echo up; while :; do sleep 0.1; done');
    await command.terminate(5000);
    expect(await command.result).toEqual(exited(9));
  });

  it('is forced after the grace time', async () => {
    const command = await startUntil('up', 'trap "" TERM; echo up; while :; do sleep 0.1; done');
    const before = Date.now();
    await command.terminate(300);
    expect(await command.result).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
    expect(Date.now() - before).toBeGreaterThanOrEqual(300);
  });

  it('does nothing to a command that has ended', async () => {
    const connection = await connect();
    const command = await connection.exec({ script: 'true', onOutput: () => undefined });
    await command.result;
    await command.terminate(1000);
    expect(await command.result).toEqual(exited(0));
  });
});

function sessionsOf(listener: number): number[] {
  const randomBelow = (pid: number): number[] =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .flatMap((child) => [Number(child), ...randomBelow(Number(child))]);
  return randomBelow(listener).filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('sshd'));
}
