import { describe, expect, it } from '@jest/globals';
import { RateLimiter } from './rate-limits.js';

const QUOTA = { name: 'default', requests: 3, seconds: 60 };

describe('RateLimiter', () => {
  it('allows the quota, then refuses with the end of the window', () => {
    const limiter = new RateLimiter();
    expect(limiter.consumeQuota('ana', QUOTA, 1000)).toEqual({ allowed: true, remaining: 2, resetSeconds: 60 });
    expect(limiter.consumeQuota('ana', QUOTA, 2000)).toEqual({ allowed: true, remaining: 1, resetSeconds: 59 });
    expect(limiter.consumeQuota('ana', QUOTA, 2001)).toEqual({ allowed: true, remaining: 0, resetSeconds: 59 });
    expect(limiter.consumeQuota('ana', QUOTA, 60_500)).toEqual({ allowed: false, remaining: 0, resetSeconds: 1 });
  });

  it('starts a new window with the first request after the old one', () => {
    const limiter = new RateLimiter();
    for (let n = 0; n < 5; n += 1) limiter.consumeQuota('ana', QUOTA, 0);
    expect(limiter.consumeQuota('ana', QUOTA, 60_000)).toEqual({ allowed: true, remaining: 2, resetSeconds: 60 });
  });

  it('counts each key separately', () => {
    const limiter = new RateLimiter();
    for (let n = 0; n < 4; n += 1) limiter.consumeQuota('ana', QUOTA, 0);
    expect(limiter.consumeQuota('bea', QUOTA, 0).allowed).toBe(true);
    expect(limiter.consumeQuota('ana', QUOTA, 0).allowed).toBe(false);
  });

  it('remembers a limited number of keys and forgets the least recently used', () => {
    const limiter = new RateLimiter(2);
    const one = { ...QUOTA, requests: 1 };
    limiter.consumeQuota('ana', one, 0);
    limiter.consumeQuota('bea', one, 1);
    limiter.consumeQuota('ana', one, 2);
    limiter.consumeQuota('cleo', one, 3);
    expect(limiter.consumeQuota('ana', one, 4).allowed).toBe(false);
    expect(limiter.consumeQuota('bea', one, 5).allowed).toBe(true);
  });
});
