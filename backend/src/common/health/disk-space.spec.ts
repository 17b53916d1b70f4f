import { describe, expect, it } from '@jest/globals';
import { toDiskState } from './disk-space.js';

describe('disk state', () => {
  it.each([
    [1000, 256, 'ok'],
    [512, 256, 'ok'],
    [511, 256, 'low'],
    [256, 256, 'low'],
    [255, 256, 'too_low'],
    [0, 256, 'too_low'],
    [0, 0, 'ok'],
  ])('with %i MiB free and a minimum of %i MiB is %s', (free, minimum, state) => {
    expect(toDiskState(free, minimum)).toBe(state);
  });
});
