import { ModernFakeTimers } from '@jest/fake-timers';

const timers = new ModernFakeTimers({
  config: { rootDir: import.meta.dirname, fakeTimers: {} },
  global: globalThis,
});

export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from 'jest-circus';
export { expect } from 'expect';

/**
 * Code of earlier files still runs by real timers, and measures by `performance`: what reads a faked clock once takes all
 * later time for a jump. Code under test that measures is handed its clock.
 */
const NOT_FAKED = ['performance'];

/** The part of jest's object that tests here use. */
export const jest = {
  useFakeTimers: () => timers.useFakeTimers({ doNotFake: NOT_FAKED }),
  useRealTimers: () => timers.useRealTimers(),
  advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
  getTimerCount: () => timers.getTimerCount(),
};
