import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
import type { AttachRequest, JournalEntry } from '../remote-command.js';
import type { SshConnection } from '../connection/ssh-connection.js';

let host: JournalHost;
let connection: SshConnection;
beforeAll(async () => {
  host = await startJournalHost('127.0.1.12');
  connection = await host.connect();
});
afterAll(() => host.stop());

const run = (script: string, journal: JournalEntry, by = connection) => runJournaled(by, script, journal);
const attach = (journal: JournalEntry, changes?: Partial<AttachRequest>) => attachToEnd(connection, journal, changes);

describe('a dispatch', () => {
  it('starts once: 100 attempts with 10 IDs are 10 starts', async () => {
    const { folderId } = newEntry();
    const file = path.join(host.home, 'starts');
    const ids = Array.from({ length: 10 }, () => randomUUID());
    const tries = ids.flatMap((id) => Array.from({ length: 10 }, () => id));
    const others = [connection, ...(await Promise.all([1, 2, 3].map(() => host.connect())))];
    const ran = await Promise.all(
      tries.map((dispatchId, n) =>
        run(`echo ${dispatchId} >>'${file}'`, newEntry({ folderId, dispatchId }), others[n % others.length]),
      ),
    );
    expect(evidence(file).toSorted()).toEqual(ids.toSorted());
    const ends = ran.map(({ result }) => (result.kind === 'refused' ? result.code : result.kind));
    expect(ends.filter((end) => end === 'exited')).toHaveLength(10);
    expect(ends.filter((end) => end === 'already_started')).toHaveLength(90);
  });

  it('is known as never started if it never arrived, and may still arrive', async () => {
    const entry = newEntry();
    expect((await attach(entry)).attached).toMatchObject({ kind: 'never_started' });
    expect((await run('echo came', entry)).stdout).toBe('came\n');
  });

  it("is reported as never started together with the host's uptime", async () => {
    const upMs = async (ifAbsent: 'leave' | 'void', entry = newEntry()) => {
      const { attached } = await attach(entry, { ifAbsent });
      return (attached.kind === 'never_started' && attached.hostUpMs) || 0;
    };
    const entry = newEntry();
    const uptimes = [await upMs('leave'), await upMs('void', entry), await upMs('leave', entry)];
    // The first process is older than this one, and not older than the machine.
    for (const ms of uptimes) {
      expect(ms).toBeGreaterThanOrEqual(Math.floor(process.uptime()) * 1000);
      expect(ms).toBeLessThanOrEqual(Math.ceil(os.uptime()) * 1000);
    }
  });

  it('that was ruled out never starts, however late it comes', async () => {
    const entry = newEntry();
    expect((await attach(entry, { ifAbsent: 'void' })).attached).toMatchObject({ kind: 'never_started' });
    expect(await run('echo came', entry)).toMatchObject({ result: { kind: 'refused', code: 'voided' }, stdout: '' });
    expect((await attach(entry)).attached).toMatchObject({ kind: 'never_started' });
  });

  it('is refused from a worker that was replaced by another', async () => {
    const entry = newEntry({ generation: 9 });
    await run('true', entry);
    const { folderId } = entry;
    const older = await run('echo came', newEntry({ folderId, generation: 8 }));
    expect(older).toMatchObject({ result: { kind: 'refused', code: 'older_epoch' }, stdout: '' });
    expect((await attach({ ...entry, generation: 8 })).attached).toMatchObject({ kind: 'failed', code: 'older_epoch' });
    expect((await run('echo came', newEntry({ folderId, generation: 10 }))).stdout).toBe('came\n');
  });

  it('is refused from a worker that was replaced by another that only attached', async () => {
    const entry = newEntry();
    await attach({ ...entry, generation: 2 }, { ifAbsent: 'void' });
    const late = await run('echo came', newEntry({ folderId: entry.folderId }));
    expect(late).toMatchObject({ result: { kind: 'refused', code: 'older_epoch' }, stdout: '' });
  });

  it('is either started or ruled out in a race of both, and both sides agree', async () => {
    const file = path.join(host.home, 'races');
    for (const generation of [1, 2]) {
      const races = Array.from({ length: 30 }, async () => {
        const entry = newEntry();
        const [ran, looked] = await Promise.all([
          run(`echo ${entry.dispatchId} >>'${file}'`, entry),
          attach({ ...entry, generation }, { ifAbsent: 'void' }),
        ]);
        const { kind } = looked.attached;
        const starts = evidence(file).filter((line) => line === entry.dispatchId).length;
        return `${ran.result.kind} ${kind} ${starts}`;
      });
      for (const race of await Promise.all(races))
        expect(['exited attached 1', 'refused never_started 0']).toContain(race);
    }
  });

  it('is refused with an invalid ID or number before anything is sent', async () => {
    for (const wrong of [{ folderId: '../x' }, { dispatchId: '$(id)' }, { generation: -1 }, { forget: ['*'] }]) {
      const entry = newEntry(wrong);
      expect((await run('echo came', entry)).result.kind).toBe('refused');
      expect((await attach(entry)).attached.kind).toBe('failed');
    }
  });
});

