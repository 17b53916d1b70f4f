import { describe, expect, it } from '@jest/globals';
import { INITIAL_SLOTS, computeNextSlotCount } from './slot-use.js';

describe('the host slots of a worker', () => {
  const after = (looks: number, busy: number, wanted: boolean, from = INITIAL_SLOTS, most = 200): number =>
    Array.from({ length: looks }).reduce<number>(
      (places) => computeNextSlotCount(places, { busy, hasWaitingHosts: wanted }, most),
      from,
    );

  it.each([
    ['grow while there is time left and hosts wait', 3, 0.4, true, 80],
    ['stay while no host waits', 3, 0.4, false, 50],
    ['stay while there is little time left', 3, 0.8, true, 50],
    ['shrink while there is none', 1, 1, true, 45],
    ['never fall below the minimum', 100, 1, true, 20],
    ['never exceed the setting', 100, 0, true, 200],
  ])('%s', (_, looks, busy, wanted, expected) => {
    expect(after(looks, busy, wanted)).toBe(expected);
  });

  it('equal the setting when it is below the minimum', () => {
    expect(after(10, 1, true, 5, 5)).toBe(5);
    expect(after(10, 0, true, 5, 5)).toBe(5);
  });
});
