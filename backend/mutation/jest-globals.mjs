import { vi } from 'vitest';

/** Replaces `@jest/globals` in specs of rule files under Vitest. Fakes the same timers as `test/runner`. */
export { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';

export const jest = {
  useFakeTimers: () =>
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] }),
  useRealTimers: () => vi.useRealTimers(),
  advanceTimersByTimeAsync: (ms) => vi.advanceTimersByTimeAsync(ms),
  getTimerCount: () => vi.getTimerCount(),
};
