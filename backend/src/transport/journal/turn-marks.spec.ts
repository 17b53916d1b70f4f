import { describe, expect, it } from '@jest/globals';
import { TurnMarkFilter, type ShellTurnMark } from './turn-marks.js';

const NONCE = 'runward-0123456789abcdef';
const END = `\x1e${NONCE} end 7 4711\n`;
const OUT = `\x1e${NONCE} out\n`;
const ERR = `\x1e${NONCE} err\n`;

function read(pieces: readonly string[]): { output: string; marks: ShellTurnMark[] } {
  const filter = new TurnMarkFilter(NONCE);
  const read = pieces.map((piece) => filter.push(Buffer.from(piece, 'latin1')));
  const output = Buffer.concat([...read.map(({ output }) => output), filter.rest()]).toString('latin1');
  return { output, marks: read.flatMap(({ marks }) => marks) };
}

describe('the marks at the end of a command', () => {
  const ALL = [{ exitCode: 7, shellId: 4711 }, { over: 'stdout' }, { over: 'stderr' }];

  it('are found at any position, and nothing else is removed from the output', () => {
    expect(read([`a\n${END}b\n${OUT}${ERR}`])).toEqual({ output: 'a\nb\n', marks: ALL });
    expect(read([`no end of line${END}${OUT}`])).toEqual({ output: 'no end of line', marks: ALL.slice(0, 2) });
  });

  it('are found for any cut of the bytes', () => {
    const whole = `\x1e\x1e${END}x\x1e${OUT}\x1e${NONCE} end${ERR}`;
    const seen = read([whole]);
    expect(seen).toEqual({ output: `\x1e\x1ex\x1e\x1e${NONCE} end`, marks: ALL });
    for (let first = 0; first <= whole.length; first += 1)
      for (let second = first; second <= whole.length; second += 1)
        expect(read([whole.slice(0, first), whole.slice(first, second), whole.slice(second)])).toEqual(seen);
    expect(read([...whole])).toEqual(seen);
  });

  it.each([
    `\x1erunward-fedcba9876543210 end 0 1\n`,
    `\x1e${NONCE} end 1000 1\n`,
    `\x1e${NONCE} end 0\n`,
    `\x1e${NONCE} end -1 1\n`,
    `\x1e${NONCE} out \n`,
    `\x1e${NONCE}out\n`,
    `\x1e${NONCE} end 0 1234567890123\n`,
    `${NONCE} out\n`,
    `\x1e${NONCE} out`,
    '\x1e',
  ])('are not found in similar output: %j', (text) => {
    expect(read([text])).toEqual({ output: text, marks: [] });
    expect(read([...text])).toEqual({ output: text, marks: [] });
  });

  it('hold back only output that may become a mark', () => {
    const filter = new TurnMarkFilter(NONCE);
    for (const text of ['password: r', 'runward-', '\x1erunning', `\x1e${NONCE} ended, and that was the end of it`])
      expect(filter.push(Buffer.from(text)).output.toString()).toBe(text);
  });
});
