import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../test/support/eventually.js';
import {
  evidence,
  type JournalHost,
  newEntry,
  OutputCollector,
  startJournalHost,
} from '../../test/support/journal-host.js';
import type { Attached, AttachRequest, CommandResult, JournalEntry } from './remote-command.js';
import type { SshConnection } from './ssh-connection.js';

let host: JournalHost;
let connection: SshConnection;
beforeAll(async () => {
  host = await startJournalHost('127.0.1.11');
  connection = await host.connect();
});
afterAll(() => host.stop());

interface Seen {
  result: CommandResult;
  stdout: string;
  stderr: string;
}

const exited = (exitCode: number) => ({ kind: 'exited', exitCode });

async function run(script: string, journal: JournalEntry, by = connection): Promise<Seen & { journaled: boolean }> {
  const output = new OutputCollector();
  const command = await by.exec({ script, journal, onOutput: output.onOutput });
  const result = await command.result;
  return { result, journaled: command.journaled, stdout: output.stdout, stderr: output.stderr };
}

async function attach(
  journal: JournalEntry,
  changes: Partial<AttachRequest> = {},
  by = connection,
): Promise<{ attached: Attached; seen?: Seen }> {
  const output = new OutputCollector();
  const attached = await by.attach({ journal, onOutput: output.onOutput, ifAbsent: 'leave', ...changes });
  if (attached.kind !== 'attached') return { attached };
  const result = await attached.command.result;
  return { attached, seen: { result, stdout: output.stdout, stderr: output.stderr } };
}

