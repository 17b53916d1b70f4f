import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { composeScript, type ScriptRequest } from './environment-script.js';
import { StepTrailer } from './trailer.js';
import { findNameFault } from '../../variables/variable-name.js';

const shells = ['sh', 'dash', 'bash', 'busybox'].filter(
  (shell) => spawnSync(shell, [...(shell === 'busybox' ? ['sh'] : []), '-c', ':']).status === 0,
);

function run(shell: string, script: string, more: SpawnSyncOptions = {}) {
  const options = {
    input: script,
    timeout: 20_000,
    maxBuffer: 64 * 1024 * 1024,
    ...more,
    env: { PATH: process.env.PATH, ...more.env },
  };
  const { stdout, stderr, status } = spawnSync(shell, [...(shell === 'busybox' ? ['sh'] : []), '-s'], options);
  return { stdout: stdout.toString(), stderr: stderr.toString(), status };
}

describe('the script for a host', () => {
  it('exports each value in single quotes and then runs the command', () => {
    expect(
      composeScript({
        command: "echo 'a'\nls",
        exports: [
          { name: 'A', value: "it's" },
          { name: 'B', value: ['x', 2, true] },
          { name: 'C', value: false },
          { name: 'D', value: 1.5 },
          { name: 'E', value: '' },
        ],
      }),
    ).toBe(
      `export A='it'\\''s'\nexport B='x\n2\ntrue'\nexport C='false'\nexport D='1.5'\nexport E=''\neval 'echo '\\''a'\\''\nls' </dev/null\n`,
    );
  });

  it.each(['a-b', 'a;b', '', '1a', 'a b', 'a\nb', 'é'])('rejects the name %j', (name) => {
    expect(() => composeScript({ command: 'ls', exports: [{ name, value: 'x' }] })).toThrow(RangeError);
  });

  it('rejects text that no shell accepts, without repeating it', () => {
    expect(() => composeScript({ command: 'ls', exports: [{ name: 'A', value: 'hunter2\0' }] })).toThrow(
      /^The value of A contains NUL/,
    );
    expect(() => composeScript({ command: 'ls', exports: [{ name: 'A', value: ['\ud800'] }] })).toThrow(RangeError);
    expect(() => composeScript({ command: 'ls\0', exports: [] })).toThrow(/^The command contains NUL/);
  });
});

