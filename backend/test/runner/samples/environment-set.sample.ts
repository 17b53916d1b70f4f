import { expect, it } from '@jest/globals';

it('sets a variable of the process', () => {
  process.env.RUNWARD_SAMPLE = 'left over';
  expect(process.env.RUNWARD_SAMPLE).toBe('left over');
});
