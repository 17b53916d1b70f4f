import { beforeEach, describe, expect, it } from '@jest/globals';
import { type HeldBack, RepeatedLines } from './repeated-lines.js';

let lines: RepeatedLines;
let told: HeldBack[];
let now: number;

beforeEach(() => {
  told = [];
  now = 0;
  lines = new RepeatedLines((what) => told.push(what));
});

const admits = (text: string, level = 'warn', context = 'Queue') => lines.admits({ level, context, text }, now);
const uuid = (n: number) => `0198c1f0-0000-7000-8000-${String(n).padStart(12, '0')}`;

describe('a line that repeats', () => {
  it('is printed once, and how often it was repeated is told each minute, when it is printed anew', () => {
    const printed: number[] = [];
    for (now = 0; now < 180_000; now += 100) if (admits('connect ENOENT')) printed.push(now);
    expect(printed).toEqual([0, 60_000, 120_000]);
    expect(told.map(({ times, seconds, text }) => [times, seconds, text])).toEqual([
      [599, 60, 'connect ENOENT'],
      [599, 60, 'connect ENOENT'],
    ]);
  });

  it('is told soon after its end', () => {
    for (now = 0; now < 3_000; now += 100) admits('connect ENOENT');
    lines.look(5_000);
    expect(told).toEqual([]);
    lines.look(14_000);
    expect(told).toEqual([{ level: 'warn', context: 'Queue', text: 'connect ENOENT', times: 29, seconds: 14 }]);
    lines.look(60_000);
    expect(told).toHaveLength(1);
  });

  it('is told when the process ends', () => {
    for (let n = 0; n < 5; n += 1) admits('connect ENOENT');
    lines.flush(900);
    expect(told).toMatchObject([{ times: 4, seconds: 1 }]);
  });
});

describe('lines that differ', () => {
  it('are all printed, also when only level or context differ', () => {
    expect([admits('a'), admits('b'), admits('a', 'error'), admits('a', 'warn', 'Sweep')]).toEqual(Array(4).fill(true));
  });

  it('are all printed when they differ in an id, up to twenty a minute; the others are counted', () => {
    const printed = Array.from({ length: 1_000 }, (_, n) => admits(`Run ${uuid(n)} is left to the next worker`));
    expect(printed.filter(Boolean)).toHaveLength(20);
    expect(printed.slice(0, 20)).toEqual(Array(20).fill(true));
    lines.flush(1_000);
    expect(told).toMatchObject([{ times: 980 }]);
  });

  it('are printed however many came before, once those are long ago', () => {
    for (let n = 0; n < 1_000; n += 1) admits(`Run ${uuid(n)} failed`);
    now = 60_000;
    expect(admits(`Run ${uuid(5_000)} failed`)).toBe(true);
  });

  it('take bounded memory, and none is lost that was not printed or counted', () => {
    const words = Array.from(
      { length: 5_000 },
      (_, n) => 'x'.repeat(1 + (n % 700)) + String.fromCharCode(97 + (n % 26)),
    );
    let printed = 0;
    for (const [n, word] of words.entries()) {
      now = n;
      if (admits(word)) printed += 1;
    }
    lines.flush(now);
    expect(printed + told.reduce((sum, { times }) => sum + times, 0)).toBe(words.length);
    expect((lines as unknown as { remembered: Map<string, object> }).remembered.size).toBe(0);
    for (const n of words.keys()) admits(`${words[n] ?? ''}${n}`);
    expect((lines as unknown as { remembered: Map<string, object> }).remembered.size).toBeLessThanOrEqual(500);
  });
});
