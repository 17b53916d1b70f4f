import { expect, it } from '@jest/globals';
import { isTransient, pauseBeforeAttempt } from './repeat.ts';

it('repeats requests while the service restarts, is busy or still runs the first one, and no others', () => {
  for (const status of [408, 429, 502, 503, 504]) expect(isTransient(status, undefined)).toBe(true);
  expect(isTransient(409, 'idempotency_in_progress')).toBe(true);
  for (const [status, code] of [
    [400, 'invalid_request'],
    [401, 'unauthorized'],
    [409, 'run_overlap'],
    [500, 'internal_error'],
    [422, undefined],
  ] as const)
    expect([status, isTransient(status, code)]).toEqual([status, false]);
});

it('delays grow to two seconds, differ between callers, and respect Retry-After', () => {
  expect([1, 2, 3, 4, 5, 9].map((attempt) => pauseBeforeAttempt(attempt, null, 0.5))).toEqual([
    250, 500, 1000, 2000, 2000, 2000,
  ]);
  expect([0, 0.999].map((random) => Math.round(pauseBeforeAttempt(1, null, random)))).toEqual([188, 312]);
  expect(pauseBeforeAttempt(1, '7', 0)).toBe(7000);
  expect(pauseBeforeAttempt(1, 'Wed, 21 Oct 2026 07:28:00 GMT', 0.5)).toBe(250);
});
