import { beforeEach, describe, expect, it } from '@jest/globals';
import { type WithheldLine, RepeatedLines } from './repeated-lines.js';

let lines: RepeatedLines;
let reports: WithheldLine[];
let now: number;

beforeEach(() => {
  reports = [];
  now = 0;
  lines = new RepeatedLines((report) => reports.push(report));
});

const admits = (text: string, level = 'warn', context = 'Queue') => lines.admitsLine({ level, context, text }, now);
const uuid = (n: number) => `0198c1f0-0000-7000-8000-${String(n).padStart(12, '0')}`;

describe('repeated line', () => {
  it('is printed once a minute, with a report of the repetitions before it', () => {
    const printed: number[] = [];
    for (now = 0; now < 180_000; now += 100) if (admits('connect ENOENT')) printed.push(now);
    expect(printed).toEqual([0, 60_000, 120_000]);
    expect(reports.map(({ times, seconds, text }) => [times, seconds, text])).toEqual([
      [599, 60, 'connect ENOENT'],
      [599, 60, 'connect ENOENT'],
    ]);
  });

  it('is reported soon after the last repetition', () => {
    for (now = 0; now < 3_000; now += 100) admits('connect ENOENT');
    lines.reportEnded(5_000);
    expect(reports).toEqual([]);
    lines.reportEnded(14_000);
    expect(reports).toEqual([{ level: 'warn', context: 'Queue', text: 'connect ENOENT', times: 29, seconds: 14 }]);
    lines.reportEnded(60_000);
    expect(reports).toHaveLength(1);
  });

  it('is reported when the process ends', () => {
    for (let n = 0; n < 5; n += 1) admits('connect ENOENT');
    lines.reportAll(900);
    expect(reports).toMatchObject([{ times: 4, seconds: 1 }]);
  });
});

describe('different lines', () => {
  it('are all printed, also if only level or context differ', () => {
    expect([admits('a'), admits('b'), admits('a', 'error'), admits('a', 'warn', 'Sweep')]).toEqual(Array(4).fill(true));
  });

  it('are printed up to 20 times a minute if they only differ in an ID; the rest is counted', () => {
    const printed = Array.from({ length: 1_000 }, (_, n) => admits(`Run ${uuid(n)} is left to the next worker`));
    expect(printed.filter(Boolean)).toHaveLength(20);
    expect(printed.slice(0, 20)).toEqual(Array(20).fill(true));
    lines.reportAll(1_000);
    expect(reports).toMatchObject([{ times: 980 }]);
  });

  it('are printed again after the window, regardless of earlier lines', () => {
    for (let n = 0; n < 1_000; n += 1) admits(`Run ${uuid(n)} failed`);
    now = 60_000;
    expect(admits(`Run ${uuid(5_000)} failed`)).toBe(true);
  });

  it('use bounded memory, and each line is printed or counted', () => {
    const words = Array.from(
      { length: 5_000 },
      (_, n) => 'x'.repeat(1 + (n % 700)) + String.fromCharCode(97 + (n % 26)),
    );
    let printed = 0;
    for (const [n, word] of words.entries()) {
      now = n;
      if (admits(word)) printed += 1;
    }
    lines.reportAll(now);
    expect(printed + reports.reduce((sum, { times }) => sum + times, 0)).toBe(words.length);
    expect((lines as unknown as { remembered: Map<string, object> }).remembered.size).toBe(0);
    for (const n of words.keys()) admits(`${words[n] ?? ''}${n}`);
    expect((lines as unknown as { remembered: Map<string, object> }).remembered.size).toBeLessThanOrEqual(500);
  });
});
