import { Inject, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { Problem } from '../../errors/problem.js';
import { RUNTIME, type Runtime } from '../../settings/runtime.js';
import { toNetwork } from './network-of.js';

export interface Quota {
  /** Policy name in the headers: letters, digits, dashes. */
  name: string;
  requests: number;
  seconds: number;
}

export interface QuotaUse {
  allowed: boolean;
  remaining: number;
  /** Seconds until the window ends; at least 1. */
  resetSeconds: number;
}

interface QuotaWindow {
  endsAt: number;
  used: number;
}

/** Maximum number of keys in memory, which takes about 10 MB. */
const MAX_KEYS = 50_000;

/** Counts requests per key in fixed windows. A window starts with its key's first request. */
export class RateLimiter {
  private readonly windows = new Map<string, QuotaWindow>();

  constructor(private readonly mostKeys = MAX_KEYS) {}

  /** @param now in ms, of a monotonic clock */
  consumeQuota(key: string, quota: Quota, now: number): QuotaUse {
    const known = this.windows.get(key);
    const window = known && known.endsAt > now ? known : { endsAt: now + quota.seconds * 1000, used: 0 };
    const allowed = window.used < quota.requests;
    if (allowed) window.used += 1;
    // Moves the key to the end. So the first key is the least recently used, which is removed when memory is full.
    this.windows.delete(key);
    this.windows.set(key, window);
    if (this.windows.size > this.mostKeys) this.windows.delete(this.windows.keys().next().value ?? key);
    return {
      allowed,
      remaining: quota.requests - window.used,
      resetSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)),
    };
  }
}

const GUESSABLE_METADATA_KEY = 'runward:guessable';

/** Marks a route that accepts a guessable secret and is expensive to answer. Such a route gets a small quota. */
export const Guessable = () => SetMetadata(GUESSABLE_METADATA_KEY, true);

const WINDOW_SECONDS = 60;
/** Quota of guessable routes: the normal quota divided by this number, with a minimum. */
const GUESSABLE_LIMIT_DIVISOR = 100;
const MIN_GUESSABLE_LIMIT = 10;

interface LimitedRequest {
  response: Response;
  handler: () => unknown;
  /** Member who sends the request; null = public route. */
  userId: string | null;
  /** Device known from an earlier sign-in; null = unknown. */
  device: string | null;
  address: string;
}

/**
 * Limits the requests per member; on public routes, per known device or network. Reports the limit in the `RateLimit`
 * and `RateLimit-Policy` headers (draft-ietf-httpapi-ratelimit-headers-11). Counts in memory: the limit protects a
 * single process, and a database write per request would cost more than it protects. The delay after failed sign-ins
 * must survive restarts, so it is in the database.
 */
@Injectable()
export class RateLimits {
  private readonly limiter = new RateLimiter();
  private readonly defaultQuota: Quota;
  private readonly guessableQuota: Quota;

  constructor(
    private readonly reflector: Reflector,
    @Inject(RUNTIME) runtime: Runtime,
  ) {
    const requests = runtime.settings.rateLimitPerMinute;
    this.defaultQuota = { name: 'default', requests, seconds: WINDOW_SECONDS };
    this.guessableQuota = {
      name: 'sign-in',
      requests: Math.max(MIN_GUESSABLE_LIMIT, Math.floor(requests / GUESSABLE_LIMIT_DIVISOR)),
      seconds: WINDOW_SECONDS,
    };
  }

  /**
   * Counts one request.
   * @throws Problem 429 `rate_limited` when the quota is used up
   */
  consumeRequestQuota({ response, handler, userId, device, address }: LimitedRequest): void {
    const quota = this.reflector.get<boolean | undefined>(GUESSABLE_METADATA_KEY, handler)
      ? this.guessableQuota
      : this.defaultQuota;
    const caller = userId ?? device ?? toNetwork(address);
    const { allowed, remaining, resetSeconds } = this.limiter.consumeQuota(
      `${quota.name} ${caller}`,
      quota,
      performance.now(),
    );
    response.setHeader('RateLimit-Policy', `"${quota.name}";q=${quota.requests};w=${quota.seconds}`);
    response.setHeader('RateLimit', `"${quota.name}";r=${remaining};t=${resetSeconds}`);
    if (allowed) return;
    throw new Problem(
      'rate_limited',
      `The limit of ${quota.requests} requests in ${quota.seconds} seconds is used up. Try again in ${resetSeconds} s.`,
      { headers: { 'Retry-After': String(resetSeconds) } },
    );
  }
}
