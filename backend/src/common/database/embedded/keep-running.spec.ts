import { describe, expect, it } from '@jest/globals';
import { MAX_RESTARTS, RESTART_WINDOW_MS, computeRestartDelay } from './keep-running.js';

function delaysOfCrashLoop(): number[] {
  const [delays, restarts]: [number[], number[]] = [[], []];
  for (let now = 0; delays.length < 100; ) {
    const delay = computeRestartDelay(restarts, now);
    if (delay === null) break;
    delays.push(delay);
    restarts.push((now += delay));
  }
  return delays;
}

describe('restarts of a server', () => {
  it('follow growing delays between 0.2 and 10 s, at most five in ten minutes', () => {
    const delays = delaysOfCrashLoop();
    expect(delays).toHaveLength(5);
    expect(delays).toEqual(delays.toSorted((a, b) => a - b));
    expect([delays[0], delays.at(-1)]).toEqual([200, 10_000]);
  });

  it('continue forever when they are rare enough', () => {
    const restarts: number[] = [];
    for (let n = 0; n < 1_000; n += 1) {
      const now = (n * RESTART_WINDOW_MS) / MAX_RESTARTS;
      expect(computeRestartDelay(restarts, now)).not.toBeNull();
      restarts.push(now);
    }
  });

  it('start with the short delay again when earlier restarts are long ago', () => {
    const restarts = Array.from({ length: MAX_RESTARTS }, (_, n) => n);
    expect(computeRestartDelay(restarts, RESTART_WINDOW_MS - 1)).toBeNull();
    expect(computeRestartDelay(restarts, RESTART_WINDOW_MS + MAX_RESTARTS)).toBe(200);
  });
});
