import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import {
  attachToEnd,
  type JournalHost,
  newEntry,
  JOURNAL_OWNER,
  OutputCollector,
  runJournaled,
  startJournalHost,
} from '../../../test/support/journal-host.js';
import { buildAttachInput } from './journal-attach.js';
import { createChallenge } from './handshake.js';
import { forgetCommand } from './journal-forget.js';
import { JOURNAL_START_COMMAND, buildJournalInput } from './journal-start.js';
import { BOOTSTRAP_COMMAND, toLauncherLine } from './start-acknowledgement.js';

const NONCE = 'runward-0123456789abcdef';
const MARKS = new RegExp(`\\x1e${NONCE} (?:end \\d+ \\d+|out|err)\\n`, 'g');
const { challenge: CHALLENGE, answer: ANSWER } = createChallenge('0123456789abcdef');
const HANDSHAKE_ANSWERS = /.runward-launcher \w+\n/g;
const NEVER_STARTED = /^0 never_started \d+$/;
const LONG_OUTPUT = 'i=0; while [ $i -lt 3000 ]; do echo "line $i"; echo "warning $i" >&2; i=$((i+1)); done';

const placeOf = (name: string) => execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();

const statOf = (name: string, ticks: string) =>
  `1 (${name}) S 0 1 1 0 -1 4194560 9 9 9 9 9 9 9 9 20 0 1 0 ${ticks} 9 9 18446744073709551615 1 1\n`;

let base: string;
beforeAll(async () => {
  base = await mkdtemp(path.join(os.tmpdir(), 'runward-shells-'));
  await chmod(base, 0o755);
});
afterAll(() => rm(base, { recursive: true, force: true }));

function folderWith(shell: string, tools = false): string {
  const folder = path.join(base, `${shell}${tools ? '-tools' : ''}`);
  if (existsSync(folder)) return folder;
  mkdirSync(folder);
  symlinkSync(placeOf(shell), path.join(folder, 'sh'));
  const applets = tools ? execFileSync(placeOf(shell), ['--list'], { encoding: 'utf8' }).trim().split('\n') : [];
  const place = placeOf(shell);
  for (const applet of applets.filter((name) => name !== 'sh')) symlinkSync(place, path.join(folder, applet));
  return folder;
}