describe('a command with a journal', () => {
  it('gives output and exit code as without, and keeps both for later', async () => {
    const entry = newEntry();
    const ran = await run('echo out; echo err >&2; exit 7', entry);
    expect(ran).toEqual({ result: exited(7), journaled: true, stdout: 'out\n', stderr: 'err\n' });
    expect((await attach(entry)).seen).toEqual({ result: exited(7), stdout: 'out\n', stderr: 'err\n' });
  });

  it.each([
    ['true', 0],
    ['false', 1],
    ['no-such-command-here', 127],
    ['exit 255', 255],
    ['if', 2],
    ['', 0],
    ['# only a comment', 0],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
  ])('ends with the same exit code live and attached: %j is %i', async (script, code) => {
    const entry = newEntry();
    expect((await run(script, entry)).result).toEqual(exited(code));
    expect((await attach(entry)).seen?.result).toEqual(exited(code));
  });

  it('finds the surroundings that it would find without', async () => {
    const script = 'umask; pwd; env | sort; set | grep -c "^_r[a-z0-9]="; echo "$0 $#"; cat; trap; ls /proc/$$/fd';
    const plain = new OutputCollector();
    await (await connection.exec({ script, onOutput: plain.onOutput })).result;
    expect(await run(script, newEntry())).toMatchObject({ stdout: plain.stdout, stderr: plain.stderr });
  });

  it('does not ignore the signals that a background process would', async () => {
    const script = 'grep SigIgn /proc/self/status';
    const plain = new OutputCollector();
    await (await connection.exec({ script, onOutput: plain.onOutput })).result;
    expect((await run(script, newEntry())).stdout).toBe(plain.stdout);
  });

  it('names the line of the script in which the shell found a fault', async () => {
    const { stderr } = await run('true\ntrue\nno-such-command-here', newEntry());
    expect(stderr).toMatch(/\b3: .*no-such-command-here: not found/);
  });

  it('gets hostile values byte for byte', async () => {
    const values = [
      "'",
      '"',
      '`id`$(id)${HOME}',
      'two\nlines',
      '\\',
      '\\n',
      '!x',
      'žluť 🐎',
      '-n',
      '%s',
      '\t',
      '*',
      ' ',
    ];
    const quoted = values.map((value) => `'${value.replaceAll("'", `'\\''`)}'`);
    const entry = newEntry();
    const expected = { result: exited(0), stdout: values.map((value) => `${value}|`).join(''), stderr: '' };
    const script = `for v in ${quoted.join(' ')}; do printf '%s|' "$v"; done`;
    expect(await run(script, entry)).toMatchObject(expected);
    expect((await attach(entry)).seen).toEqual(expected);
  });

  it('gives 8 MB of binary output byte for byte, live and attached', async () => {
    const bytes = randomBytes(8 * 1024 * 1024);
    const entry = newEntry({ spoolBytes: 16 * 1024 * 1024 });
    const source = path.join(host.home, 'source');
    const live = new OutputCollector();
    const command = await connection.exec({
      script: `head -c ${bytes.length} /dev/urandom >'${source}'; cat '${source}'; cat '${source}' >&2; exit 6`,
      journal: entry,
      onOutput: live.onOutput,
    });
    expect(await command.result).toEqual(exited(6));
    const expected = readFileSync(source);
    const later = new OutputCollector();
    const attached = await connection.attach({ journal: entry, onOutput: later.onOutput, ifAbsent: 'leave' });
    expect(attached.kind === 'attached' && (await attached.command.result)).toEqual(exited(6));
    for (const output of [live, later]) {
      expect(output.bytes('stdout').equals(expected)).toBe(true);
      expect(output.bytes('stderr').equals(expected)).toBe(true);
    }
  });

  it('goes on when it writes more than the host keeps, and attach says that the rest is missing', async () => {
    const entry = newEntry({ spoolBytes: 64 * 1024 });
    const ran = await run('head -c 3000000 /dev/zero | tr "\\0" x; exit 4', entry);
    expect(ran.result).toEqual(exited(4));
    expect(ran.stdout).toHaveLength(3_000_000);
    expect(ran.stderr).toBe('');
    expect(statSync(host.file(entry, 'out')).size).toBe(64 * 1024);
    const { seen } = await attach(entry);
    expect(seen?.result).toEqual({ ...exited(4), outputCut: true });
    expect(seen?.stdout).toBe('x'.repeat(64 * 1024));
  });

  it('shows its script to nobody and writes no value down', async () => {
    const secret = `hunter2-${randomUUID()}`;
    const entry = newEntry();
    const output = new OutputCollector();
    const command = await connection.exec({
      script: `export TOKEN='${secret}'; echo up; sleep 62; true`,
      journal: entry,
      onOutput: output.onOutput,
    });
    await output.until('up');
    const commandLines = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => readIfThere(`/proc/${pid}/cmdline`));
    expect(commandLines.filter((line) => line.includes(secret) || line.includes('TOKEN'))).toEqual([]);
    const kept = filesBelow(path.join(host.home, '.runward', entry.runId));
    expect(kept.length).toBeGreaterThan(5);
    expect(kept.filter((file) => readIfThere(file).includes(secret))).toEqual([]);
    for (const name of ['out', 'err']) expect(statSync(host.file(entry, name)).mode & 0o777).toBe(0o600);
    expect(statSync(host.file(entry, '.')).mode & 0o777).toBe(0o700);
    await command.terminate(3000);
    expect(await command.result).toEqual(exited(143));
  });

  it('does not wait for ever for a background process that keeps the output open, live or attached', async () => {
    const entry = newEntry();
    const ran = await run('sleep 63 & echo pid:$!; exit 4', entry);
    const pid = Number(/pid:(\d+)/.exec(ran.stdout)?.[1]);
    try {
      expect(ran.result).toEqual({ ...exited(4), outputStillOpen: true });
      const { seen } = await attach(entry);
      expect(seen).toEqual({ result: { ...exited(4), outputStillOpen: true }, stdout: `pid:${pid}\n`, stderr: '' });
    } finally {
      process.kill(pid);
    }
  });

  it('runs beside others of its run and of other runs', async () => {
    const entry = newEntry();
    const entries = [entry, newEntry({ runId: entry.runId }), newEntry(), newEntry()];
    const ran = await Promise.all(entries.map((each, n) => run(`sleep 0.2; echo ${n}; exit ${n}`, each)));
    expect(ran.map(({ result, stdout }) => [result, stdout])).toEqual(entries.map((_, n) => [exited(n), `${n}\n`]));
  });
});

describe('a dispatch', () => {
  it('starts once, however many try: 100 tries of 10 ids are 10 starts', async () => {
    const { runId } = newEntry();
    const file = path.join(host.home, 'starts');
    const ids = Array.from({ length: 10 }, () => randomUUID());
    const tries = ids.flatMap((id) => Array.from({ length: 10 }, () => id));
    const others = [connection, ...(await Promise.all([1, 2, 3].map(() => host.connect())))];
    const ran = await Promise.all(
      tries.map((dispatchId, n) =>
        run(`echo ${dispatchId} >>'${file}'`, newEntry({ runId, dispatchId }), others[n % others.length]),
      ),
    );
    expect(evidence(file).toSorted()).toEqual(ids.toSorted());
    const ends = ran.map(({ result }) => (result.kind === 'refused' ? result.code : result.kind));
    expect(ends.filter((end) => end === 'exited')).toHaveLength(10);
    expect(ends.filter((end) => end === 'already_started')).toHaveLength(90);
  });

  it('that never came is known as never started, and may still come', async () => {
    const entry = newEntry();
    expect((await attach(entry)).attached).toEqual({ kind: 'never_started' });
    expect((await run('echo came', entry)).stdout).toBe('came\n');
  });

  it('that was ruled out never starts, however late it comes', async () => {
    const entry = newEntry();
    expect((await attach(entry, { ifAbsent: 'void' })).attached).toEqual({ kind: 'never_started' });
    expect(await run('echo came', entry)).toMatchObject({ result: { kind: 'refused', code: 'voided' }, stdout: '' });
    expect((await attach(entry)).attached).toEqual({ kind: 'never_started' });
  });

  it('of a worker that another one has followed is refused', async () => {
    const entry = newEntry({ epoch: 9 });
    await run('true', entry);
    const { runId } = entry;
    const older = await run('echo came', newEntry({ runId, epoch: 8 }));
    expect(older).toMatchObject({ result: { kind: 'refused', code: 'older_epoch' }, stdout: '' });
    expect((await attach({ ...entry, epoch: 8 })).attached).toMatchObject({ kind: 'failed', code: 'older_epoch' });
    expect((await run('echo came', newEntry({ runId, epoch: 10 }))).stdout).toBe('came\n');
  });

  it('of a worker that was followed only by a look is refused too', async () => {
    const entry = newEntry();
    await attach({ ...entry, epoch: 2 }, { ifAbsent: 'void' });
    const late = await run('echo came', newEntry({ runId: entry.runId }));
    expect(late).toMatchObject({ result: { kind: 'refused', code: 'older_epoch' }, stdout: '' });
  });

  it('with an id or a number that is none is refused before anything is sent', async () => {
    for (const wrong of [{ runId: '../x' }, { dispatchId: '$(id)' }, { epoch: -1 }, { forget: ['*'] }]) {
      const entry = newEntry(wrong);
      expect((await run('echo came', entry)).result.kind).toBe('refused');
      expect((await attach(entry)).attached.kind).toBe('failed');
    }
  });
});

describe('a command whose connection is lost', () => {
  const script = (file: string) =>
    `echo started >>'${file}'; echo one; echo warn >&2; while [ -e '${file}.wait' ]; do sleep 0.05; done; echo two; echo end >&2; exit 5`;

  it('runs on, and is followed by the next connection from its first byte to its true exit code', async () => {
    const entry = newEntry();
    const file = path.join(host.home, entry.dispatchId);
    const { connection: first, cut } = await host.connectThroughRelay();
    const output = new OutputCollector();
    const command = await first.exec({
      script: `>'${file}.wait'; ${script(file)}`,
      journal: entry,
      onOutput: output.onOutput,
    });
    await output.until('one');
    cut();
    expect(await command.result).toMatchObject({ kind: 'lost', started: true, journaled: true });

    const later = new OutputCollector();
    const attached = await connection.attach({
      journal: { ...entry, epoch: 2 },
      onOutput: later.onOutput,
      ifAbsent: 'void',
    });
    if (attached.kind !== 'attached') throw new Error(attached.kind);
    expect(attached.command.pid).toBe(command.pid);
    await later.until('one');
    await connection.exec({ script: `rm '${file}.wait'`, onOutput: () => undefined });
    expect(await attached.command.result).toEqual(exited(5));
    expect([later.stdout, later.stderr]).toEqual(['one\ntwo\n', 'warn\nend\n']);
    expect(evidence(file)).toEqual(['started']);
  });

  it('tells all of itself also when it ended before anybody came back', async () => {
    const entry = newEntry();
    const file = path.join(host.home, entry.dispatchId);
    const { connection: first, cut } = await host.connectThroughRelay();
    const output = new OutputCollector();
    const slow = `echo up; sleep 0.3; head -c 500000 /dev/zero | tr '\\0' y; ${script(file)}`;
    await first.exec({ script: slow, journal: entry, onOutput: output.onOutput });
    await output.until('up');
    cut();
    await eventually('the end is written', () => /^ \d/.test(readFileSync(host.file(entry, 'end'), 'utf8')));
    const { seen } = await attach(entry);
    expect(seen?.result).toEqual(exited(5));
    expect(seen?.stdout).toBe(`up\n${'y'.repeat(500_000)}one\ntwo\n`);
    expect(evidence(file)).toEqual(['started']);
  });

  it('is freed by an attach when its connection stands still with the output blocked', async () => {
    const entry = newEntry({ spoolBytes: 64 * 1024 * 1024 });
    const file = path.join(host.home, entry.dispatchId);
    const { connection: first, standStill } = await host.connectThroughRelay();
    const output = new OutputCollector();
    await first.exec({
      script: `echo up; head -c 30000000 /dev/zero; echo end >>'${file}'; exit 3`,
      journal: entry,
      onOutput: (stream, bytes) => {
        void output.onOutput(stream, bytes);
        standStill();
        return new Promise(() => undefined);
      },
    });
    await output.until('up');
    await eventually('the output stands still', async () => {
      const before = statSync(host.file(entry, 'out')).size;
      await new Promise((resolve) => setTimeout(resolve, 500));
      return before > 0 && before === statSync(host.file(entry, 'out')).size;
    });
    expect(evidence(file)).toEqual([]);
    const { seen } = await attach({ ...entry, epoch: 2 });
    expect(seen?.result).toEqual(exited(3));
    expect(seen?.stdout).toHaveLength(30_000_003);
    expect(evidence(file)).toEqual(['end']);
  });

  it('is ended by whoever is attached to it, with all that it has started', async () => {
    const entry = newEntry();
    const { connection: first, cut } = await host.connectThroughRelay();
    const output = new OutputCollector();
    await first.exec({
      script:
        'timeout 65 sleep 64 & sh -c "trap \\"\\" TERM; sleep 66 & echo $! \\$! up; wait; sleep 66" & wait; sleep 66',
      journal: entry,
      onOutput: output.onOutput,
    });
    await output.until('up');
    const pids = (output.stdout.match(/\d+/g) ?? []).map(Number);
    expect(pids).toHaveLength(2);
    cut();
    const attached = await connection.attach({ journal: entry, onOutput: output.onOutput, ifAbsent: 'void' });
    if (attached.kind !== 'attached') throw new Error(attached.kind);
    await attached.command.terminate(300);
    expect(await attached.command.result).toEqual(exited(143));
    await eventually('all have ended', () => pids.every((pid) => !isRunning(pid)));
  });
});

describe('a command that nobody can tell the end of', () => {
  it('is gone with its host when that was restarted', async () => {
    const entry = newEntry();
    const command = await startForGood(entry);
    // what a restart leaves: another boot id than the one that was written down
    await overwrite(host.file(entry, 'pid'), (text) => text.replace(/\S+$/m, randomUUID()));
    expect((await attach(entry)).attached).toEqual({ kind: 'rebooted' });
    await command.terminate(1000);
    // an exit status that was written before the restart is as good as ever
    await overwrite(host.file(entry, 'pid'), (text) => text.replace(/\S+$/m, randomUUID()));
    expect((await attach(entry)).seen?.result).toEqual(exited(143));
  });

  it('has vanished when it was killed together with its supervisor', async () => {
    const entry = newEntry();
    const command = await startForGood(entry);
    const supervisor = Number(readFileSync(host.file(entry, 'sup'), 'utf8').trim().split(' ')[0]);
    process.kill(supervisor, 'SIGKILL');
    process.kill(-command.pid!, 'SIGKILL');
    expect(await command.result).toMatchObject({ kind: 'lost', started: true, journaled: true });
    expect((await attach(entry)).attached).toMatchObject({ kind: 'vanished' });
  });

  it('is still followed while it outlives its supervisor, and then has vanished', async () => {
    const entry = newEntry();
    const command = await startForGood(entry);
    const supervisor = Number(readFileSync(host.file(entry, 'sup'), 'utf8').trim().split(' ')[0]);
    process.kill(supervisor, 'SIGKILL');
    const output = new OutputCollector();
    const attached = await connection.attach({ journal: entry, onOutput: output.onOutput, ifAbsent: 'void' });
    if (attached.kind !== 'attached') throw new Error(attached.kind);
    await output.until('up');
    await attached.command.terminate(1000);
    expect(await attached.command.result).toMatchObject({ kind: 'lost', started: true, journaled: true });
    expect((await attach(entry)).attached).toMatchObject({ kind: 'vanished' });
    expect(command.pid).toBe(attached.command.pid);
  });

  async function startForGood(entry: JournalEntry) {
    const output = new OutputCollector();
    const command = await connection.exec({
      script: 'echo up; sleep 67; true',
      journal: entry,
      onOutput: output.onOutput,
    });
    await output.until('up');
    return command;
  }
});

describe('a launcher that stopped half way', () => {
  it('is ruled out by an attach, and can be told from a start', async () => {
    const entry = newEntry();
    await run('true', newEntry({ runId: entry.runId }));
    await run(`mkdir "$HOME/.runward/${entry.runId}/${entry.dispatchId}"`, newEntry());
    expect((await attach(entry)).attached).toEqual({ kind: 'never_started' });
    expect((await run('echo came', entry)).result).toMatchObject({ kind: 'refused', code: 'voided' });
  });
});

describe('forgetting', () => {
  it('removes a dispatch whose result is stored, which still can not start again', async () => {
    const entry = newEntry();
    const next = newEntry({ runId: entry.runId, forget: [entry.dispatchId] });
    await run('echo out', entry);
    await run('true', next);
    await eventually('it is removed', () => !existsSync(host.file(entry, '.')));
    expect((await run('echo came', entry)).result).toMatchObject({ kind: 'refused', code: 'already_started' });
    expect((await attach(entry)).attached).toMatchObject({ kind: 'no_journal' });
    await connection.forget(entry.runId, { dispatchIds: [next.dispatchId] });
    expect(existsSync(host.file(next, '.'))).toBe(false);
  });

  it('of a whole run leaves one empty mark, which keeps late launchers from starting', async () => {
    const entry = newEntry();
    await run('echo out', entry);
    await connection.forget(entry.runId, { whole: true });
    const folder = path.join(host.home, '.runward', entry.runId);
    expect(readdirSync(folder)).toEqual(['closed']);
    expect(statSync(path.join(folder, 'closed')).size).toBe(0);
    expect((await run('echo came', entry)).result).toMatchObject({ kind: 'refused', code: 'run_ended' });
    expect((await attach(entry)).attached).toMatchObject({ kind: 'no_journal' });
  });

  it('removes what other runs left more than seven days ago, unless it still runs', async () => {
    const [old, recent, running] = [newEntry(), newEntry(), newEntry()];
    await run('true', old);
    await run('true', recent);
    const output = new OutputCollector();
    const command = await connection.exec({ script: 'echo up; sleep 68', journal: running, onOutput: output.onOutput });
    await output.until('up');
    const folder = ({ runId }: JournalEntry) => path.join(host.home, '.runward', runId);
    const days = (count: number) => new Date(Date.now() - count * 24 * 3_600_000);
    utimesSync(folder(old), days(8), days(8));
    utimesSync(folder(running), days(8), days(8));
    utimesSync(folder(recent), days(6), days(6));
    await connection.forget(randomUUID(), { whole: true });
    expect([old, recent, running].map((entry) => existsSync(folder(entry)))).toEqual([false, true, true]);
    await command.terminate(1000);
  });
});

const isRunning = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/^\d+ \(.*\) Z/s.test(readIfThere(`/proc/${pid}/stat`));

function readIfThere(file: string): string {
  try {
    // reading a pipe without a writer would wait for one
    return statSync(file).isFIFO() ? '' : readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => !each.isDirectory())
    .map((each) => path.join(each.parentPath, each.name));
}

async function overwrite(file: string, change: (text: string) => string): Promise<void> {
  const text = change(readFileSync(file, 'utf8').trimEnd());
  await (await connection.exec({ script: `echo '${text}' >'${file}'`, onOutput: () => undefined })).result;
}
