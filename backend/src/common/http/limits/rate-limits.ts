import { Inject, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { Problem } from '../../errors/problem.js';
import { RUNTIME, type Runtime } from '../../runtime.js';
import { networkOf } from './network-of.js';
import { type Quota, RateLimiter } from './rate-limiter.js';

const GUESSABLE = 'runward:guessable';

/** The route takes a secret that somebody may try to guess, and costs much to answer: its quota is a small one. */
export const Guessable = () => SetMetadata(GUESSABLE, true);

const WINDOW_SECONDS = 60;
/** A guessable route's share of the quota, and what it is at the least. */
const GUESSABLE_SHARE = 100;
const LEAST_GUESSABLE = 10;

interface Limited {
  response: Response;
  handler: () => unknown;
  /** The member who asks; null on a public route. */
  userId: string | null;
  /** The device that signed in before and comes again; null when it is not known. */
  device: string | null;
  address: string;
}

/**
 * Limits how much one member, or on public routes one device that is known or else one network, asks of this process, and tells so by the `RateLimit`
 * and `RateLimit-Policy` headers (draft-ietf-httpapi-ratelimit-headers-11). Kept in this process' memory: it keeps
 * one caller from taking all of a process, and a write to the database per request would cost more than it protects.
 * What must hold across processes and restarts, the delay after failed sign-ins, is kept in the database.
 */
@Injectable()
export class RateLimits {
  private readonly limiter = new RateLimiter();
  private readonly usual: Quota;
  private readonly guessable: Quota;

  constructor(
    private readonly reflector: Reflector,
    @Inject(RUNTIME) runtime: Runtime,
  ) {
    const requests = runtime.settings.rateLimitPerMinute;
    this.usual = { name: 'default', requests, seconds: WINDOW_SECONDS };
    this.guessable = {
      name: 'sign-in',
      requests: Math.max(LEAST_GUESSABLE, Math.floor(requests / GUESSABLE_SHARE)),
      seconds: WINDOW_SECONDS,
    };
  }

  /** Counts one request. @throws Problem 429 `rate_limited` when the quota is used up */
  demand({ response, handler, userId, device, address }: Limited): void {
    const quota = this.reflector.get<boolean | undefined>(GUESSABLE, handler) ? this.guessable : this.usual;
    const caller = userId ?? device ?? networkOf(address);
    const { allowed, remaining, resetSeconds } = this.limiter.take(`${quota.name} ${caller}`, quota, performance.now());
    response.setHeader('RateLimit-Policy', `"${quota.name}";q=${quota.requests};w=${quota.seconds}`);
    response.setHeader('RateLimit', `"${quota.name}";r=${remaining};t=${resetSeconds}`);
    if (allowed) return;
    throw new Problem(
      'rate_limited',
      `At most ${quota.requests} requests in ${quota.seconds} seconds are answered here. Try again in ${resetSeconds} s.`,
      { headers: { 'Retry-After': String(resetSeconds) } },
    );
  }
}
