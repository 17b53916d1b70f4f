import { expect, it } from '@jest/globals';

it('does not see the variable of the file before it', () => {
  expect(process.env.RUNWARD_SAMPLE).toBeUndefined();
});
