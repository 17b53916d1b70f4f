import { describe, expect, it } from 'vitest';
import type { OutputItem } from '../../../../api/types';
import { createReadBudget } from './read-budget';

const items = (count: number, text = '') =>
  Array.from({ length: count }, (_, index) => ({ line: index + 1, text }) as OutputItem);

describe('the read budget', () => {
  it('is spent after 5,000 hits', () => {
    const budget = createReadBudget();
    budget.take(items(4_999));
    expect(budget.isSpent()).toBe(false);
    budget.take(items(1));
    expect(budget.isSpent()).toBe(true);
  });

  it('is spent by few lines when they are long', () => {
    const budget = createReadBudget();
    budget.take(items(50, 'x'.repeat(1_000_000)));
    expect(budget.isSpent()).toBe(true);
  });

  it('allows the same amount again on request', () => {
    const budget = createReadBudget();
    budget.take(items(6_000));
    budget.extend();
    budget.take(items(4_999));
    expect(budget.isSpent()).toBe(false);
    budget.take(items(1));
    expect(budget.isSpent()).toBe(true);
  });
});
