import { describe, expect, it } from '@jest/globals';
import { findAnswerFault, type Attempt, storableText } from './attempt.js';
import { DELAYS_MS, computeRetryDelayMs, parseRetryAfterMs, MAX_TRYING_MS } from './backoff.js';
import { toOutcome } from './finish-delivery.js';

const failed = (retryAfterMs: number | null = null): Attempt => ({
  at: new Date(0),
  durationMs: 1,
  status: 500,
  fault: { code: 'unexpected_status', message: 'x' },
  answer: '',
  truncated: false,
  retryAfterMs,
});

describe('delay before the next attempt', () => {
  it('grows from 5 seconds to an hour and then stays the same', () => {
    const delays = Array.from({ length: 10 }, (_, index) => computeRetryDelayMs(index + 1, null, 0.5));
    expect(delays).toEqual([...DELAYS_MS, 3_600_000, 3_600_000]);
    expect([...delays].sort((a, b) => a - b)).toEqual(delays);
  });

  it('has 20 % jitter in both directions, so that deliveries that failed together are not retried together', () => {
    expect([computeRetryDelayMs(1, null, 0), computeRetryDelayMs(1, null, 1)]).toEqual([4_000, 6_000]);
  });

  it('respects Retry-After up to an hour, and is never shorter because of it', () => {
    expect(computeRetryDelayMs(1, 120_000, 0.5)).toBe(120_000);
    expect(computeRetryDelayMs(1, 1, 0.5)).toBe(5_000);
    expect(computeRetryDelayMs(1, 86_400_000, 0.5)).toBe(3_600_000);
  });

  it.each([
    ['120', 120_000],
    ['Tue, 24 Nov 2026 15:00:30 GMT', 30_000],
    ['Tue, 24 Nov 2026 14:00:00 GMT', 0],
    ['soon', null],
    ['-5', null],
    ['9999999999999999999', null],
    [undefined, null],
  ])('reads the header Retry-After: %s', (header, ms) => {
    expect(parseRetryAfterMs(header, Date.parse('2026-11-24T15:00:00Z'))).toBe(ms);
  });
});

describe('state of a delivery', () => {
  it('is dead after a day of failed attempts, which are 32 without jitter', () => {
    let now = 0;
    let tries = 0;
    for (;;) {
      const { state, delayMs } = toOutcome({ tries, tried_for_ms: now }, failed(), 0.5);
      tries += 1;
      if (state === 'dead') break;
      expect(state).toBe('pending');
      now += delayMs ?? 0;
    }
    expect(tries).toBe(32);
    expect(now).toBeGreaterThanOrEqual(MAX_TRYING_MS);
    expect(now).toBeLessThan(MAX_TRYING_MS + 3_600_000);
  });

  it('is dead at once after response 410', () => {
    const gone: Attempt = { ...failed(), status: 410, fault: findAnswerFault(410, undefined) };
    expect(toOutcome({ tries: 0, tried_for_ms: 0 }, gone, 0).state).toBe('dead');
  });
});

describe('response of the receiver', () => {
  it('counts as delivered only with status 2xx', () => {
    const codes = [200, 204, 299, 199, 302, 400, 404, 410, 429, 500, 503].map(
      (status) => findAnswerFault(status, undefined)?.code ?? 'delivered',
    );
    expect(codes).toEqual([
      ...['delivered', 'delivered', 'delivered', 'unexpected_status', 'redirected', 'unexpected_status'],
      ...['unexpected_status', 'gone', 'too_many_requests', 'unexpected_status', 'too_many_requests'],
    ]);
  });

  it('names the target of a redirect without path and query', () => {
    const { message } = findAnswerFault(308, 'https://new.example.com/a?token=s3cret')!;
    expect(message).toContain('a redirect to https://new.example.com, and');
    expect(message).not.toContain('s3cret');
    expect(findAnswerFault(302, 'javascript:alert(1)')?.message).toContain('a redirect, and');
  });

  it('is stored as text even if it contains NUL or invalid UTF-8', () => {
    expect(storableText(Buffer.from([0x61, 0x00, 0xff, 0x62]))).toBe('a\uFFFD\uFFFDb');
  });
});