describe('a dispatch of an earlier version, with a folder per dispatch', () => {
  /** Creates files as an earlier version left them for a command that printed `out` and exited with 7. */
  async function left(...files: string[]): Promise<JournalEntry> {
    const entry = newEntry();
    await run('true', newEntry({ folderId: entry.folderId }));
    const texts: Record<string, string> = {
      begin: 'run',
      pid: '4194000 1 -',
      sup: ' 4194000 1 4194000 1 4194000 1 4194000 1',
      end: ' 7',
      out: 'out',
      err: 'err',
    };
    const folder = `$HOME/.runward/${entry.folderId}/${entry.dispatchId}`;
    const written = files.map((name) => `echo '${texts[name]}' >"${folder}${name === 'begin' ? '.' : '/'}${name}"`);
    await run([`mkdir "${folder}"`, ...written].join('\n'), newEntry());
    return entry;
  }

  it('is found with output and exit status, and is not started again', async () => {
    const entry = await left('begin', 'pid', 'sup', 'end', 'out', 'err');
    const seen = { result: { kind: 'exited', exitCode: 7 }, stdout: 'out\n', stderr: 'err\n' };
    expect((await attach(entry, { ifAbsent: 'void' })).seen).toEqual(seen);
    expect((await run('echo came', entry)).result).toMatchObject({ kind: 'refused', code: 'already_started' });
    await connection.forget(entry.folderId, { dispatchIds: [entry.dispatchId] });
    expect(namesOf(entry)).toEqual([`${entry.dispatchId}.begin`]);
  });

  it('blocks a second start while it is about to begin, and can be ruled out by an attach', async () => {
    const entry = await left();
    expect((await run('echo came', entry)).result).toMatchObject({ kind: 'refused', code: 'already_started' });
    expect((await attach(entry, { ifAbsent: 'void' })).attached).toMatchObject({ kind: 'never_started' });
    expect((await run('echo came', entry)).result).toMatchObject({ kind: 'refused', code: 'voided' });
  });
});

describe('a launcher that stopped halfway', () => {
  it('can be ruled out by an attach and distinguished from a start', async () => {
    const entry = newEntry();
    await run('true', newEntry({ folderId: entry.folderId }));
    await run(`true >"$HOME/.runward/${entry.folderId}/${entry.dispatchId}.sup"`, newEntry());
    expect((await attach(entry)).attached).toMatchObject({ kind: 'never_started' });
    expect((await run('echo came', entry)).result).toMatchObject({ kind: 'refused', code: 'voided' });
  });
});

const namesOf = (entry: JournalEntry) =>
  readdirSync(path.dirname(host.file(entry, 'sup'))).filter((name) => name.startsWith(entry.dispatchId));

describe('forgetting', () => {
  it('removes a dispatch whose result is stored, which still cannot start again', async () => {
    const entry = newEntry();
    const next = newEntry({ folderId: entry.folderId, forget: [entry.dispatchId] });
    await run('echo out', entry);
    await run('true', next);
    expect(['out', 'err', 'pid'].map((name) => statSync(host.file(entry, name)).size)).toEqual([0, 0, 0]);
    await run('true', newEntry({ folderId: entry.folderId, remove: [entry.dispatchId] }));
    await eventually('its names are removed', () => namesOf(entry).length === 1);
    expect(namesOf(entry)).toEqual([`${entry.dispatchId}.begin`]);
    expect((await run('echo came', entry)).result).toMatchObject({ kind: 'refused', code: 'already_started' });
    expect((await attach(entry)).attached).toMatchObject({ kind: 'no_journal' });
    await connection.forget(entry.folderId, { dispatchIds: [next.dispatchId] });
    expect(namesOf(next)).toEqual([`${next.dispatchId}.begin`]);
  });

  it('leaves one empty mark for a whole run, which blocks late launchers', async () => {
    const entry = newEntry();
    await run('echo out', entry);
    await connection.forget(entry.folderId, { whole: true });
    const folder = path.join(host.home, '.runward', entry.folderId);
    expect(readdirSync(folder)).toEqual(['closed']);
    expect(statSync(path.join(folder, 'closed')).size).toBe(0);
    expect((await run('echo came', entry)).result).toMatchObject({ kind: 'refused', code: 'run_ended' });
    expect((await attach(entry)).attached).toMatchObject({ kind: 'no_journal' });
  });

  it('removes entries of other runs after seven days unless they still run, and searches once a day', async () => {
    const swept = path.join(host.home, '.runward', 'swept');
    rmSync(swept, { force: true });
    const [old, recent, running] = [newEntry(), newEntry(), newEntry()];
    await run('true', old);
    await run('true', recent);
    const output = new OutputCollector();
    const command = await connection.exec({ script: 'echo up; sleep 68', journal: running, onOutput: output.onOutput });
    await output.until('up');
    const folder = ({ folderId }: JournalEntry) => path.join(host.home, '.runward', folderId);
    const days = (count: number) => new Date(Date.now() - count * 24 * 3_600_000);
    utimesSync(folder(old), days(8), days(8));
    utimesSync(folder(running), days(8), days(8));
    utimesSync(folder(recent), days(6), days(6));
    await connection.forget(randomUUID(), { whole: true });
    expect([old, recent, running].map((entry) => existsSync(folder(entry)))).toEqual([false, true, true]);
    utimesSync(folder(recent), days(8), days(8));
    await connection.forget(randomUUID(), { whole: true });
    expect(existsSync(folder(recent))).toBe(true);
    writeFileSync(swept, '2026-01-31\n');
    await connection.forget(randomUUID(), { whole: true });
    expect(existsSync(folder(recent))).toBe(false);
    await command.terminate(1000);
  });
});
