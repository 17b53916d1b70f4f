import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { composeScript } from '../../../plans/shell/environment-script.js';
import { renderTemplateCommand } from './template-command.js';

const ARGUMENTS: Record<string, string[]> = {
  sh: [],
  dash: [],
  bash: ['--posix'],
  busybox: ['sh'],
  zsh: ['--emulate', 'sh'],
};
const SHELLS = Object.keys(ARGUMENTS).filter(
  (shell) => spawnSync(shell, [...(ARGUMENTS[shell] ?? []), '-c', ':']).status === 0,
);
const folder = mkdtempSync(path.join(os.tmpdir(), 'runward-template-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = path.join(folder, 'file');

/**
 * Writes the content to the file.
 * @returns whether the file was changed, and the output of the host
 */
function runTemplateCommand(shell: string, content: string | Buffer, env: NodeJS.ProcessEnv = {}) {
  const command = renderTemplateCommand(
    { path: file, owner: null, group: null, mode: null, backup: false },
    content,
    null,
  );
  const input = composeScript({ command, exports: [], reportsChange: true, mark: 'mark_0123456789abcdef' });
  const program = spawnSync('/bin/sh', ['-c', `command -v ${shell}`])
    .stdout.toString()
    .trim();
  const args = [...(ARGUMENTS[shell] ?? []), '-s'];
  const { status, stdout, stderr } = spawnSync(program, args, { input, env: { PATH: process.env.PATH, ...env } });
  return { status, written: stdout.includes(`${file} was written.`), stderr: stderr.toString() };
}

describe.each(SHELLS)('the command of a step that writes a file, in %s', (shell) => {
  it.each([
    ['a NUL in place of the last end of a line', 'ab\0c', 'abc\n'],
    ['a NUL in place of one of two ends of lines', 'abc\0\n', 'abc\n\n'],
    ['a NUL in the middle', 'a\0c', 'abc'],
    ['nothing but NULs', '\0\0\0', '\n\n\n'],
    ['a letter in place of the end of a line', 'abcx', 'abc\n'],
    ['the end of a line in place of a letter', 'abc\n', 'abcx'],
    ['bytes that are no text', Buffer.from([0x61, 0xff, 0xc3]), 'aé'],
    ['another case', 'A*', 'a*'],
    ['what a pattern would match', 'ab', 'a?'],
  ])('replaces a file of the same size that contains %s', (_, before, after) => {
    expect(Buffer.byteLength(before)).toBe(Buffer.byteLength(after));
    writeFileSync(file, before);
    expect(runTemplateCommand(shell, after)).toEqual({ status: 0, written: true, stderr: '' });
    expect(readFileSync(file, 'utf8')).toBe(after);
  });

  it.each(['', '\n', '\n\n\n', 'a', 'a\n\n', '-n\n', '\\c\n', 'x', ' \t\n ', 'é\r\n', '$(exit 9)`exit 9`"\'\n'])(
    'keeps a file that already contains %j',
    (content) => {
      writeFileSync(file, content);
      expect(runTemplateCommand(shell, content)).toEqual({ status: 0, written: false, stderr: '' });
      expect(readFileSync(file, 'utf8')).toBe(content);
    },
  );

  it('keeps an equal file also if the shell cannot create a temporary file', () => {
    writeFileSync(file, 'one\n');
    const missingPath = path.join(folder, 'nowhere/x');
    expect(runTemplateCommand(shell, 'one\n', { TMPDIR: missingPath, TMPPREFIX: missingPath })).toEqual({
      status: 0,
      written: false,
      stderr: '',
    });
  });

  it('compares text without cmp, and names the missing program for binary content', () => {
    const programs = path.join(folder, `programs of ${shell}`);
    mkdirSync(programs);
    for (const name of ['cat', 'stat', 'chmod', 'head', 'mv', 'rm', 'id', 'base64'])
      symlinkSync(
        spawnSync('/bin/sh', ['-c', `command -v ${name}`])
          .stdout.toString()
          .trim(),
        `${programs}/${name}`,
      );
    writeFileSync(file, 'one\n');
    expect(runTemplateCommand(shell, 'two\n', { PATH: programs })).toEqual({ status: 0, written: true, stderr: '' });
    expect(runTemplateCommand(shell, 'two\n', { PATH: programs })).toEqual({ status: 0, written: false, stderr: '' });
    // busybox has a built-in cmp, so it never misses the program.
    if (shell === 'busybox') return;
    const refused = runTemplateCommand(shell, Buffer.from([0, 1, 255]), { PATH: programs });
    expect(refused).toMatchObject({ status: 1, written: false });
    expect(refused.stderr).toContain('Install it (package diffutils).');
    expect(readFileSync(file, 'utf8')).toBe('two\n');
  });
});
