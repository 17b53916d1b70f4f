import { beforeAll, describe, expect, it } from '@jest/globals';

it('passes', () => {
  expect(1).toBe(1);
});

it('fails', () => {
  expect('what came').toBe('what was expected');
});

it('takes longer than its deadline', () => new Promise(() => undefined), 50);

describe('whose set-up fails', () => {
  beforeAll(() => {
    throw new Error('no set-up');
  });

  it('never runs', () => {
    expect(1).toBe(1);
  });
});
