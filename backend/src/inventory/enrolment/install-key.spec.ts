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
import { INSTALL_SCRIPT } from '../rotation/host/authorized-keys-script.js';

const dir = mkdtempSync(path.join(os.tmpdir(), 'runward-install-'));
const home = path.join(dir, 'home of $(id) "x"');
const ssh = path.join(home, '.ssh');
const file = path.join(ssh, 'authorized_keys');
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK+/x= runward';
/** All byte values except NUL, which shells drop. The last one is not a newline. */
const ODD = Buffer.from(Array.from({ length: 255 }, (_, index) => index + 1));

beforeEach(() => {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { mode: 0o700 });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const modeOf = (place: string) => statSync(place).mode & 0o777;

describe.each([
  ['dash', ['dash']],
  ['bash', ['bash']],
  ['bash as sh', ['bash', '--posix']],
  ['busybox', ['busybox', 'sh']],
])('installing the login key with %s', (_, [command = '', ...args]) => {
  const install = (env: Record<string, string> = {}) =>
    execFileSync(command, [...args, '-c', INSTALL_SCRIPT], {
      env: { HOME: home, PATH: process.env.PATH, RUNWARD_KEY: KEY, ...env },
    }).toString();

  it('creates a folder and a file for the user only, and adds the key once', () => {
    expect([install(), install()]).toEqual(['changed\n', 'present\n']);
    expect(readFileSync(file, 'utf8')).toBe(`${KEY}\n`);
    expect([modeOf(ssh), modeOf(file), readdirSync(ssh)]).toEqual([0o700, 0o600, ['authorized_keys']]);
  });

  it('appends the key after all existing bytes and keeps the file mode', () => {
    mkdirSync(ssh, { mode: 0o755 });
    writeFileSync(file, ODD);
    chmodSync(file, 0o640);
    expect(install()).toBe('changed\n');
    expect(readFileSync(file)).toEqual(Buffer.concat([ODD, Buffer.from(`\n${KEY}\n`)]));
    expect([modeOf(ssh), modeOf(file)]).toEqual([0o755, 0o640]);
  });

  it('finds the key with options or another comment, but not inside a comment line', () => {
    mkdirSync(ssh);
    const [type, blob] = KEY.split(' ');
    const there = `from="10.0.0.0/8" ${type}\t${blob} of somebody`;
    writeFileSync(file, there);
    expect([install(), readFileSync(file, 'utf8')]).toEqual(['present\n', there]);
    writeFileSync(file, `  # ${KEY}\n`);
    expect([install(), readFileSync(file, 'utf8')]).toEqual(['changed\n', `  # ${KEY}\n${KEY}\n`]);
  });

  it('writes to the target of a symbolic link', () => {
    mkdirSync(path.join(home, 'kept'));
    symlinkSync('kept', ssh);
    symlinkSync('keys -> of me', file);
    writeFileSync(path.join(home, 'kept/keys -> of me'), 'one\n');
    expect(install()).toBe('changed\n');
    expect([lstatSync(ssh).isSymbolicLink(), lstatSync(file).isSymbolicLink()]).toEqual([true, true]);
    expect(readFileSync(path.join(home, 'kept/keys -> of me'), 'utf8')).toBe(`one\n${KEY}\n`);
  });

  it('changes nothing when a link is dangling or circular, a folder is there, or HOME is invalid', () => {
    mkdirSync(ssh);
    symlinkSync('gone', file);
    expect([install(), readdirSync(ssh)]).toEqual(['dangling_link\n', ['authorized_keys']]);
    rmSync(file);
    symlinkSync('authorized_keys', file);
    expect(install()).toBe('dangling_link\n');
    rmSync(file);
    mkdirSync(file);
    expect(install()).toBe('no_file\n');
    rmSync(ssh, { recursive: true });
    writeFileSync(ssh, '');
    expect(install()).toBe('not_writable\n');
    expect(install({ HOME: path.join(home, 'none') })).toBe('no_home\n');
    expect(install({ HOME: '' })).toBe('no_home\n');
    expect(install({ HOME: 'relative' })).toBe('no_home\n');
  });

  it('uses the named home directory instead of that of the account', () => {
    const other = path.join(home, 'other');
    mkdirSync(other);
    expect(install({ RUNWARD_HOME: other })).toBe('changed\n');
    expect(readFileSync(path.join(other, '.ssh/authorized_keys'), 'utf8')).toBe(`${KEY}\n`);
    expect(readdirSync(home)).toEqual(['other']);
  });

  it('adds the key once when several processes install it at once', () => {
    const shell = [command, ...args].join(' ');
    const all = `for i in 1 2 3 4 5 6 7 8; do ${shell} -c "$SCRIPT" & done; wait`;
    const env = { HOME: home, PATH: process.env.PATH, RUNWARD_KEY: KEY, SCRIPT: INSTALL_SCRIPT };
    const answers = execFileSync('sh', ['-c', all], { env }).toString().trim().split('\n').sort();
    expect(answers).toEqual(['changed', ...Array.from({ length: 7 }, () => 'present')]);
    expect([readFileSync(file, 'utf8'), readdirSync(ssh)]).toEqual([`${KEY}\n`, ['authorized_keys']]);
  });
});
