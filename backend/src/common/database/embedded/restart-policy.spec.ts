import { describe, expect, it } from '@jest/globals';
import { MOST_RESTARTS, RESTART_WINDOW_MS, restartDelay } from './restart-policy.js';

/** The delays of a server that ends again as soon as it was started, until it is given up. */
function delaysOfCrashLoop(): number[] {
  const [delays, restarts]: [number[], number[]] = [[], []];
  for (let now = 0; delays.length < 100; ) {
    const delay = restartDelay(restarts, now);
    if (delay === null) break;
    delays.push(delay);
    restarts.push((now += delay));
  }
  return delays;
}

describe('the restarts of a server', () => {
  it('come after a growing delay between 0.2 and 10 s, five times in ten minutes', () => {
    const delays = delaysOfCrashLoop();
    expect(delays).toHaveLength(5);
    expect(delays).toEqual(delays.toSorted((a, b) => a - b));
    expect([delays[0], delays.at(-1)]).toEqual([200, 10_000]);
  });

  it('go on for ever when they are rare enough', () => {
    const restarts: number[] = [];
    for (let n = 0; n < 1_000; n += 1) {
      const now = (n * RESTART_WINDOW_MS) / MOST_RESTARTS;
      expect(restartDelay(restarts, now)).not.toBeNull();
      restarts.push(now);
    }
  });

  it('begin with the short delay again once the earlier ones are long ago', () => {
    const restarts = Array.from({ length: MOST_RESTARTS }, (_, n) => n);
    expect(restartDelay(restarts, RESTART_WINDOW_MS - 1)).toBeNull();
    expect(restartDelay(restarts, RESTART_WINDOW_MS + MOST_RESTARTS)).toBe(200);
  });
});
