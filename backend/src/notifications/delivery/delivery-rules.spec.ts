import { describe, expect, it } from '@jest/globals';
import { failedResult } from '../sending/send-result.js';
import { findSecrets } from '../channels/incoming-webhook.js';
import { toSendResult } from '../sending/http-result.js';
import { toDeliveryOutcome } from './notification-worker.js';
import { computeRetrySeconds } from './retry-rule.js';
import { toNotificationEvents } from './event-meanings.js';

const DAY = 24 * 60 * 60;

describe('a failed message', () => {
  it('is retried with growing delays for a day', () => {
    let left = DAY;
    const waits: number[] = [];
    for (let attempt = 1; ; attempt += 1) {
      const wait = computeRetrySeconds(attempt, left, 0.5);
      if (wait === null) break;
      waits.push(wait);
      left -= wait;
    }
    expect(waits.slice(0, 9)).toEqual([30, 60, 120, 300, 600, 1200, 2400, 3600, 7200]);
    expect(waits.length).toBe(18);
    expect(left).toBeLessThanOrEqual(7200);
  });

  it('waits as long as the receiver requests, and not as long as other messages', () => {
    expect(computeRetrySeconds(1, DAY, 0.5, 600)).toBe(600);
    expect([0, 1].map((random) => computeRetrySeconds(8, DAY, random))).toEqual([3240, 3960]);
  });

  it('is final where a retry cannot help, and after a day', () => {
    const claim = { attempts: 1, secondsLeft: DAY, reached: [] };
    expect(toDeliveryOutcome(claim, failedResult('login_refused', 'x', true), 0.5).state).toBe('failed');
    expect(toDeliveryOutcome(claim, failedResult('timed_out', 'x', false), 0.5)).toMatchObject({
      state: 'waiting',
      inSeconds: 30,
    });
    expect(toDeliveryOutcome({ ...claim, secondsLeft: 10 }, failedResult('timed_out', 'x', false), 0.5).state).toBe(
      'failed',
    );
    const partlyReached = { reached: ['a'], fault: { code: 'recipient_refused', text: 'b', permanent: true } } as const;
    expect(toDeliveryOutcome(claim, partlyReached, 0.5)).toMatchObject({ state: 'sent', reached: ['a'], error: 'b' });
  });
});

describe('a response of a receiver', () => {
  const now = new Date('2026-03-14T02:00:00Z');
  const of = (status: number, headers = {}, body = '') =>
    toSendResult(
      { status, headers, body: Buffer.from(body) },
      'hooks.test',
      findSecrets('https://hooks.test/v1/s3cret-path%21?key=s3cret-key'),
      now,
    ).fault;

  it('is final depending on its status: for 4xx except 408 and 429', () => {
    expect([200, 202, 204].map((status) => of(status))).toEqual([null, null, null]);
    const permanent = (status: number) => of(status)?.permanent;
    expect([301, 400, 401, 403, 404, 410, 413].map(permanent)).toEqual([true, true, true, true, true, true, true]);
    expect([408, 429, 500, 502, 503].map(permanent)).toEqual([false, false, false, false, false]);
  });

  it('gives the time of the retry in seconds or as a date, with a limit', () => {
    const after = (header: string) => of(429, { 'retry-after': header })?.retryAfterSeconds;
    expect(after('120')).toBe(120);
    expect(after('Sat, 14 Mar 2026 02:05:00 GMT')).toBe(300);
    expect(after('999999')).toBe(3600);
    expect([after('-1'), after('soon'), after('0')]).toEqual([undefined, undefined, undefined]);
  });

  it('is reported in its own words, unless it is a page or contains the secret', () => {
    expect(of(400, {}, 'invalid\npayload')?.text).toContain('(invalid payload)');
    expect(of(400, {}, '<html>no</html>')?.text).not.toContain('html');
    for (const secret of ['/v1/s3cret-path%21', 's3cret-path!', 'key=s3cret-key', 's3cret-key'])
      expect(of(400, {}, `no hook at ${secret}`)?.text).not.toContain('s3cret');
    expect(of(400, {}, 'v1 expects a key')?.text).toContain('(v1 expects a key)');
  });
});

describe('the meaning of an event', () => {
  it('is the most severe one, and nothing for a dry run', () => {
    const ended = (status: string, executionMode = 'auto') =>
      toNotificationEvents({ type: 'execution.finished', status, executionMode });
    expect(ended('INTERRUPTED')).toEqual(['execution.results_unknown', 'execution.failed']);
    expect(ended('PARTIALLY_SUCCEEDED')).toEqual(['execution.results_unknown', 'execution.partially_succeeded']);
    expect(ended('SUCCEEDED')).toEqual(['execution.results_unknown', 'execution.recovered']);
    expect(ended('CANCELLED')).toEqual(['execution.results_unknown']);
    expect(ended('FAILED', 'dry_run')).toEqual([]);
    expect(toNotificationEvents({ type: 'step.finished', status: 'RUNNING', executionMode: 'auto' })).toEqual([]);
  });
});
