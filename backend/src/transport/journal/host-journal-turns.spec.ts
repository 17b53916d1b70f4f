import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import {
  attachToEnd,
  evidence,
  type JournalHost,
  newEntry,
  OutputCollector,
  runJournaled,
  startJournalHost,
} from '../../../test/support/journal-host.js';
import { isAlive } from '../../../test/support/processes.js';
import type { SshConnection } from '../connection/ssh-connection.js';

let host: JournalHost;
let connection: SshConnection;
beforeAll(async () => {
  host = await startJournalHost('127.0.1.19');
});
afterAll(() => host.stop());
afterEach(() => connection.end());

const SHELL = 'read -r _ _ _ shell _ </proc/$$/stat; echo "$shell"';
const exited = (exitCode: number) => ({ kind: 'exited', exitCode });
const next = (folderId: string, changes = {}) => newEntry({ folderId, ...changes });
async function shellOf(folderId: string, script = SHELL, by = connection): Promise<number> {
  const { stdout, result } = await runJournaled(by, script, next(folderId));
  expect([result, stdout]).toEqual([exited(0), expect.stringMatching(/^\d+\n$/)]);
  return Number(stdout);
}

describe('the commands of a run over one connection', () => {
  it('are started by one shell, each with its own output and exit code, for any length', async () => {
    connection = await host.connect();
    const { folderId } = newEntry();
    const shell = await shellOf(folderId);
    const long = `: '${'x'.repeat(100_000)}'`;
    for (const [n, middle] of ['', long, ': žluť', ': short', long].entries()) {
      const entry = next(folderId);
      const ran = await runJournaled(connection, `echo out-${n}; echo err-${n} >&2\n${middle}\nexit ${n}`, entry);
      const seen = { result: exited(n), stdout: `out-${n}\n`, stderr: `err-${n}\n` };
      expect(ran).toEqual({ ...seen, journaled: true });
      expect((await attachToEnd(connection, entry)).seen).toEqual(seen);
    }
    expect(await shellOf(folderId)).toBe(shell);
  });

  it('find nothing that an earlier command left in its shell', async () => {
    connection = await host.connect();
    const { folderId } = newEntry();
    const look =
      'umask; pwd; env | sort; set | grep -c "^_r[a-z0-9]="; ulimit -a; trap; ls /proc/$$/fd; grep SigIgn /proc/self/status';
    const first = await runJournaled(connection, look, next(folderId));
    const damageShellCommand = `umask 077; cd /; export A=1 PATH=/; _rv=x; ulimit -n 20; trap '' TERM INT PIPE; exec 1>&- 2>&- 0<&- 5>/dev/null; exit 3`;
    expect((await runJournaled(connection, damageShellCommand, next(folderId))).result).toEqual(exited(3));
    expect(await runJournaled(connection, look, next(folderId))).toEqual(first);
  });

  it('end as they would without the shared shell: by a signal, and with megabytes of output', async () => {
    connection = await host.connect();
    const { folderId } = newEntry();
    const shell = await shellOf(folderId);
    expect((await runJournaled(connection, 'kill -KILL $$', next(folderId))).result).toEqual(exited(137));
    const much = 'head -c 3000000 /dev/zero | tr "\\0" "\\036"; head -c 3000000 /dev/zero | tr "\\0" y >&2; exit 4';
    const ran = await runJournaled(connection, much, next(folderId));
    expect(ran.result).toEqual(exited(4));
    expect([ran.stdout === '\x1e'.repeat(3_000_000), ran.stderr === 'y'.repeat(3_000_000)]).toEqual([true, true]);
    const output = new OutputCollector();
    const script = 'echo up; sleep 64; true';
    const command = await connection.exec({ script, journal: next(folderId), onOutput: output.onOutput });
    await output.until('up');
    await command.terminate(3000);
    expect(await command.result).toEqual(exited(143));
    expect(await shellOf(folderId)).toBe(shell);
  });

  it('have separate streams when one of them can no longer have a journal', async () => {
    connection = await host.connect();
    const { folderId } = newEntry();
    const damageShellCommand = 'mv ~/.runward ~/.moved && : >~/.runward; echo gone >&2';
    const journaled = await runJournaled(connection, damageShellCommand, next(folderId));
    const back = 'echo err >&2; echo out; rm ~/.runward; mv ~/.moved ~/.runward; exit 5';
    const plain = await runJournaled(connection, back, next(folderId));
    expect(journaled).toMatchObject({ journaled: true, stderr: 'gone\n' });
    expect(plain).toEqual({ result: exited(5), stdout: 'out\n', stderr: 'err\n', journaled: false });
  });

  it('that run concurrently have separate shells, of which one is kept', async () => {
    connection = await host.connect();
    const { folderId } = newEntry();
    const shells = await Promise.all([1, 2, 3].map(() => shellOf(folderId, `sleep 0.2; ${SHELL}`)));
    expect(new Set(shells).size).toBe(3);
    expect(shells).toContain(await shellOf(folderId));
    await eventually('the others have ended', async () => {
      const alive = await Promise.all(shells.map((shell) => isAlive(shell)));
      return alive.filter(Boolean).length === 1;
    });
  });

  it('of another run are started by another shell', async () => {
    connection = await host.connect();
    const [first, second] = [await shellOf(newEntry().folderId), await shellOf(newEntry().folderId)];
    expect(second).not.toBe(first);
    await eventually('the first one has ended', async () => !(await isAlive(first)));
  });

  it.each(['.bashrc', '.zshenv', '.config/fish/conf.d/new.fish', '.ssh/environment', '.bashrc.d/new'])(
    'see changes that an earlier command made to the login script ~/%s',
    async (name) => {
      connection = await host.connect();
      const { folderId } = newEntry();
      const first = await shellOf(folderId);
      const file = `"$HOME/${name}"`;
      const change = `mkdir -p "$(dirname ${file})"; echo "# a change" >>${file}; ${SHELL}`;
      expect(await shellOf(folderId, change)).toBe(first);
      const changedAt = statSync(path.join(host.home, name)).mtimeMs;
      const probe = path.join(host.home, 'probe');
      await eventually('the clock of the file system has moved on', () => {
        writeFileSync(probe, 'now');
        return statSync(probe).mtimeMs > changedAt;
      });
      const later = next(folderId, { generation: 2 });
      const { stdout } = await runJournaled(connection, SHELL, later);
      expect(Number(stdout)).not.toBe(first);
      expect(await runJournaled(connection, SHELL, next(folderId, { generation: 2 }))).toMatchObject({ stdout });
      rmSync(path.join(host.home, name));
    },
  );

  it('are refused for their own reasons without affecting the next command', async () => {
    connection = await host.connect();
    const { folderId } = newEntry();
    const entry = next(folderId);
    await runJournaled(connection, 'true', entry);
    const again = await runJournaled(connection, 'echo came', entry);
    expect(again).toMatchObject({ result: { kind: 'refused', code: 'already_started' }, stdout: '' });
    await shellOf(folderId);
    const ruledOutEntry = next(folderId);
    await attachToEnd(connection, ruledOutEntry, { ifAbsent: 'void' });
    const voidedResult = await runJournaled(connection, 'echo came', ruledOutEntry);
    expect(voidedResult).toMatchObject({ result: { kind: 'refused', code: 'voided' }, stdout: '' });
    await shellOf(folderId);
    await attachToEnd(connection, { ...next(folderId), generation: 5 });
    const older = await runJournaled(connection, 'echo came', next(folderId));
    expect(older).toMatchObject({ result: { kind: 'refused', code: 'older_epoch' }, stdout: '' });
  });
});

