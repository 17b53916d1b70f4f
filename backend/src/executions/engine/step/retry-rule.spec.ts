import { describe, expect, it } from '@jest/globals';
import type { HostOutcome } from '../progress/host-outcome.js';
import { computeRetryDelayMs } from './retry-rule.js';

const constant = { count: 2, delaySeconds: 10, backoff: 'constant' as const };
const doubling = { count: 20, delaySeconds: 10, backoff: 'exponential' as const };
const failed: HostOutcome = { status: 'FAILED', exitCode: 1, signal: null, code: 'exit_code', message: 'no' };

describe('a retry', () => {
  it('follows the delay of the step', () => {
    expect([1, 2, 3].map((made) => computeRetryDelayMs(constant, failed, made, 0))).toEqual([10_000, 10_000, null]);
    expect(computeRetryDelayMs(null, failed, 1, 0)).toBeNull();
  });

  it('is delayed longer each time where the step says so, but never more than an hour', () => {
    expect([1, 2, 3, 4].map((made) => computeRetryDelayMs(doubling, failed, made, 0))).toEqual([
      10_000, 20_000, 40_000, 80_000,
    ]);
    expect(computeRetryDelayMs(doubling, failed, 20, 0)).toBe(3_600_000);
  });

  it('is spread by a fifth of its delay', () => {
    expect(computeRetryDelayMs(constant, failed, 1, 0.5)).toBe(11_000);
    expect(computeRetryDelayMs(constant, failed, 1, 1)).toBe(12_000);
  });

  it.each([
    ['SUCCEEDED', null, false],
    ['SKIPPED', 'when_false', false],
    ['CANCELLED', 'cancelled', false],
    ['UNKNOWN', 'host_rebooted', false],
    ['HOST_KEY_CHANGED', 'host_key_changed', false],
    ['UNKNOWN', 'not_stopped', false],
    ['FAILED', 'cannot_render', false],
    ['FAILED', 'exit_code', true],
    ['TIMED_OUT', 'step_timed_out', true],
    ['UNREACHABLE', 'connection_refused', true],
  ] as const)('after %s %s: %s', (status, code, retried) => {
    expect(computeRetryDelayMs(constant, { ...failed, status, code }, 1, 0) !== null).toBe(retried);
  });
});
