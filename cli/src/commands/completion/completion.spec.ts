import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runProgram } from '../../run-program.ts';
import { fakeSurroundings } from '../../terminal/fake-surroundings.ts';

const run = promisify(execFile);
let folder: string;

const script = async (shell: string): Promise<string> => {
  const surroundings = fakeSurroundings();
  expect(await runProgram(['completion', shell], surroundings)).toBe(0);
  return surroundings.out();
};

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runward-completion-'));
  for (const shell of ['bash', 'zsh', 'fish']) await writeFile(path.join(folder, shell), await script(shell));
  await writeFile(path.join(folder, 'a plan.yaml'), '');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('bash', () => {
  const complete = async (...words: string[]): Promise<string[]> => {
    const text =
      'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _runward; printf "%s\\n" "${COMPREPLY[@]}"';
    const { stdout } = await run('bash', ['--norc', '-euc', text, 'bash', path.join(folder, 'bash'), ...words], {
      cwd: folder,
    });
    return stdout.split('\n').filter(Boolean);
  };

  it('completes commands, options, their values and files', async () => {
    expect(await complete('runward', '')).toEqual(
      expect.arrayContaining(['login', 'plan', 'run', 'server', 'source', 'completion']),
    );
    expect(await complete('runward', 'run', 's')).toEqual(['start', 'show']);
    expect(await complete('runward', 'run', 'start', 'deploy', '--on')).toEqual([
      '--on-pause',
      '--on-interrupt',
      '--on-overlap',
    ]);
    expect(await complete('runward', 'run', 'start', '--on-pause', '')).toEqual(['exit', 'wait']);
    expect(await complete('runward', 'run', 'start', '--mode', 'semi')).toEqual(['semi_assisted']);
    expect(await complete('runward', 'run', 'start', '--note', '')).toEqual([]);
    expect(await complete('runward', 'plan', 'import', 'a')).toEqual(['a plan.yaml']);
    expect(await complete('runward', 'completion', 'z')).toEqual(['zsh']);
  });
});

describe('zsh', () => {
  it('accepts the script and completes commands with descriptions', async () => {
    await run('zsh', ['-n', path.join(folder, 'zsh')]);
    // Stubs for the functions of zsh's completion.
    const text = `compdef() { print -r -- "compdef $*" }; _describe() { print -rl -- "\${entries[@]}" }; compadd() { print -r -- "$@" }; _files() { print files }; _message() { print any }
      source "$1"; shift; words=("$@"); CURRENT=$#; _runward`;
    const complete = async (...words: string[]) =>
      (await run('zsh', ['-fc', text, 'zsh', path.join(folder, 'zsh'), ...words])).stdout;
    expect(await complete('runward', '')).toContain('run:Start, watch, approve and cancel runs');
    expect(await complete('runward', 'run', 'start', '--on-pause', '')).toContain('-- exit wait');
    expect(await complete('runward', 'run', 'start', '--junit', '')).toContain('files');
    expect(await complete('runward', 'run', 'start', 'x', '')).toContain("--targets:limit the plan's hosts");
  });
});

describe('fish', () => {
  it('has a line for each command and option with balanced quotes', async () => {
    const lines = (await script('fish')).split('\n').filter((line) => line.startsWith('complete '));
    expect(lines.length).toBeGreaterThan(100);
    for (const line of lines) expect(line.replace(/\\[\\']/g, '').split("'").length % 2).toBe(1);
    expect(lines).toContainEqual(expect.stringContaining("-l on-pause -x -a 'exit wait'"));
  });
});