describe('a shell that waits for the next command', () => {
  it('removes the files of the run and ends', async () => {
    connection = await host.connect();
    const entry = newEntry();
    const shell = await shellOf(entry.folderId);
    await connection.forget(entry.folderId, { whole: true });
    expect(readdirSync(path.dirname(host.file(entry, 'sup')))).toEqual(['closed']);
    expect(await isAlive(shell)).toBe(false);
    expect((await runJournaled(connection, 'echo came', next(entry.folderId))).result).toMatchObject({
      kind: 'refused',
      code: 'run_ended',
    });
  });

  it('ends with its connection', async () => {
    connection = await host.connect();
    const shell = await shellOf(newEntry().folderId);
    connection.end();
    await eventually('it has ended', async () => !(await isAlive(shell)));
    const relayed = await host.connectThroughRelay();
    const other = await shellOf(newEntry().folderId, SHELL, relayed.connection);
    relayed.cut();
    await eventually('it has ended', async () => !(await isAlive(other)));
  });

  it('ends after an idle time', async () => {
    connection = await host.connect();
    const shell = await shellOf(newEntry().folderId);
    await eventually('it has ended', async () => !(await isAlive(shell)), 20_000);
  });

  it('starts the next command or nothing after it was killed, and reports which', async () => {
    const file = path.join(host.home, 'kills');
    for (let round = 0; round < 6; round += 1) {
      connection = await host.connect();
      const { folderId } = newEntry();
      const shell = await shellOf(folderId);
      const entry = next(folderId);
      process.kill(shell, 'SIGKILL');
      const { result } = await runJournaled(connection, `echo ${entry.dispatchId} >>'${file}'`, entry);
      const starts = () => evidence(file).filter((line) => line === entry.dispatchId).length;
      if (result.kind === 'exited') expect(starts()).toBe(1);
      else {
        expect(result).toMatchObject({ kind: 'lost', started: false, journaled: true });
        const { attached } = await attachToEnd(connection, entry, { ifAbsent: 'void' });
        expect([attached.kind, starts()]).toEqual(['never_started', 0]);
      }
      await shellOf(folderId);
      connection.end();
    }
  });

  it('leaves its command running when it is killed, with output that can be found', async () => {
    connection = await host.connect();
    const { folderId } = newEntry();
    await shellOf(folderId);
    const entry = next(folderId);
    const output = new OutputCollector();
    const go = path.join(host.home, 'go');
    const script = `${SHELL}; while ! [ -e '${go}' ]; do sleep 0.05; done; echo end; exit 6`;
    const command = await connection.exec({ script, journal: entry, onOutput: output.onOutput });
    await output.until('\n');
    process.kill(Number(output.stdout), 'SIGKILL');
    expect(await command.result).toMatchObject({ kind: 'lost', started: true, journaled: true });
    const later = new OutputCollector();
    const attached = await connection.attach({ journal: entry, onOutput: later.onOutput, ifAbsent: 'leave' });
    writeFileSync(go, '');
    // The killed shell would have written the exit status.
    expect(attached.kind === 'attached' && (await attached.command.result)).toMatchObject({ kind: 'lost' });
    expect(later.stdout).toBe(`${output.stdout}end\n`);
    rmSync(go);
  });
});

