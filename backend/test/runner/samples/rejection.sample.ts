import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';

it('leaves a promise behind that is rejected', async () => {
  void Promise.reject(new Error('unhandled rejection in a sample'));
  await setImmediate();
  expect(1).toBe(1);
});
