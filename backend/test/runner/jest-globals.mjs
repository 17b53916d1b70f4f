import { ModernFakeTimers } from '@jest/fake-timers';

const timers = new ModernFakeTimers({
  config: { rootDir: import.meta.dirname, fakeTimers: {} },
  global: globalThis,
});

export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from 'jest-circus';
export { expect } from 'expect';

/**
 * `performance` stays real: code of earlier files still measures with it, and one read of a fake clock would look like
 * a jump in time. Code under test that measures gets its clock as a parameter.
 */
const REAL_TIMERS = ['performance'];

export const jest = {
  useFakeTimers: () => timers.useFakeTimers({ doNotFake: REAL_TIMERS }),
  useRealTimers: () => timers.useRealTimers(),
  advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
  getTimerCount: () => timers.getTimerCount(),
};
