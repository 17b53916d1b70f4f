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
