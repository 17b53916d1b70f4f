import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { composeScript } from './environment-script.js';
import { nameFault } from '../../common/variables/variable-name.js';

const shells = ['sh', 'dash', 'bash', 'busybox'].filter(
  (shell) => spawnSync(shell, [...(shell === 'busybox' ? ['sh'] : []), '-c', ':']).status === 0,
);

function run(shell: string, script: string) {
  const options = { input: script, timeout: 20_000, maxBuffer: 64 * 1024 * 1024, env: { PATH: process.env.PATH } };
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

  it.each(['a-b', 'a;b', '', '1a', 'a b', 'a\nb', 'é'])('refuses the name %j', (name) => {
    expect(() => composeScript({ command: 'ls', exports: [{ name, value: 'x' }] })).toThrow(RangeError);
  });

  it('refuses what no shell can take, without repeating it', () => {
    expect(() => composeScript({ command: 'ls', exports: [{ name: 'A', value: 'hunter2\0' }] })).toThrow(
      /^The value of A holds a NUL/,
    );
    expect(() => composeScript({ command: 'ls', exports: [{ name: 'A', value: ['\ud800'] }] })).toThrow(RangeError);
    expect(() => composeScript({ command: 'ls\0', exports: [] })).toThrow(/^The command holds a NUL/);
  });
});

describe.each(shells)('the script in %s', (shell) => {
  let state = 5;
  const pick = (below: number) => ((state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 8) % below;
  const character = () =>
    pick(3) === 0
      ? (`'"\\$\`\n\r\t !#&*()<>|;~?[]{}%^=\u0001\u007f\u0080\u0081\u0088\u00ff`[pick(36)] ?? ' ')
      : String.fromCodePoint(
          [1 + pick(0x7f), 0x80 + pick(0x780), 0xe000 + pick(0x1ffd), 0x10000 + pick(0xfffff)][pick(4)] as number,
        );

  it('brings random text to the process byte for byte, and none of it runs', () => {
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

  it('brings a random command to the shell as it is', () => {
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

  it('runs every line, though a program in between reads its input', () => {
    const { stdout } = run(shell, composeScript({ command: 'cat\nread x; echo "got:$x"\necho done', exports: [] }));
    expect(stdout).toBe('got:\ndone\n');
  });

  it('keeps here-documents, functions and traps of the command', () => {
    const command = `f() { cat <<EOF\n$1 $NAME\nEOF\n}\ntrap 'echo bye' EXIT\nf "it's"`;
    expect(run(shell, composeScript({ command, exports: [{ name: 'NAME', value: '$x "y"' }] })).stdout).toBe(
      `it's $x "y"\nbye\n`,
    );
  });

  it('takes every name that the rule for names allows', () => {
    const listed = run(shell, 'set\nenv\n').stdout.matchAll(/^([A-Za-z_][A-Za-z0-9_]*)=/gm);
    const names = [...new Set([...listed].map(([, name]) => name as string))].filter(
      (name) => nameFault(name) === null,
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
