import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  attachToEnd,
  type JournalHost,
  newEntry,
  OutputCollector,
  readIfThere,
  runJournaled,
  startJournalHost,
} from '../../../test/support/journal-host.js';
import type { AttachRequest, JournalEntry } from '../remote-command.js';
import type { SshConnection } from '../connection/ssh-connection.js';

let host: JournalHost;
let connection: SshConnection;
beforeAll(async () => {
  host = await startJournalHost('127.0.1.11');
  connection = await host.connect();
});
afterAll(() => host.stop());

const exited = (exitCode: number) => ({ kind: 'exited', exitCode });
const run = (script: string, journal: JournalEntry, by = connection) => runJournaled(by, script, journal);
const attach = (journal: JournalEntry, changes?: Partial<AttachRequest>) => attachToEnd(connection, journal, changes);

describe('a command with a journal', () => {
  it('returns output and exit code as without a journal, and keeps both', async () => {
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

  it('has the same environment as without a journal', async () => {
    const script = 'umask; pwd; env | sort; set | grep -c "^_r[a-z0-9]="; echo "$0 $#"; cat; trap; ls /proc/$$/fd';
    const plain = new OutputCollector();
    await (await connection.exec({ script, onOutput: plain.onOutput })).result;
    expect(await run(script, newEntry())).toMatchObject({ stdout: plain.stdout, stderr: plain.stderr });
  });

  it('does not ignore signals like a background process', async () => {
    const script = 'grep SigIgn /proc/self/status';
    const plain = new OutputCollector();
    await (await connection.exec({ script, onOutput: plain.onOutput })).result;
    expect((await run(script, newEntry())).stdout).toBe(plain.stdout);
  });

  it('reports shell errors with the line of the script', async () => {
    const { stderr } = await run('true\ntrue\nno-such-command-here', newEntry());
    expect(stderr).toMatch(/\b3: .*no-such-command-here: not found/);
  });

  it('receives hostile values byte for byte', async () => {
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

  it('returns 8 MB of binary output byte for byte, live and attached', async () => {
    const entry = newEntry({ spoolBytes: 16 * 1024 * 1024 });
    const source = path.join(host.home, 'source');
    const live = new OutputCollector();
    const command = await connection.exec({
      script: `head -c 8388608 /dev/urandom >'${source}'; cat '${source}'; cat '${source}' >&2; exit 6`,
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

  it('continues when it writes more than the host keeps, and attach reports that the rest is missing', async () => {
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

  it('exposes its script to no other user and writes no value to disk', async () => {
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
    const kept = filesBelow(path.join(host.home, '.runward', entry.folderId));
    expect(kept.length).toBeGreaterThan(5);
    expect(kept.filter((file) => readIfThere(file).includes(secret))).toEqual([]);
    const open = [path.dirname(host.file(entry, 'sup')), ...kept].filter((file) => (statSync(file).mode & 0o077) !== 0);
    expect(open).toEqual([]);
    await command.terminate(3000);
    expect(await command.result).toEqual(exited(143));
  });

  it('does not wait forever for a background process that keeps the output open, live or attached', async () => {
    const entry = newEntry();
    const ran = await run('sleep 63 & echo pid:$!; exit 4', entry);
    const pid = Number(/pid:(\d+)/.exec(ran.stdout)?.[1]);
    try {
      expect(ran.result).toEqual({ ...exited(4), outputStillOpen: true });
      const { seen } = await attach(entry);
      const leftBehind = [{ pid, name: 'sleep' }];
      expect(seen).toEqual({
        result: { ...exited(4), outputStillOpen: true, leftBehind },
        stdout: `pid:${pid}\n`,
        stderr: '',
      });
    } finally {
      process.kill(pid);
    }
  });

  it('runs beside other commands of its run and of other runs', async () => {
    const entry = newEntry();
    const entries = [entry, newEntry({ folderId: entry.folderId }), newEntry(), newEntry()];
    const ran = await Promise.all(entries.map((each, n) => run(`sleep 0.2; echo ${n}; exit ${n}`, each)));
    expect(ran.map(({ result, stdout }) => [result, stdout])).toEqual(entries.map((_, n) => [exited(n), `${n}\n`]));
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => !each.isDirectory())
    .map((each) => path.join(each.parentPath, each.name));
}
