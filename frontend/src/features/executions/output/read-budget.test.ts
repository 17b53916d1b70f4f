import { describe, expect, it } from 'vitest';
import type { OutputItem } from '../../../api/types';
import { createReadBudget } from './read-budget';

const items = (from: number, count: number, text = '') =>
  Array.from({ length: count }, (_, index) => ({ line: from + index, text }) as OutputItem);

describe('the read budget', () => {
  it('is spent after 200,000 lines, or 5,000 hits of a search', () => {
    const lines = createReadBudget('lines');
    lines.take(items(1, 199_999));
    expect(lines.isSpent()).toBe(false);
    lines.take(items(200_000, 1));
    expect(lines.isSpent()).toBe(true);
    const hits = createReadBudget('hits');
    hits.take(items(1, 5_000));
    expect(hits.isSpent()).toBe(true);
  });

  it('is spent by few lines when they are long', () => {
    const budget = createReadBudget('lines');
    budget.take(items(1, 50, 'x'.repeat(1_000_000)));
    expect(budget.isSpent()).toBe(true);
  });

  it('allows the same amount again on request', () => {
    const budget = createReadBudget('hits');
    budget.take(items(1, 6_000));
    budget.extend();
    budget.take(items(6_001, 4_999));
    expect(budget.isSpent()).toBe(false);
    budget.take(items(11_000, 1));
    expect(budget.isSpent()).toBe(true);
  });

  it('has no limit for lines that are followed to their end, but keeps it for hits', () => {
    const [lines, hits] = [createReadBudget('lines'), createReadBudget('hits')];
    for (const budget of [lines, hits]) {
      budget.target({ readToEnd: true, marked: undefined });
      budget.take(items(1, 300_000));
    }
    expect([lines.isSpent(), hits.isSpent()]).toEqual([false, true]);
    lines.target({ readToEnd: false, marked: undefined });
    expect(lines.isSpent()).toBe(true);
  });

  it('has no limit until a linked line was read, and some lines more after it', () => {
    const budget = createReadBudget('lines');
    budget.target({ readToEnd: false, marked: 400_000 });
    budget.take(items(1, 399_999));
    expect(budget.isSpent()).toBe(false);
    budget.take(items(400_000, 1));
    expect(budget.isSpent()).toBe(false);
    budget.take(items(400_001, 5_000));
    expect(budget.isSpent()).toBe(true);
  });

  it('looks for no linked line that was read already', () => {
    const budget = createReadBudget('lines');
    budget.take(items(1, 250_000));
    budget.target({ readToEnd: false, marked: 10 });
    expect(budget.isSpent()).toBe(true);
  });
});