describe.each(shells)('the script in %s', (shell) => {
  let state = 5;
  const pick = (randomBelow: number) => ((state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 8) % randomBelow;
  const character = () =>
    pick(3) === 0
      ? (`'"\\$\`\n\r\t !#&*()<>|;~?[]{}%^=\u0001\u007f\u0080\u0081\u0088\u00ff`[pick(36)] ?? ' ')
      : String.fromCodePoint(
          [1 + pick(0x7f), 0x80 + pick(0x780), 0xe000 + pick(0x1ffd), 0x10000 + pick(0xfffff)][pick(4)] as number,
        );

  it('passes random text to the process byte for byte, and runs none of it', () => {
    const values = Array.from({ length: 120 }, () => Array.from({ length: pick(200) }, character).join(''));
    values.push('$(exit 9)', '`exit 9`', "'; exit 9; '", '\n', '\\', '-e', 'x'.repeat(98_000), '\ufeff', 'end\n\n');
    const exports = values.map((value, i) => ({ name: `v_${i}`, value }));
    const { stdout, stderr } = run(
      shell,
      composeScript({
        command: `exec '${process.execPath}' -e 'process.stdout.write(JSON.stringify(process.env))'`,
        exports,
      }),
    );
    expect(stderr).toBe('');
    const seen = JSON.parse(stdout) as Record<string, string>;
    for (const { name, value } of exports) expect(seen[name]).toBe(value);
  });

  it('passes a random command to the shell unchanged', () => {
    const words = Array.from({ length: 60 }, () => Array.from({ length: pick(60) }, character).join(''));
    const command = words.map((word) => `printf '%s\\0' '${word.replaceAll("'", `'\\''`)}'`).join('\n');
    expect(
      run(shell, composeScript({ command, exports: [] }))
        .stdout.split('\0')
        .slice(0, -1),
    ).toEqual(words);
  });

  it('ends with the status of the command', () => {
    const status = (command: string) => run(shell, composeScript({ command, exports: [] })).status;
    expect(status('true')).toBe(0);
    expect(status('echo a\nfalse')).toBe(1);
    expect(status('exit 7\necho never')).toBe(7);
    expect(status('set -e\nfalse\ntrue')).toBe(1);
    expect(status('no-such-command-anywhere')).toBe(127);
    expect(status("echo 'unclosed")).not.toBe(0);
    expect(status('if true; then')).not.toBe(0);
  });

  it('runs every line, even if an earlier program reads its input', () => {
    const { stdout } = run(shell, composeScript({ command: 'cat\nread x; echo "got:$x"\necho done', exports: [] }));
    expect(stdout).toBe('got:\ndone\n');
  });

  it('keeps here-documents, functions and traps of the command', () => {
    const command = `f() { cat <<EOF\n$1 $NAME\nEOF\n}\ntrap 'echo bye' EXIT\nf "it's"`;
    expect(run(shell, composeScript({ command, exports: [{ name: 'NAME', value: '$x "y"' }] })).stdout).toBe(
      `it's $x "y"\nbye\n`,
    );
  });

  it('accepts every valid name', () => {
    const listed = run(shell, 'set\nenv\n').stdout.matchAll(/^([A-Za-z_][A-Za-z0-9_]*)=/gm);
    const names = [...new Set([...listed].map(([, name]) => name as string))].filter(
      (name) => findNameFault(name) === null,
    );
    const exports = names.map((name) => ({ name, value: `x ${name}` }));
    const { stdout } = run(
      shell,
      composeScript({
        command: `exec '${process.execPath}' -e 'process.stdout.write(JSON.stringify(process.env))'`,
        exports,
      }),
    );
    const seen = JSON.parse(stdout) as Record<string, string>;
    expect(exports.filter(({ name, value }) => seen[name] !== value)).toEqual([]);
  });
});

const MARK = 'rw-0123456789abcdef';
const NOBODY_UID = 65_534;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'runward-script-'));
  // Replaces sudo. Uses another environment and home directory, and writes its arguments to a file.
  writeFileSync(
    path.join(folder, 'sudo'),
    `#!/bin/sh
printf '%s\\n' "$@" >'${folder}/arguments'
tr '\\0' '\\n' </proc/$PPID/cmdline >>'${folder}/arguments'
[ "$4" = denied ] && { echo 'sudo: a password is required' >&2; exit 1; }
shift 5
exec env -i PATH="$PATH" HOME='${folder}' TMPDIR="$TMPDIR" "$@"
`,
  );
  chmodSync(path.join(folder, 'sudo'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the parts of the script', () => {
  it('need a long mark, and valid user and variable names', () => {
    const base = { command: 'ls', exports: [] };
    expect(() => composeScript({ ...base, outputs: true })).toThrow(RangeError);
    expect(() => composeScript({ ...base, unless: 'ls', mark: 'short' })).toThrow(RangeError);
    expect(() => composeScript({ ...base, unless: 'ls', mark: `${MARK}'; reboot` })).toThrow(RangeError);
    expect(() => composeScript({ ...base, become: '-u' })).toThrow(RangeError);
    expect(() => composeScript({ ...base, become: 'a b' })).toThrow(RangeError);
    expect(() => composeScript({ ...base, environment: { 'a b': '' } })).toThrow(RangeError);
    expect(() => composeScript({ ...base, unless: 'ls\0', mark: MARK })).toThrow(/^The command of unless contains NUL/);
    expect(() => composeScript({ ...base, workingDirectory: '/\0' })).toThrow(/^The working directory contains NUL/);
  });

  it('leave no trace when they are not requested', () => {
    const plain = composeScript({ command: 'ls', exports: [] });
    const asked = { command: 'ls', exports: [], unless: null, outputs: false, workingDirectory: null, environment: {} };
    expect(composeScript({ ...asked, become: null, mark: MARK })).toBe(plain);
  });
});

