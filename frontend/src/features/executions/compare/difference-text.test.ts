import { describe, expect, it } from 'vitest';
import { differenceTexts } from './difference-text';

type Comparison = Parameters<typeof differenceTexts>[0];
type Item = Pick<Comparison['differences'][number], 'kind' | 'name' | 'change'>;

const comparisonOf = (items: Item[], more: Comparison['differenceCounts'] = []): Comparison => {
  const counts = new Map<string, Comparison['differenceCounts'][number]>();
  for (const { kind, change } of items) {
    const key = `${kind} ${change}`;
    counts.set(key, { kind, change, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return {
    differences: items.map((item) => ({ ...item, before: null, after: null })),
    differenceCounts: [...counts.values(), ...more],
    moreDifferences: 0,
    steps: ['migrate', 'verify', 'clean'].map((key) => ({
      key,
      name: key === 'clean' ? '' : `The ${key}`,
      before: null,
      after: null,
    })),
  };
};
const item = (kind: Item['kind'], name: string, change: Item['change'] = 'changed'): Item => ({ kind, name, change });

describe('the differences of two runs in words', () => {
  it('name one or two steps, and count other parts, hosts last', () => {
    const items = [item('host', 'web-1', 'added'), item('host', 'web-2', 'added'), item('variable', 'RELEASE')];
    expect(
      differenceTexts(comparisonOf([...items, item('step', 'migrate'), item('step', 'clean', 'removed')])),
    ).toEqual(['The migrate changed', 'clean removed', '1 variable changed', '2 hosts added']);
    expect(differenceTexts(comparisonOf([item('step', 'migrate'), item('step', 'verify')]))).toEqual([
      'The migrate and The verify changed',
    ]);
  });

  it('count many steps, and differences that are not listed', () => {
    const steps = ['migrate', 'verify', 'clean'].map((key) => item('step', key));
    expect(differenceTexts(comparisonOf(steps, [{ kind: 'host', change: 'removed', count: 9_000 }]))).toEqual([
      '3 steps changed',
      '9,000 hosts removed',
    ]);
    expect(differenceTexts(comparisonOf([]))).toEqual([]);
  });
});
