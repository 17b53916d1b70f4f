import { vi } from 'vitest';

/** What the specs of rule files take from `@jest/globals`, by Vitest. The list of what is faked is that of `test/runner`. */
export { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';

export const jest = {
  useFakeTimers: () =>
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] }),
  useRealTimers: () => vi.useRealTimers(),
  advanceTimersByTimeAsync: (ms) => vi.advanceTimersByTimeAsync(ms),
  getTimerCount: () => vi.getTimerCount(),
};
