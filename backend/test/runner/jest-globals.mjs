import { ModernFakeTimers } from '@jest/fake-timers';

const timers = new ModernFakeTimers({
  config: { rootDir: import.meta.dirname, fakeTimers: {} },
  global: globalThis,
});

export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from 'jest-circus';
export { expect } from 'expect';

/** The part of jest's object that tests here use. */
export const jest = {
  useFakeTimers: () => timers.useFakeTimers(),
  useRealTimers: () => timers.useRealTimers(),
  advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
  getTimerCount: () => timers.getTimerCount(),
};
