import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createEditScript, type FileEdit, READ_SCRIPT } from './authorized-keys-script.js';

const dir = mkdtempSync(path.join(os.tmpdir(), 'runward-keys-'));
const ssh = path.join(dir, '.ssh');
const file = path.join(ssh, 'authorized_keys');
/** All bytes except NUL, which shells drop. There is no newline at the end. */
const ODD = Buffer.from(Array.from({ length: 255 }, (_, index) => index + 1));

beforeEach(() => {
  rmSync(ssh, { recursive: true, force: true });
  mkdirSync(ssh, { mode: 0o700 });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const SHELLS: [string, string[], Record<string, string>][] = [
  ['dash', ['dash'], {}],
  ['bash', ['bash', '--posix'], {}],
  ['busybox', ['busybox', 'sh'], {}],
];

describe.each(SHELLS)('the scripts in %s', (_, [command = '', ...args]) => {
  const run = (script: string): Buffer =>
    execFileSync(command, [...args, '-c', `eval "$(cat)"`], {
      input: script,
      env: { HOME: dir, PATH: process.env.PATH },
    });
  const look = () => /^file (\d+ \d+)\n/.exec(run(READ_SCRIPT).toString('latin1'))?.[1] ?? '';
  const edit = (change: FileEdit) => run(createEditScript(look(), change)).toString();

  it('read the bytes of the file', () => {
    writeFileSync(file, ODD);
    const answer = run(READ_SCRIPT);
    expect(answer.subarray(answer.indexOf(10) + 1)).toEqual(ODD);
  });

  it('append lines after a missing newline, and keep all other bytes and the mode', () => {
    const line = Buffer.from(`from="a%sb\\"c",x='y' \xe9\xff$(id) \`id\` ssh-ed25519 AAAA+/= c`, 'latin1');
    writeFileSync(file, ODD, { mode: 0o640 });
    chmodSync(file, 0o640);
    expect(edit({ append: line })).toBe('changed\n');
    expect(readFileSync(file)).toEqual(Buffer.concat([ODD, Buffer.from('\n'), line, Buffer.from('\n')]));
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(edit({ append: Buffer.from('second') })).toBe('changed\n');
    expect(readFileSync(file, 'latin1').endsWith(' c\nsecond\n')).toBe(true);
    expect(readdirSync(ssh)).toEqual(['authorized_keys']);
  });

  it('remove lines, also the last one, and keep all other bytes', () => {
    writeFileSync(file, 'one\n\ttwo \xff\n\nthree\nfour', 'latin1');
    expect(edit({ without: [1, 4] })).toBe('changed\n');
    expect(readFileSync(file, 'latin1')).toBe('\ttwo \xff\n\nfour');
    expect(edit({ without: [3] })).toBe('changed\n');
    expect(readFileSync(file, 'latin1')).toBe('\ttwo \xff\n\n');
  });

  it('change the target of links', () => {
    mkdirSync(path.join(dir, 'kept'), { recursive: true });
    const real = path.join(dir, 'kept', 'keys -> of me');
    writeFileSync(real, 'one\n');
    symlinkSync('../kept/keys -> of me', path.join(ssh, 'between'));
    symlinkSync('between', file);
    const changed = run(createEditScript(look(), { append: Buffer.from('two') })).toString();
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect([changed, readFileSync(real, 'utf8')]).toEqual(['changed\n', 'one\ntwo\n']);
  });

  it('change nothing if the file has changed or is missing', () => {
    writeFileSync(file, 'one\n');
    const seen = look();
    writeFileSync(file, 'two\n');
    expect(run(createEditScript(seen, { append: Buffer.from('x') })).toString()).toBe('changed_meanwhile\n');
    expect(readFileSync(file, 'utf8')).toBe('two\n');
    rmSync(file);
    expect(run(READ_SCRIPT).toString()).toBe('no_file\n');
    symlinkSync('authorized_keys', file);
    expect(run(READ_SCRIPT).toString()).toBe('no_file\n');
  });

  it('replace the leftovers of an interrupted script', () => {
    writeFileSync(file, 'one\n');
    writeFileSync(path.join(ssh, '.authorized_keys.runward-new'), 'half of a li');
    expect(edit({ append: Buffer.from('two') })).toBe('changed\n');
    expect([readFileSync(file, 'utf8'), readdirSync(ssh)]).toEqual(['one\ntwo\n', ['authorized_keys']]);
  });

  it('lose nothing in concurrent changes without flock', () => {
    writeFileSync(file, '');
    const tools = path.join(dir, 'tools');
    rmSync(tools, { recursive: true, force: true });
    mkdirSync(tools);
    const names = ['cat', 'cksum', 'cp', 'rm', 'mv', 'mkdir', 'rmdir', 'wc', 'tail', 'sed', 'sleep', 'find', 'ls'];
    for (const name of names)
      symlinkSync(
        execFileSync('sh', ['-c', `command -v ${name}`])
          .toString()
          .trim(),
        path.join(tools, name),
      );
    const script = createEditScript('4294967295 0', { append: Buffer.from('line') });
    writeFileSync(path.join(dir, 'script'), script);
    const shell = [command, ...args].join(' ');
    const all = `for i in 1 2 3 4 5 6 7 8; do env PATH=${tools} HOME=${dir} $(command -v ${shell.split(' ')[0]}) ${args.join(' ')} ${path.join(dir, 'script')} & done; wait`;
    const answers = execFileSync('sh', ['-c', all]).toString().trim().split('\n').sort();
    expect(answers).toEqual(['changed', ...Array.from({ length: 7 }, () => 'changed_meanwhile')].sort());
    expect([readFileSync(file, 'utf8'), readdirSync(ssh)]).toEqual(['line\n', ['authorized_keys']]);
  });
});

describe('a full home directory', () => {
  it('keeps the file unchanged', () => {
    // A file size limit simulates a full disk: writing stops in the middle.
    writeFileSync(file, 'x'.repeat(900));
    const seen = execFileSync('cksum', { input: readFileSync(file) })
      .toString()
      .trim();
    const script = `trap '' XFSZ; ulimit -f 2; ${createEditScript(seen, { append: Buffer.alloc(4000, 'y') })}`;
    const answer = execFileSync('dash', ['-c', 'eval "$(cat)"'], {
      input: script,
      env: { HOME: dir, PATH: process.env.PATH },
    });
    expect([answer.toString(), readFileSync(file, 'utf8').length, readdirSync(ssh)]).toEqual([
      'no_space\n',
      900,
      ['authorized_keys'],
    ]);
  });
});
