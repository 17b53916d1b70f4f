import { expect, it } from '@jest/globals';
// @ts-expect-error -- there is no such file
import './not-there.js';

it('never runs', () => {
  expect(1).toBe(1);
});
