import { describe, expect, it } from 'vitest';
import { formOf, limitsText, retainedTexts, limitsOf } from './rule-form';

describe('a rule of retention', () => {
  it('is unchanged after a round trip through its form', () => {
    for (const rule of [
      { keepDays: 30, keepRuns: null, keepBytes: null },
      { keepDays: null, keepRuns: 1000, keepBytes: 1024 ** 3 * 2.5 },
    ])
      expect(limitsOf(formOf(rule))).toEqual(rule);
    expect(limitsOf(formOf(null))).toEqual({ keepDays: null, keepRuns: null, keepBytes: null });
  });

  it('has a summary', () => {
    expect(limitsText({ keepDays: null, keepRuns: null, keepBytes: null })).toBe('Forever');
    expect(limitsText({ keepDays: 1, keepRuns: 500, keepBytes: 1024 ** 3 * 20 })).toBe(
      'At most 1 day, 500 runs, 20.0 GiB',
    );
  });

  it('adds up why due runs stay', () => {
    const environment = { environmentId: '', environmentName: '', runs: 0, bytes: 0, ofRuns: 0, ofBytes: 0 };
    const rest = { from: null, to: null, complete: true };
    const keptCounts: Record<string, number>[] = [{ pinned: 2 }, { pinned: 1, active: 1 }];
    const environments = keptCounts.map((kept) => ({ ...environment, ...rest, kept }));
    expect(retainedTexts({ environments })).toEqual(['1 unfinished', '3 pinned']);
  });
});
