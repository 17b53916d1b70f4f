import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { createChallenge } from './handshake.js';
import { MarkFilter } from './turn-marks.js';
import {
  AcknowledgementFilter,
  BOOTSTRAP_COMMAND,
  buildBootstrapInput,
  toStderrMark,
} from './start-acknowledgement.js';

const NONCE = 'runward-0123456789abcdef';

function filter(pieces: Buffer[]): { before: string; pid?: number; after: string } {
  const acknowledgement = new AcknowledgementFilter(NONCE);
  const before: Buffer[] = [];
  const after: Buffer[] = [];
  let pid: number | undefined;
  for (const piece of pieces) {
    if (pid !== undefined) {
      after.push(piece);
      continue;
    }
    const found = acknowledgement.push(piece);
    before.push(found.before);
    after.push(found.after);
    pid = found.pid;
  }
  before.push(acknowledgement.rest());
  return { before: Buffer.concat(before).toString(), pid, after: Buffer.concat(after).toString() };
}

const split = (text: string, size: number) => {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
};

describe('the start acknowledgement', () => {
  const streams: [string, string, { before: string; pid?: number; after: string }][] = [
    ['alone', `${NONCE} 4711\n`, { before: '', pid: 4711, after: '' }],
    ['before output', `${NONCE} 1\nhéllo\n`, { before: '', pid: 1, after: 'héllo\n' }],
    ['after a login message', `Welcome\n${NONCE} 12\nx`, { before: 'Welcome\n', pid: 12, after: 'x' }],
    ['after a message without an end of line', `prompt> ${NONCE} 12\nx`, { before: 'prompt> ', pid: 12, after: 'x' }],
    ['after the beginning of itself', `runward-${NONCE} 12\n`, { before: 'runward-', pid: 12, after: '' }],
    [
      'after an echo of the nonce',
      `${NONCE}\n${NONCE} x\n${NONCE} 9\n`,
      { before: `${NONCE}\n${NONCE} x\n`, pid: 9, after: '' },
    ],
    [
      'after the mark of standard error, which a host merged into its output',
      `Beware\n${NONCE} stderr\n${NONCE} 7\nx`,
      { before: 'Beware\n', pid: 7, after: 'x' },
    ],
    ['once only', `${NONCE} 5\n${NONCE} 6\n`, { before: '', pid: 5, after: `${NONCE} 6\n` }],
    ['never', `No login today.\n${NONCE.slice(0, 9)}`, { before: `No login today.\n${NONCE.slice(0, 9)}`, after: '' }],
    ['with another nonce', 'runward-ffffffffffffffff 5\n', { before: 'runward-ffffffffffffffff 5\n', after: '' }],
    ['with no number', `${NONCE} -1\n${NONCE} 0\n`, { before: `${NONCE} -1\n${NONCE} 0\n`, after: '' }],
    ['with too long a number', `${NONCE} ${'9'.repeat(30)}\n`, { before: `${NONCE} ${'9'.repeat(30)}\n`, after: '' }],
  ];

  it.each(streams)('is found %s, for any split of the stream', (_where, text, expected) => {
    for (let size = 1; size <= Buffer.byteLength(text); size += 1) expect(filter(split(text, size))).toEqual(expected);
  });

  it('is the only reason to hold bytes back', () => {
    const found = new AcknowledgementFilter(NONCE).push(Buffer.from('a long login message, runw'));
    expect(found.before.toString()).toBe('a long login message, ');
  });
});

describe('the mark on standard error', () => {
  const streams: [string, string, { before: string; after: string }][] = [
    ['alone', `${NONCE} stderr\n`, { before: '', after: '' }],
    ['between', `Beware\n${NONCE} stderr\nwarning\n`, { before: 'Beware\n', after: 'warning\n' }],
    ['once only', `${NONCE} stderr\n${NONCE} stderr\n`, { before: '', after: `${NONCE} stderr\n` }],
    ['never', `Beware\n${NONCE} std`, { before: `Beware\n${NONCE} std`, after: '' }],
  ];

  it.each(streams)('is found %s, for any split of the stream', (_where, text, expected) => {
    for (let size = 1; size <= Buffer.byteLength(text); size += 1) {
      const mark = new MarkFilter(toStderrMark(NONCE));
      const found = split(text, size).map((piece) => mark.push(piece));
      const joined = (part: 'before' | 'after') => Buffer.concat(found.map((each) => each[part])).toString();
      expect({ before: joined('before') + mark.rest().toString(), after: joined('after') }).toEqual(expected);
    }
  });
});

describe.each(['/bin/sh', '/bin/bash'])('the bootstrap in a login shell %s', (shell) => {
  const { challenge, answer } = createChallenge('0123456789abcdef');
  const start = (input: string) => {
    const ran = spawnSync(shell, ['-c', BOOTSTRAP_COMMAND], { input: challenge + input, encoding: 'utf8' });
    return { ...ran, stdout: ran.stdout.replace(/^[^\n]*\n/, '').replace(answer, '') };
  };

  it('acknowledges with its process ID, then runs the script', () => {
    const ran = start(buildBootstrapInput(NONCE, 'echo "$0"; cat; exit 7'));
    expect(ran).toMatchObject({
      status: 7,
      stdout: `${NONCE} ${ran.pid}\nrunward\n`,
      stderr: `${NONCE} stderr\n`,
    });
  });

  it('leaves none of its variables to the script', () => {
    const ran = start(buildBootstrapInput(NONCE, 'set | grep -c "^_r[a-z0-9]="'));
    expect(ran.stdout).toMatch(/\n0\n$/);
  });

  it('runs nothing of a truncated script', () => {
    const input = buildBootstrapInput(NONCE, 'echo "removing $HOME/old"; true');
    for (const length of [0, 5, NONCE.length, NONCE.length + 1, NONCE.length + 10, input.length - 1]) {
      expect(start(input.slice(0, length))).toMatchObject({ status: 125, stdout: '' });
    }
  });
});