describe('a connection lost after the exit status of a command', () => {
  it('keeps the exit code and reports missing output', async () => {
    const { connection: relayed, cut } = await host.connectThroughRelay();
    connection = relayed;
    const output = new OutputCollector();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const command = await connection.exec({
      script: 'head -c 300000 /dev/zero | tr "\\0" x; exit 3',
      onOutput: async (stream, bytes) => {
        await held;
        await output.onOutput(stream, bytes);
      },
    });
    await eventually('its exit status has come', () => command.hasExited);
    cut();
    release();
    expect(await command.result).toEqual({ kind: 'exited', exitCode: 3, outputCut: true });
    expect(output.bytes('stdout').length).toBeLessThan(300_000);
  });

  it('reports no missing output if the host had already ended the output', async () => {
    const { connection: relayed, cut } = await host.connectThroughRelay();
    connection = relayed;
    const command = await connection.exec({ script: 'echo all; exit 3', onOutput: () => undefined });
    expect(await command.result).toEqual({ kind: 'exited', exitCode: 3 });
    cut();
  });
});

describe('a host that allows few sessions per connection', () => {
  const hosts: JournalHost[] = [];
  afterEach(async () => {
    for (const each of hosts.splice(0)) await each.stop();
  });
  async function few(sessions: number): Promise<SshConnection> {
    const limited = await startJournalHost('127.0.1.20', `MaxSessions ${sessions}`);
    hosts.push(limited);
    return limited.connect();
  }

  it('gets the idle session back for other work', async () => {
    connection = await few(1);
    const { folderId } = newEntry();
    await shellOf(folderId);
    const plain = await connection.exec({ script: 'exit 5', onOutput: () => undefined });
    expect(await plain.result).toEqual(exited(5));
    await shellOf(folderId);
    const other = newEntry();
    expect((await runJournaled(connection, 'exit 6', other)).result).toEqual(exited(6));
    expect((await attachToEnd(connection, other)).seen?.result).toEqual(exited(6));
    await connection.forget(folderId, { whole: true });
  });

  it('does not keep shells that wait for output of background processes', async () => {
    connection = await few(2);
    const { folderId } = newEntry();
    const left: number[] = [];
    try {
      for (let round = 0; round < 4; round += 1) {
        const script = `sleep 61 & echo $!; ${SHELL}; exit ${round}`;
        const { result, stdout } = await runJournaled(connection, script, next(folderId));
        const [background, shell] = stdout.trim().split('\n').map(Number);
        left.push(background!);
        expect(result).toEqual({ ...exited(round), outputStillOpen: true });
        await eventually('its shell has ended', async () => !(await isAlive(shell!)));
      }
      expect(await Promise.all(left.map((pid) => isAlive(pid)))).toEqual([true, true, true, true]);
    } finally {
      for (const pid of left) process.kill(pid, 'SIGKILL');
    }
  });
});

describe('a host that discards standard error', () => {
  let silent: JournalHost;
  afterEach(() => silent.stop());

  it('has one session per command, with complete output for a slow reader', async () => {
    silent = await startJournalHost(
      '127.0.1.21',
      'ForceCommand exec 2>/dev/null; exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"',
    );
    connection = await silent.connect();
    const { folderId } = newEntry();
    const shells: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      const output = new OutputCollector();
      const command = await connection.exec({
        script: `${SHELL}; echo err >&2; head -c 200000 /dev/zero | tr '\\0' x; exit 8`,
        journal: next(folderId),
        onOutput: async (stream, bytes) => {
          await new Promise((resolve) => setTimeout(resolve, 50));
          await output.onOutput(stream, bytes);
        },
      });
      expect(await command.result).toEqual(exited(8));
      const [shell, rest] = output.stdout.split('\n');
      shells.push(Number(shell));
      expect([rest?.length, output.stderr]).toEqual([200_000, '']);
    }
    expect(shells[0]).not.toBe(shells[1]);
  });
});
