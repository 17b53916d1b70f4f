import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { FACTS_SCRIPT } from './facts-script.js';
import { MAX_ANSWER_LENGTH, parseFacts } from './parse-facts.js';

const answer = (...lines: string[]) => ['runward-facts-1', ...lines, 'runward-facts-end', ''].join('\n');

const LINUX = [
  'kernel=Linux',
  'kernelVersion=6.1.0-28-amd64',
  'arch=x86_64',
  'hostname=web-1',
  'os=debian',
  'osVersion="12"',
  'osName="Debian GNU/Linux 12 (bookworm)"',
  'cpus=4',
  'cpuModel=Intel(R) Xeon(R) Processor',
  'memoryKb=24684084',
  'boot=1795324297',
  'disk=/dev/vda         264212084 16558908  78942356      18% /',
  'init=systemd',
  'pythonPath=/usr/bin/python3',
  'pythonVersion=Python 3.11.2',
];

describe('the answer of a host to the facts script', () => {
  it('is parsed for Linux, FreeBSD and macOS', () => {
    expect(parseFacts(answer(...LINUX))).toEqual({
      os: 'debian',
      osVersion: '12',
      osName: 'Debian GNU/Linux 12 (bookworm)',
      kernel: 'linux',
      kernelVersion: '6.1.0-28-amd64',
      arch: 'x86_64',
      cpus: 4,
      cpuModel: 'Intel(R) Xeon(R) Processor',
      memoryMb: 24_105,
      diskTotalMb: 258_019,
      diskFreeMb: 77_092,
      bootedAt: '2026-11-22T05:11:37.000Z',
      init: 'systemd',
      hostname: 'web-1',
      pythonPath: '/usr/bin/python3',
      pythonVersion: '3.11.2',
    });
    const freebsd = ['kernel=FreeBSD', 'os=freebsd', 'osVersion=14.1', 'memoryBytes=8589934592', 'init=rc'];
    expect(parseFacts(answer(...freebsd))).toMatchObject({ os: 'freebsd', osVersion: '14.1', memoryMb: 8192 });
    const mac = ['os=macos', 'osVersion=15.1', 'disk=/dev/disk3s1s1   971350180  10 -5     3%    /'];
    expect(parseFacts(answer(...mac))).toMatchObject({ os: 'macos', diskTotalMb: 948_584, diskFreeMb: 0 });
  });

  it('has null for omitted facts', () => {
    const facts = parseFacts(answer('kernel=Linux', 'cpus=', 'memoryKb=', 'disk=', 'boot='));
    expect(facts).toMatchObject({ kernel: 'linux', os: null, cpus: null, memoryMb: null, bootedAt: null });
  });

  it.each([
    ['nothing', ''],
    ['cut off', answer(...LINUX).slice(0, -4)],
    ['without its beginning', answer(...LINUX).slice(16)],
    ['too long', answer(`osName=${'x'.repeat(MAX_ANSWER_LENGTH)}`)],
    ['with a line twice', answer('os=debian', 'os=alpine')],
    ['with a line that was not asked for', answer('__proto__=x')],
    ['with a line without a name', answer('hello')],
    ['with text before it', `Welcome!\n${answer(...LINUX)}`],
  ])('is rejected as a whole when it is %s', (_, text) => expect(parseFacts(text)).toBeNull());

  it.each([
    ['os=a,b', 'os'],
    ['os=a b', 'os'],
    ["os='", 'os'],
    ['os=-rf', 'os'],
    [`os=${'a'.repeat(64)}`, 'os'],
    ['osVersion="12\u001b[31m"', 'osVersion'],
    ['hostname=web)or(1', 'hostname'],
    ['hostname=\u202egnp', 'hostname'],
    ['cpus=0', 'cpus'],
    ['cpus=-4', 'cpus'],
    ['cpus=1e5', 'cpus'],
    ['cpus=99999999', 'cpus'],
    ['memoryKb=99999999999999999999', 'memoryMb'],
    ['memoryBytes=9007199254740993', 'memoryMb'],
    ['boot=1', 'bootedAt'],
    ['boot=99999999999', 'bootedAt'],
    ['disk=x 1 1 5 1% /', 'diskTotalMb'],
    ['disk=x y z', 'diskFreeMb'],
    ['pythonPath=/tmp/a b', 'pythonPath'],
    ['pythonPath=python: aliased to x', 'pythonPath'],
    ['pythonVersion=Python 3.11', 'pythonVersion'],
    ['pythonPath=/usr/bin/python3\npythonVersion=Traceback (most recent call last):', 'pythonVersion'],
  ])('has null for the invalid value %j', (line, name) => {
    expect(parseFacts(answer(...line.split('\n')))).toMatchObject({ [name]: null });
  });

  it('converts display texts to one plain line', () => {
    const reportedText = 'osName="\u001b]0;x\u0007Evil\u202e  \\"OS\\"\u0085"';
    expect(parseFacts(answer(reportedText))?.osName).toBe(']0;x Evil "OS"');
  });
});

describe('the facts script', () => {
  const shells = [
    ['sh'],
    ['dash'],
    ['bash'],
    ['bash', '--posix'],
    ['busybox', 'sh'],
    ['mksh'],
    ['zsh', '--emulate', 'sh'],
  ].filter(([program, ...args]) => spawnSync(program ?? '', [...args, '-c', 'exit 0']).status === 0);

  it.each(shells.map((shell) => [shell.join(' '), shell]))('runs in %s', (_, shell) => {
    const [program = '', ...args] = shell;
    const { stdout, stderr } = spawnSync(program, args, { input: `${FACTS_SCRIPT}echo after\n`, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout.endsWith('\nafter\n')).toBe(true);
    const facts = parseFacts(stdout.slice(0, -'after\n'.length));
    const uname = (flag: string) => spawnSync('uname', [flag], { encoding: 'utf8' }).stdout.trim();
    expect(facts).toMatchObject({
      kernel: uname('-s').toLowerCase(),
      arch: uname('-m'),
      hostname: uname('-n'),
      os: expect.any(String),
      cpus: expect.any(Number),
      memoryMb: expect.any(Number),
      diskTotalMb: expect.any(Number),
      bootedAt: expect.any(String),
    });
  });

  it('returns a valid answer when system programs are missing', () => {
    const { stdout, stderr } = spawnSync('/bin/sh', [], {
      input: FACTS_SCRIPT.replace(/PATH=[^;]*;/, 'PATH=/nowhere;'),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(parseFacts(stdout)).toMatchObject({ cpuModel: null, diskTotalMb: null, pythonPath: null });
  });
});