describe.each([
  ['dash', false],
  ['bash', false],
  ['busybox', false],
  ['busybox', true],
])('on a host whose /bin/sh is %s (all other tools too: %s)', (shell, tools) => {
  /** Like sshd: runs the text in a separate session, with `input` as standard input. */
  function start(text: string, input: string, home: string) {
    const folder = folderWith(shell, tools);
    const here = (text: string) => text.replaceAll('/bin/sh', path.join(folder, 'sh'));
    const env = { HOME: home, PATH: tools ? folder : (process.env['PATH'] ?? '') };
    return { args: ['-c', here(text)], input: CHALLENGE + here(input), env, file: path.join(folder, 'sh') };
  }
  const run = (input: string, home: string) => runText(BOOTSTRAP_COMMAND, input, home);
  const runJournal = (input: string, home: string) => runText(JOURNAL_START_COMMAND, input, home);
  function runText(text: string, input: string, home: string) {
    const { file, args, ...options } = start(text, input, home);
    const { status, ...written } = spawnSync(file, args, { ...options, encoding: 'utf8' });
    const own = (output: string) => output.replace(HANDSHAKE_ANSWERS, '').replace(MARKS, '');
    const [stdout, stderr] = [own(written.stdout), own(written.stderr)];
    const [, answer, rest] = new RegExp(`^${NONCE} ([^\\n]*)\\n([^]*)$`).exec(stdout) ?? [];
    return { status, answer, stdout: rest ?? stdout, stderr: stderr.replace(`${NONCE} stderr\n`, '') };
  }
  const newHome = () => mkdtemp(path.join(base, 'home-'));

  it('runs a command and finds it again', async () => {
    const home = await newHome();
    const entry = newEntry();
    const input = buildJournalInput(NONCE, `${LONG_OUTPUT}; echo "$0 $#"; cat; exit 9`, entry);
    const ran = runJournal(input, home);
    const lines = (word: string) => Array.from({ length: 3000 }, (_, n) => `${word} ${n}\n`).join('');
    const output = { stdout: `${lines('line')}runward 0\n`, stderr: lines('warning') };
    expect(ran).toEqual({ status: 9, answer: expect.stringMatching(/^\d+ journal \d+$/), ...output });
    const attached = run(buildAttachInput(NONCE, { journal: entry, ifAbsent: 'void' }), home);
    expect(attached).toEqual({ status: 9, answer: ran.answer?.replace('journal', 'attached'), ...output });
    expect(runJournal(input, home)).toMatchObject({ status: 125, answer: '0 already_started', stdout: '' });
  });

  it.each([
    ['short', ''],
    ['long', `\n# ${'x'.repeat(5_000)}`],
    ['not ASCII', '\n# \u00e9\u732b'],
  ])('runs a command that is %s unchanged or not at all', async (_what, end) => {
    const home = await newHome();
    const script = `  printf "%s|" 'a\\b\\' "  two  " '' "\t"  \n\n\ncat <<'E'\n  x \\\n\ty\\n\r\nE\n\necho "[$_rs$_rw$_rp$_rn]"${end}`;
    const input = buildJournalInput(NONCE, script, newEntry());
    expect(runJournal(input, home).stdout).toBe('a\\b\\|  two  ||\t|  x \\\n\ty\\n\r\n[]\n');
    for (const missing of [2, NONCE.length + 2, NONCE.length + 21]) {
      const cut = buildJournalInput(NONCE, script, newEntry()).slice(0, -missing);
      expect(runJournal(cut, home)).toMatchObject({ status: 125, answer: undefined, stdout: '' });
    }
  });

  it('runs a long command unchanged when no tool can read a number of bytes', async () => {
    const input = buildJournalInput(NONCE, `printf "%s|" 'a\\' "  \u00e9\u732b  "\n# ${'x'.repeat(5_000)}`, newEntry());
    const ran = runText(JOURNAL_START_COMMAND.replace('head -c', 'false -c'), input, await newHome());
    expect(ran).toMatchObject({ status: 0, stdout: 'a\\|  \u00e9\u732b  |', stderr: '' });
  });

  it('runs a command and finds it again when pipes need names', async () => {
    const home = await newHome();
    const entry = newEntry();
    const text = JOURNAL_START_COMMAND.replaceAll('/proc/self/fd', '/nonexistent');
    const ran = runText(text, buildJournalInput(NONCE, `${LONG_OUTPUT}; exit 9`, entry), home);
    expect(ran).toMatchObject({ status: 9, answer: expect.stringMatching(/^\d+ journal \d+$/) });
    expect(ran.stdout).toMatch(/line 2999\n$/);
    const folder = path.join(home, '.runward', entry.folderId);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining([`${entry.dispatchId}.o`, `${entry.dispatchId}.e`]));
    const attached = run(buildAttachInput(NONCE, { journal: entry, ifAbsent: 'void' }), home);
    expect(attached).toEqual({ ...ran, answer: ran.answer?.replace('journal', 'attached') });
  });

  it('refuses older epochs and ruled-out dispatches', async () => {
    const home = await newHome();
    const entry = newEntry({ generation: 12 });
    expect(run(buildAttachInput(NONCE, { journal: entry, ifAbsent: 'void' }), home).answer).toMatch(NEVER_STARTED);
    expect(runJournal(buildJournalInput(NONCE, 'echo came', entry), home)).toMatchObject({
      answer: '0 voided',
      stdout: '',
    });
    const older = newEntry({ folderId: entry.folderId, generation: 3 });
    expect(runJournal(buildJournalInput(NONCE, 'echo came', older), home)).toMatchObject({
      answer: '0 older_epoch',
      stdout: '',
    });
    const newer = newEntry({ folderId: entry.folderId, generation: 100 });
    expect(runJournal(buildJournalInput(NONCE, 'echo came', newer), home)).toMatchObject({
      status: 0,
      stdout: 'came\n',
    });
  });

  it('permanently refuses older incarnations and other installations, which leave no mark that blocks the right one', async () => {
    const home = await newHome();
    const original = newEntry({ speaker: { ...JOURNAL_OWNER, incarnation: 5 }, generation: 40 });
    const { folderId } = original;
    const tried = (changes: Parameters<typeof newEntry>[0]) => {
      const entry = newEntry({ folderId, generation: 50, ...changes });
      const looked = run(buildAttachInput(NONCE, { journal: entry, ifAbsent: 'void' }), home).answer;
      const { answer, stdout } = runJournal(buildJournalInput(NONCE, 'echo came', entry), home);
      return { looked, answer, stdout };
    };
    const refused = (code: string) => ({ looked: `0 ${code}`, answer: `0 ${code}`, stdout: '' });
    expect(runJournal(buildJournalInput(NONCE, 'echo one', original), home).stdout).toBe('one\n');
    const copy = { ...JOURNAL_OWNER, incarnation: 4 };
    const other = { installation: newEntry().folderId, incarnation: 9 };
    expect(tried({ speaker: copy })).toEqual(refused('older_incarnation'));
    expect(tried({ speaker: other })).toEqual(refused('other_installation'));
    // The refused attempt left no takeover mark: the original installation can still start the same dispatch.
    const next = newEntry({ ...original, dispatchId: newEntry().dispatchId, generation: 41 });
    expect(tried({ ...next, speaker: other })).toEqual(refused('other_installation'));
    expect(runJournal(buildJournalInput(NONCE, 'echo two', next), home).stdout).toBe('two\n');
    // A newer incarnation restarts its generations and blocks all starts of the previous incarnation.
    const restored = newEntry({ folderId, speaker: { ...JOURNAL_OWNER, incarnation: 1_764_208_800 }, generation: 3 });
    expect(runJournal(buildJournalInput(NONCE, 'echo three', restored), home).stdout).toBe('three\n');
    expect(tried({ speaker: original.speaker, generation: 99 })).toEqual(refused('older_incarnation'));
  });

  it('accepts marks of earlier versions, without identities, for any installation', async () => {
    const home = await newHome();
    const entry = newEntry({ generation: 12 });
    const folder = path.join(home, '.runward', entry.folderId);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(folder, 'epoch.12'), '');
    expect(runJournal(buildJournalInput(NONCE, 'echo came', entry), home).stdout).toBe('came\n');
    const older = newEntry({ folderId: entry.folderId, generation: 11 });
    expect(runJournal(buildJournalInput(NONCE, 'echo came', older), home).answer).toBe('0 older_epoch');
  });

  it.each([
    ['a machine', '12345.67 99.10\n', statOf('systemd', '12'), '12345'],
    ['a machine that has just booted', '0.42 0.10\n', statOf('init', '0'), '0'],
    ['a container younger than its machine', '500000.99 1.00\n', statOf('sshd', '49990012'), '100'],
    ['a container with its own uptime', '300.10 0.00\n', statOf('init', '49990000'), '300'],
    ['one with an odd name of its first process', '900.00 1.00\n', statOf('a) S 1 (b c', '50000'), '400'],
    ['one that hides its first process', '12345.67 99.10\n', null, '12345'],
    ['one with an invalid first process', '12345.67 99.10\n', '1 (init) S 0 1', '12345'],
    ['one with an invalid uptime', 'for ages\n', statOf('init', '12'), '-'],
    ['one without an uptime', null, statOf('init', '12'), '-'],
    ['one without any data', null, null, '-'],
  ])('reports the uptime of %s', async (_what, uptime, stat, expected) => {
    const home = await newHome();
    if (uptime !== null) await writeFile(path.join(home, 'uptime'), uptime);
    if (stat !== null) await writeFile(path.join(home, 'stat'), stat);
    const input = buildAttachInput(NONCE, { journal: newEntry(), ifAbsent: 'void' });
    const [, line = ''] = input.split('\n');
    const own = line.replace('/proc/uptime', `${home}/uptime`).replace('/proc/1/stat', `${home}/stat`);
    expect(run(toLauncherLine(own), home).answer).toBe(`0 never_started ${expected}`);
  });

  it('reports the uptime also when a mark of the host is empty', async () => {
    const home = await newHome();
    const entry = newEntry();
    const folder = path.join(home, '.runward', entry.folderId);
    mkdirSync(path.join(folder, entry.dispatchId), { recursive: true });
    await writeFile(path.join(folder, `${entry.dispatchId}.begin`), '');
    const attached = run(buildAttachInput(NONCE, { journal: entry, ifAbsent: 'void' }), home);
    expect(attached.answer).toMatch(NEVER_STARTED);
  });

  it('runs nothing of a truncated command', async () => {
    const entry = newEntry();
    const input = buildJournalInput(NONCE, 'echo "removing $HOME/old"; true', entry);
    const launcher = input.indexOf('\n');
    for (const length of [0, 5, launcher, launcher + 1, launcher + 50, input.length - NONCE.length, input.length - 1]) {
      const home = await newHome();
      expect(runJournal(input.slice(0, length), home)).toMatchObject({ status: 125, answer: undefined, stdout: '' });
      const attached = run(buildAttachInput(NONCE, { journal: entry, ifAbsent: 'void' }), home);
      expect(attached.answer).toMatch(NEVER_STARTED);
      expect(runJournal(input, home)).toMatchObject({ status: 125, stdout: '' });
    }
  });

  it('passes on more output than it keeps, also when no client reads', async () => {
    const home = await newHome();
    const entry = newEntry({ spoolBytes: 8192 });
    const done = path.join(home, 'done');
    const { file, args, input, env } = start(
      JOURNAL_START_COMMAND,
      buildJournalInput(NONCE, `yes | head -c 500000; yes | head -c 500000 >&2; echo >'${done}'; exit 3`, entry),
      home,
    );
    const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    child.stdin.write(CHALLENGE);
    for (let said = ''; !said.includes(ANSWER); ) said += String(await once(child.stdout, 'data'));
    child.stdin.end(input.slice(CHALLENGE.length));
    child.stdout.destroy();
    child.stderr.destroy();
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(3);
    expect(existsSync(done)).toBe(true);
    const kept = run(buildAttachInput(NONCE, { journal: entry, ifAbsent: 'void' }), home);
    expect(kept.status).toBe(3);
    expect(kept.stdout).toMatch(/^(y\n)+$/);
    expect([kept.stdout, kept.stderr].map((text) => Buffer.byteLength(text))).toEqual([8192, 8192]);
  });

  it('follows a running command to its end, and removes its files', async () => {
    const home = await newHome();
    const entry = newEntry();
    const { file, args, input, env } = start(
      JOURNAL_START_COMMAND,
      buildJournalInput(NONCE, 'echo up; sleep 0.7; echo end; exit 4', entry),
      home,
    );
    const child = spawn(file, args, { env, stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    child.stdin.end(input);
    const folder = path.join(home, '.runward', entry.folderId);
    await eventually('it has begun', () => existsSync(path.join(folder, `${entry.dispatchId}.begin`)));
    const attached = run(buildAttachInput(NONCE, { journal: entry, ifAbsent: 'void' }), home);
    expect(attached).toMatchObject({ status: 4, stdout: 'up\nend\n' });
    runText(forgetCommand(entry.folderId, { whole: true }, '2026-01-31'), '', home);
    expect(readdirSync(folder)).toEqual(['closed']);
    expect(runJournal(buildJournalInput(NONCE, 'echo came', entry), home).answer).toBe('0 run_ended');
  });

  it('runs a command without a journal when the home is not writable, and reports that', () => {
    const ran = runJournal(
      buildJournalInput(NONCE, 'set | grep "^_r[a-z0-9]="; echo plain; exit 6', newEntry()),
      '/nonexistent',
    );
    expect(ran).toEqual({ status: 6, answer: expect.stringMatching(/^\d+ plain$/), stdout: 'plain\n', stderr: '' });
    const attached = run(buildAttachInput(NONCE, { journal: newEntry(), ifAbsent: 'void' }), '/nonexistent');
    expect(attached.answer).toBe('0 no_journal');
  });

  it('refuses a command that requires a journal, which may run once the home exists', async () => {
    const entry = newEntry({ orRefuse: true });
    const refused = runJournal(buildJournalInput(NONCE, 'echo came', entry), '/nonexistent');
    expect(refused).toMatchObject({ status: 125, answer: '0 cannot_journal', stdout: '' });
    expect(runJournal(buildJournalInput(NONCE, 'echo came', entry), await newHome())).toMatchObject({
      stdout: 'came\n',
    });
  });
});

