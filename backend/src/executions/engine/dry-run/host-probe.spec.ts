import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CommandStep } from '../../../plans/steps/types/command.step.js';
import { STEP_DEFAULTS } from '../../../plans/steps/types/step-types.js';
import {
  findBlocker,
  coversRequirement,
  type HostRequirement,
  mergeProbes,
  renderProbeScript,
  parseProbeOutput,
} from './host-probe.js';

const MARK = 'mark-of-this-test';
const ME = os.userInfo().username;
const SHELLS = [['dash'], ['bash'], ['busybox', 'sh']];

let folder: string;
let home: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'runward-probe-'));
  home = path.join(folder, 'home');
  mkdirSync(path.join(home, "it's $(touch here)"), { recursive: true });
  mkdirSync(path.join(folder, 'elsewhere', 'theirs'), { recursive: true });
  writeFileSync(path.join(home, 'file'), '');
  // Fake sudo that can set another home, refuse, or report a missing user. Only root may use the real one everywhere.
  writeFileSync(
    path.join(folder, 'sudo'),
    `#!/bin/sh
[ "$1 $2 $3" = '-n -H -u' ] && [ "$5 $6" = '-- /bin/sh' ] || { echo "unexpected: $*" >&2; exit 9; }
[ "$4" = denied ] && { printf 'sudo: a password is required\\nmore\\n' >&2; exit 1; }
HOME=${folder}/elsewhere exec /bin/sh
`,
  );
  chmodSync(path.join(folder, 'sudo'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function probe(needs: HostRequirement[], shell: string[] = ['dash']) {
  const [program = '', ...args] = shell;
  const script = `echo "Welcome to ${MARK}"\n${renderProbeScript(needs, MARK)}`;
  const env = { PATH: `${folder}:${process.env.PATH}`, HOME: home };
  const { stdout, stderr, status } = spawnSync(program, args, { input: script, cwd: home, env, encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  const found = parseProbeOutput(stdout, needs, MARK);
  if (!found) throw new Error(`The probe did not end: ${stdout}`);
  return found;
}

const step = (fields: Partial<CommandStep>): CommandStep => ({
  ...STEP_DEFAULTS.command,
  key: 'a',
  name: 'a',
  command: 'x',
  ...fields,
});

describe.each(SHELLS)('a probe by %s', (...shell) => {
  it('reports the login user when nothing else is requested', () => {
    expect(probe([{ user: null, directory: null }], shell)).toEqual({
      loginUser: ME,
      rights: new Map(),
      folders: new Map(),
      programs: new Map(),
    });
  });

  it('reports the programs that the user can execute, by name and by path', () => {
    const programs = ['sh', '/bin/sh', 'no-such-program', '/no/such', home, "it's $(touch there)"];
    const before = readdirSync(home);
    const found = probe(
      [
        { user: null, directory: null, programs },
        { user: 'deploy', directory: null, programs: ['sh'] },
      ],
      shell,
    );
    expect([...found.programs.values()]).toEqual([true, true, false, false, false, false, true]);
    expect(readdirSync(home)).toEqual(before);
    const script = { ...STEP_DEFAULTS.script, key: 'a', name: 'a', scriptId: 'x' };
    expect(findBlocker(script, found, ['no-such-program', '-x'])?.code).toBe('interpreter_missing');
    expect(findBlocker(script, found, ['/bin/sh'])).toBeNull();
  });

  it('reports the folders that the user can enter, relative ones from home, and leaves no trace', () => {
    const before = readdirSync(home);
    const directories = [home, "it's $(touch here)", 'file', '/no/such'];
    const { folders } = probe(
      directories.map((directory) => ({ user: null, directory })),
      shell,
    );
    expect([...folders.values()]).toEqual([true, true, false, false]);
    expect(readdirSync(home)).toEqual(before);
  });

  it("becomes other users and reports their folders from their home, or sudo's words when it refuses", () => {
    const needs = [
      { user: 'deploy', directory: 'theirs' },
      { user: 'deploy', directory: 'file' },
      { user: 'denied', directory: '/' },
      { user: ME, directory: 'file' },
      { user: null, directory: '/' },
    ];
    const found = probe(needs, shell);
    expect(Object.fromEntries(found.rights)).toEqual({
      deploy: null,
      denied: 'sudo: a password is required',
      [ME]: null,
    });
    expect(findBlocker(step({ become: 'deploy', workingDirectory: 'theirs' }), found)).toBeNull();
    expect(findBlocker(step({ become: 'deploy', workingDirectory: 'file' }), found)?.code).toBe(
      'working_directory_missing',
    );
    expect(findBlocker(step({ become: 'denied', workingDirectory: '/' }), found)?.code).toBe('no_sudo_right');
    expect(findBlocker(step({ become: ME, workingDirectory: 'file' }), found)?.message).toContain(
      `${ME} may not enter it`,
    );
    expect(findBlocker(step({ workingDirectory: '/' }), found)).toBeNull();
    for (const need of needs) expect(coversRequirement(found, need)).toBe(true);
    expect(coversRequirement(found, { user: 'else', directory: null })).toBe(false);
    expect(coversRequirement(found, { user: 'deploy', directory: '/' })).toBe(false);
    expect(coversRequirement(found, { user: 'denied', directory: '/srv' })).toBe(true);
  });
});

describe('an answer', () => {
  it('is rejected when it breaks off before its end', () => {
    expect(parseProbeOutput(`${MARK} user me\n`, [], MARK)).toBeNull();
    expect(parseProbeOutput('mark-of-another end\n', [], MARK)).toBeNull();
  });

  it('is merged with earlier answers', () => {
    const first = {
      loginUser: 'me',
      rights: new Map([['a', null]]),
      folders: new Map([['\0/a', true]]),
      programs: new Map([['\0a', true]]),
    };
    const second = {
      loginUser: 'me',
      rights: new Map([['b', 'no']]),
      folders: new Map([['\0/b', false]]),
      programs: new Map([['\0b', true]]),
    };
    expect(mergeProbes(first, second)).toEqual({
      loginUser: 'me',
      rights: new Map([
        ['a', null],
        ['b', 'no'],
      ]),
      folders: new Map([
        ['\0/a', true],
        ['\0/b', false],
      ]),
      programs: new Map([
        ['\0a', true],
        ['\0b', true],
      ]),
    });
  });
});

// On any machine, only root may become another user without a password.
if (process.getuid?.() === 0) {
  it('becomes another user with the real sudo', () => {
    const needs = [
      { user: 'nobody', directory: '/' },
      { user: 'nobody', directory: '/root' },
    ];
    const { stdout } = spawnSync('/bin/sh', { input: renderProbeScript(needs, MARK), encoding: 'utf8' });
    const found = parseProbeOutput(stdout, needs, MARK);
    expect(Object.fromEntries(found?.rights ?? [])).toEqual({ nobody: null });
    expect([...(found?.folders.values() ?? [])]).toEqual([true, false]);
  });
}
