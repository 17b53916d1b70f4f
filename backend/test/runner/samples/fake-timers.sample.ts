import { performance as sameClock } from 'node:perf_hooks';
import { afterEach, expect, it, jest } from '@jest/globals';

afterEach(() => void jest.useRealTimers());

it('changes timers and the date, but not the clock with which other files measure', async () => {
  const before = sameClock.now();
  jest.useFakeTimers();
  const date = Date.now();
  let rung = false;
  setTimeout(() => (rung = true), 60_000);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(rung).toBe(true);
  expect(Date.now() - date).toBe(60_000);
  for (const clock of [performance, sameClock]) expect(Math.abs(clock.now() - before)).toBeLessThan(30_000);
});
