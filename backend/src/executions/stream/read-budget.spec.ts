import { describe, expect, it } from '@jest/globals';
import { ReadBudget } from './read-budget.js';

const MIB = 1024 * 1024;

describe('the read limit of one request for output', () => {
  it('is reached after 64 MiB of chunks', () => {
    const budget = new ReadBudget(() => 0);
    budget.addScanned(64 * MIB - 1);
    expect(budget.isScanLimitReached).toBe(false);
    budget.addScanned(1);
    expect(budget.isScanLimitReached).toBe(true);
  });

  it('is reached after a second, however few chunks were scanned', () => {
    let now = 5_000;
    const budget = new ReadBudget(() => now);
    now += 999;
    expect(budget.isScanLimitReached).toBe(false);
    now += 1;
    expect(budget.isScanLimitReached).toBe(true);
  });

  it('allows a response of 2 million characters', () => {
    const budget = new ReadBudget(() => 0);
    budget.addAnswer('x'.repeat(2 * MIB - 1));
    expect(budget.isAnswerFull).toBe(false);
    budget.addAnswer('x');
    expect([budget.isAnswerFull, budget.isScanLimitReached]).toEqual([true, false]);
  });
});