describe('over SSH', () => {
  const hosts: JournalHost[] = [];
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.stop();
  });
  async function hostWith(address: string, extraConfig: string): Promise<JournalHost> {
    const host = await startJournalHost(address, extraConfig);
    hosts.push(host);
    return host;
  }

  it.each([
    ['dash', '-c'],
    ['bash', '-c'],
    ['zsh', '-c'],
    ['busybox', 'sh -c'],
  ])('keeps a journal for a user of %s', async (shell, flags) => {
    const config = `ForceCommand exec ${placeOf(shell)} ${flags} "$SSH_ORIGINAL_COMMAND"`;
    const host = await hostWith('127.0.1.14', config);
    const connection = await host.connect();
    const entry = newEntry();
    const ran = await runJournaled(connection, 'echo out; echo err >&2; exit 7', entry);
    const seen = { result: { kind: 'exited', exitCode: 7 }, stdout: 'out\n', stderr: 'err\n' };
    expect(ran).toEqual({ ...seen, journaled: true });
    expect((await attachToEnd(connection, entry)).seen).toEqual(seen);
    const output = new OutputCollector();
    const { onOutput } = output;
    const command = await connection.exec({ script: 'echo up; sleep 69; true', journal: newEntry(), onOutput });
    await output.until('up');
    await command.terminate(3000);
    expect(await command.result).toEqual({ kind: 'exited', exitCode: 143 });
  });

  it('omits the output of login scripts when attached to a command', async () => {
    const greeting = 'ForceCommand echo Welcome; echo Beware >&2; exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"';
    const connection = await (await hostWith('127.0.1.15', greeting)).connect();
    const entry = newEntry();
    expect(await runJournaled(connection, 'echo out', entry)).toMatchObject({ stdout: 'Welcome\nout\n' });
    expect((await attachToEnd(connection, entry)).seen).toMatchObject({ stdout: 'out\n', stderr: '' });
  });

  it.each([
    ['arrives late', '2> >(sleep 0.5; exec cat >&2)', { stdout: 'out\n', stderr: 'Beware\nerr\n' }, 'err\n'],
    ['is merged into standard output', '2>&1', { stdout: 'Beware\nout\nerr\n', stderr: '' }, ''],
    ['is discarded', '2>/dev/null', { stdout: 'out\n', stderr: '' }, ''],
  ])(
    'separates a greeting from the output of a command when standard error %s',
    async (_what, how, seen, ownStderr) => {
      const shell = path.join(base, `shell-${how.replace(/[^a-z0-9]/g, '')}`);
      await writeFile(shell, `#!/bin/bash\nexec ${how}\necho Beware >&2\nexec /bin/sh -c "$SSH_ORIGINAL_COMMAND"\n`);
      await chmod(shell, 0o755);
      const connection = await (await hostWith('127.0.1.18', `ForceCommand ${shell}`)).connect();
      const entry = newEntry();
      expect(await runJournaled(connection, 'echo out; sleep 0.1; echo err >&2', entry)).toMatchObject(seen);
      expect((await attachToEnd(connection, entry)).seen).toMatchObject({ stderr: ownStderr });
    },
  );

  it.each([
    ['the home does not exist', () => 'SetEnv HOME=/nonexistent'],
    ['the home is not writable', () => 'SetEnv HOME=/proc'],
    ['setsid is missing', () => `ForceCommand PATH=${folderWithout('setsid')} exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"`],
  ])('runs a command without a journal when %s', async (_why, config) => {
    // sshd uses the first value of each keyword.
    const host = await startWith(config());
    const connection = await host.connect();
    const entry = newEntry();
    const ran = await runJournaled(connection, 'echo out; kill -TERM $$', entry);
    expect(ran).toMatchObject({ result: { kind: 'signalled', signal: 'SIGTERM' }, journaled: false, stdout: 'out\n' });
    for (const ifAbsent of ['leave', 'void'] as const) {
      expect((await attachToEnd(connection, entry, { ifAbsent })).attached).toMatchObject({ kind: 'no_journal' });
    }
  });

  it('does not start a command when the journal cannot be written', async () => {
    const host = await hostWith('127.0.1.16', '');
    const connection = await host.connect();
    const entry = newEntry();
    await runJournaled(connection, 'true', newEntry({ folderId: entry.folderId }));
    // A folder in place of a file has the same effect as a full disk.
    await runJournaled(connection, `mkdir "$HOME/.runward/${entry.folderId}/${entry.dispatchId}.sup"`, newEntry());
    const ran = await runJournaled(connection, 'echo came', entry);
    expect(ran).toMatchObject({ result: { kind: 'refused', code: 'no_journal' }, stdout: '' });
  });

  async function startWith(config: string): Promise<JournalHost> {
    const host = await startJournalHost('127.0.1.17', '', config);
    hosts.push(host);
    return host;
  }
});

function folderWithout(missing: string): string {
  const folder = path.join(base, `without-${missing}`);
  mkdirSync(folder);
  for (const tool of ['cat', 'tee', 'mkfifo', 'mkdir', 'setsid', 'kill'])
    if (tool !== missing) symlinkSync(placeOf(tool), path.join(folder, tool));
  return folder;
}