describe.each(shells)('the parts of the script in %s', (shell) => {
  /**
   * Runs the script. Returns the result of `StepTrailer` for its output, and the files that are left in the folder for
   * outputs.
   */
  function play(request: Partial<ScriptRequest>, more: SpawnSyncOptions = {}) {
    const files = mkdtempSync(path.join(folder, 'tmp-'));
    chmodSync(files, 0o777);
    const script = composeScript({ command: 'true', exports: [], mark: MARK, ...request });
    const { stdout, stderr, status } = run(shell, script, {
      ...more,
      env: { PATH: `${folder}:${process.env.PATH ?? ''}`, TMPDIR: files, ...more.env },
    });
    const trailer = new StepTrailer(MARK);
    const output = trailer.readBytes(Buffer.from(stdout)).toString() + trailer.readEnd().toString();
    const outputs = trailer.outputs?.toString() ?? null;
    const { skipped, notRun } = trailer;
    return { stdout, output, stderr, status, skipped, notRun, outputs, left: readdirSync(files) };
  }

  it('set the step’s own variables, which override those of the plan', () => {
    const exports = [
      { name: 'A', value: 'plan' },
      { name: 'B', value: "it's" },
    ];
    expect(
      play({ exports, environment: { A: '$x "y"\n', C: '' }, command: 'printf "%s|" "$A" "$B" "${C-none}"' }).output,
    ).toBe(`$x "y"\n|it's||`);
  });

  it('enter the working directory, whatever its name, before anything else', () => {
    const directory = mkdtempSync(path.join(folder, "it's -n $HOME "));
    const playedCommand = play({
      workingDirectory: directory,
      command: 'pwd',
      unless: `[ "$PWD" != ${JSON.stringify('/')} ] && pwd >seen; false`,
    });
    expect(playedCommand).toMatchObject({ output: `${directory}\n`, stderr: '', status: 0 });
    expect(readFileSync(path.join(directory, 'seen'), 'utf8')).toBe(`${directory}\n`);
  });

  it('do not run the command in another directory when it cannot be entered', () => {
    for (const more of [{}, { outputs: true }, { unless: 'false' }]) {
      const playedCommand = play({ workingDirectory: path.join(folder, 'gone'), command: 'echo ran', ...more });
      expect(playedCommand).toMatchObject({ output: '', status: 1, notRun: 'not-run', outputs: null, left: [] });
      expect(playedCommand.stderr).toBe(
        `The working directory ${folder}/gone does not exist on this host or may not be entered. The command was not run.\n`,
      );
    }
  });

  it.each(['true', 'echo noise; echo noise >&2', 'exit 0', 'false; true', '! false', 'cat'])(
    'skip the command if %j succeeds',
    (unless) => {
      for (const outputs of [false, true]) {
        const playedCommand = play({ unless, outputs, command: 'echo ran' });
        expect(playedCommand).toMatchObject({
          stdout: `${MARK} skipped\n`,
          output: '',
          stderr: '',
          status: 0,
          skipped: true,
          left: [],
        });
      }
    },
  );

  it.each(['false', 'exit 3', 'set -e; false; true', 'no-such-command-anywhere', 'if', 'cd /; X=1; false'])(
    'run the command if %j does not succeed, without side effects of it',
    (unless) => {
      const playedCommand = play({ unless, command: 'echo "ran${X-}"; pwd' }, { cwd: folder });
      expect(playedCommand).toMatchObject({ stdout: `ran\n${folder}\n`, stderr: '', status: 0, skipped: false });
    },
  );

  it('run the command if that of unless was killed', () => {
    const playedCommand = play({ unless: "kill -9 $(sh -c 'echo $PPID')", command: 'echo ran' });
    expect(playedCommand).toMatchObject({ stdout: 'ran\n', status: 0, skipped: false });
  });

  it.each([
    ['echo "version=v1" >>"$RUNWARD_OUTPUT"; echo "b=$(pwd)" >>"$RUNWARD_OUTPUT"', 0, '', `version=v1\nb=/\n`],
    ['printf "a\\nb"; printf x=1 >"$RUNWARD_OUTPUT"', 0, 'a\nb', 'x=1'],
    ['echo x=1 >"$RUNWARD_OUTPUT"; exit 7; echo never', 7, '', 'x=1\n'],
    ['set -e; echo x=1 >"$RUNWARD_OUTPUT"; false; echo never', 1, '', 'x=1\n'],
    ["trap 'echo bye' EXIT; echo hi", 0, 'hi\nbye\n', ''],
    ['echo hi; exec sh -c "exit 9"', 9, 'hi\n', ''],
    ['rm "$RUNWARD_OUTPUT"', 0, '', ''],
    ['rm "$RUNWARD_OUTPUT"; mkfifo "$RUNWARD_OUTPUT"', 0, '', ''],
    ['unset RUNWARD_OUTPUT; runward_status=5; cat', 0, '', ''],
    ["sh -c 'kill -9 $$'", 137, '', ''],
    ['printf \'a=\\303\\274\\000\\n\' >"$RUNWARD_OUTPUT"', 0, '', 'a=ü\0\n'],
  ])('return the outputs of %j, and its exit code', (command, status, output, outputs) => {
    const playedCommand = play({ outputs: true, command }, { cwd: '/' });
    expect(playedCommand).toMatchObject({ status, output, outputs, left: [] });
  });

  it('return outputs of a command that does not parse', () => {
    const playedCommand = play({ outputs: true, command: 'if true; then' });
    expect(playedCommand).toMatchObject({ output: '', outputs: '', left: [] });
    expect(playedCommand.status).not.toBe(0);
  });

  it('make the file for outputs private, and remove it', () => {
    const playedCommand = play({ outputs: true, command: 'ls -l "$RUNWARD_OUTPUT"; ls "$TMPDIR" | wc -l; umask' });
    expect(playedCommand.output).toMatch(/^-rw------- [^\n]*\n\s*1\n0022\n$/);
    expect(playedCommand.left).toEqual([]);
  });

  it('remove the file when a signal ends them, and die from that signal', () => {
    const files = mkdtempSync(path.join(folder, 'tmp-'));
    const script = composeScript({ command: 'kill -TERM "$RUNWARD_PARENT"', exports: [], outputs: true, mark: MARK });
    const { signal } = spawnSync(shell, [...(shell === 'busybox' ? ['sh'] : []), '-s'], {
      input: `RUNWARD_PARENT=$$; ${script}`,
      timeout: 20_000,
      env: { PATH: process.env.PATH, TMPDIR: files },
    });
    expect([signal, readdirSync(files)]).toEqual(['SIGTERM', []]);
  });

  it('return at most 64 KiB of outputs', () => {
    const { outputs, status } = play({
      outputs: true,
      command: 'head -c 70000 /dev/zero | tr "\\0" x >"$RUNWARD_OUTPUT"',
    });
    expect([outputs?.length, status]).toEqual([65_536, 0]);
  });

  it('do not run the command when the file for outputs cannot be created', () => {
    const playedCommand = play({ outputs: true, command: 'echo ran' }, { env: { TMPDIR: path.join(folder, 'gone') } });
    expect(playedCommand).toMatchObject({ output: '', status: 1, notRun: 'not-run' });
    expect(playedCommand.stderr).toMatch(
      /The file for the outputs could not be created\. The command was not run\.\n$/,
    );
  });

  it('pass everything to another user, and nothing on a command line', () => {
    const secret = `hunter2 'quoted' $x \\ %s \n ü`;
    const playedCommand = play(
      {
        become: 'somebody',
        exports: [{ name: 'TOKEN', value: secret }],
        environment: { OWN: 'o' },
        command:
          'printf "%s|" "$TOKEN" "$OWN" "$PWD" "${OUTER-none}"; read x; echo "read:$x"; echo a=1 >"$RUNWARD_OUTPUT"; exit 5',
        unless: '[ "$TOKEN" = other ]',
        outputs: true,
      },
      { env: { OUTER: 'kept out' } },
    );
    expect(playedCommand).toMatchObject({
      output: `${secret}|o|${folder}|none|read:\n`,
      stderr: '',
      status: 5,
      outputs: 'a=1\n',
      left: [],
    });
    const [flags, parent] = readFileSync(path.join(folder, 'arguments'), 'utf8').split('/bin/sh\n');
    expect(flags).toBe('-n\n-H\n-u\nsomebody\n--\n');
    expect(parent).not.toContain('hunter2');
    expect(play({ become: 'somebody', unless: 'true', command: 'echo ran' })).toMatchObject({
      output: '',
      status: 0,
      skipped: true,
    });
    expect(play({ become: 'somebody', workingDirectory: '/', command: 'pwd' }).output).toBe('/\n');
  });

  it('end with the error of sudo when it refuses', () => {
    const playedCommand = play({ become: 'denied', command: 'echo ran', outputs: true });
    expect(playedCommand).toMatchObject({
      output: '',
      stderr: 'sudo: a password is required\n',
      status: 1,
      notRun: 'refused',
      outputs: null,
    });
    expect(play({ become: 'denied', command: 'echo ran', mark: undefined })).toMatchObject({ stdout: '', status: 1 });
  });

  it('distinguish a refusal from a command with the same exit code, or one that reads its input and prints anything', () => {
    for (const command of [
      'exit 1',
      'cat; echo "cd 2>/dev/null || cd /"; exit 1',
      'exec cat /dev/stdin',
      'kill -9 $$',
    ]) {
      expect([command, play({ become: 'somebody', command }).notRun]).toEqual([command, null]);
      expect([command, play({ become: 'somebody', command, outputs: true }).notRun]).toEqual([command, null]);
    }
    const long = `: ${'x'.repeat(300_000)}`;
    expect(play({ become: 'denied', command: long })).toMatchObject({ status: 1, notRun: 'refused' });
    expect(play({ become: 'somebody', command: `${long}; exit 7` })).toMatchObject({ status: 7, notRun: null });
  });

  it('do not use sudo for the current user', () => {
    const me = os.userInfo().username;
    rmSync(path.join(folder, 'arguments'), { force: true });
    const exports = [{ name: 'A', value: "it's" }];
    const playedCommand = play({
      become: me,
      exports,
      command: 'echo "$A"; cat; echo b=2 >"$RUNWARD_OUTPUT"; exit 4',
      outputs: true,
    });
    expect(playedCommand).toMatchObject({ output: "it's\n", stderr: '', status: 4, outputs: 'b=2\n', left: [] });
    expect(readdirSync(folder)).not.toContain('arguments');
    expect(play({ become: me, command: 'exit 6' }).status).toBe(6);
  });

  // Only root can use sudo without a password on every machine.
  if (process.getuid?.() === 0) {
    it('switch to another user with the real sudo, which refuses a user without rights', () => {
      const real = { env: { PATH: process.env.PATH } };
      const exports = [{ name: 'A', value: '$x \n' }];
      const command = 'id -un; printf %s "$A"; echo a=1 >"$RUNWARD_OUTPUT"; exit 3';
      const playedCommand = play({ become: 'nobody', exports, command, outputs: true }, real);
      expect(playedCommand).toMatchObject({ output: 'nobody\n$x \n', stderr: '', status: 3, outputs: 'a=1\n' });
      const deniedResult = play({ become: 'root', command: 'echo ran' }, { ...real, uid: NOBODY_UID, gid: NOBODY_UID });
      expect(deniedResult).toMatchObject({
        output: '',
        stderr: expect.stringMatching(/^sudo: /),
        status: 1,
        notRun: 'refused',
      });
    });
  }
});
