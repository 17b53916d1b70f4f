import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, untilUnchanged } from '../../../test/support/eventually.js';
import {
  attachToEnd,
  evidence,
  type JournalHost,
  newEntry,
  OutputCollector,
  readIfThere,
  startJournalHost,
} from '../../../test/support/journal-host.js';
import type { AttachRequest, JournalEntry } from '../remote-command.js';
import type { SshConnection } from '../connection/ssh-connection.js';

let host: JournalHost;
let connection: SshConnection;
beforeAll(async () => {
  host = await startJournalHost('127.0.1.13');
  connection = await host.connect();
});
afterAll(() => host.stop());

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0)) await undo();
});

const exited = (exitCode: number) => ({ kind: 'exited', exitCode });
const attach = (journal: JournalEntry, changes?: Partial<AttachRequest>) => attachToEnd(connection, journal, changes);

describe('a command that lost its connection', () => {
  const script = (file: string) =>
    `echo started >>'${file}'; echo one; echo warn >&2; while [ -e '${file}.wait' ]; do sleep 0.05; done; echo two; echo end >&2; exit 5`;

  it('continues, and the next connection follows it from the first byte to the real exit code', async () => {
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
      journal: { ...entry, generation: 2 },
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

  it('is reported completely even if it ended before an attach', async () => {
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

  it.each([
    ['', ''],
    [' under a login shell that waits', 'ForceCommand /bin/sh -c "$SSH_ORIGINAL_COMMAND"; exit $?'],
  ])('is released by an attach when its connection hangs with the output blocked%s', async (_where, config) => {
    const host = await startJournalHost('127.0.1.21', config);
    cleanUp.push(() => host.stop());
    const entry = newEntry({ spoolBytes: 64 * 1024 * 1024 });
    const file = path.join(host.home, entry.dispatchId);
    const { connection: first, stopRelay } = await host.connectThroughRelay();
    const output = new OutputCollector();
    await first.exec({
      script: `echo up; head -c 30000000 /dev/zero; echo end >>'${file}'; exit 3`,
      journal: entry,
      onOutput: (stream, bytes) => {
        void output.onOutput(stream, bytes);
        stopRelay();
        return new Promise(() => undefined);
      },
    });
    await output.until('up');
    const size = () => statSync(host.file(entry, 'out')).size;
    await eventually('output is stored', () => size() > 0);
    await untilUnchanged('the output is blocked', size);
    expect(evidence(file)).toEqual([]);
    const { seen } = await attachToEnd(await host.connect(), { ...entry, generation: 2 });
    expect(seen?.result).toEqual(exited(3));
    expect(seen?.stdout).toHaveLength(30_000_003);
    expect(evidence(file)).toEqual(['end']);
  });

  it('can be ended, with its child processes, by the attached connection', async () => {
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

describe('a command with an unknown end', () => {
  it('is reported as rebooted when its host was restarted', async () => {
    const entry = newEntry();
    const command = await startDurably(entry);
    // Simulates a restart of the host: the stored boot ID no longer matches.
    await overwrite(host.file(entry, 'pid'), (text) => text.replace(/\S+$/m, randomUUID()));
    expect((await attach(entry)).attached).toEqual({ kind: 'rebooted' });
    await command.terminate(1000);
    // An exit status written before the restart remains valid.
    await overwrite(host.file(entry, 'pid'), (text) => text.replace(/\S+$/m, randomUUID()));
    expect((await attach(entry)).seen?.result).toEqual(exited(143));
  });

  it('is reported as vanished when it was killed with its supervisor', async () => {
    const entry = newEntry();
    const command = await startDurably(entry);
    const supervisor = Number(readFileSync(host.file(entry, 'sup'), 'utf8').trim().split(' ')[0]);
    process.kill(supervisor, 'SIGKILL');
    process.kill(-command.pid!, 'SIGKILL');
    expect(await command.result).toMatchObject({ kind: 'lost', started: true, journaled: true });
    expect((await attach(entry)).attached).toMatchObject({ kind: 'vanished' });
  });

  it('is followed while it outlives its supervisor, and then reported as vanished', async () => {
    const entry = newEntry();
    const command = await startDurably(entry);
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

  async function startDurably(entry: JournalEntry) {
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

const isRunning = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/^\d+ \(.*\) Z/s.test(readIfThere(`/proc/${pid}/stat`));

async function overwrite(file: string, change: (text: string) => string): Promise<void> {
  const text = change(readFileSync(file, 'utf8').trimEnd());
  await (await connection.exec({ script: `echo '${text}' >'${file}'`, onOutput: () => undefined })).result;
}
