import { describe, expect, it } from 'vitest';
import type { ResolvedVariable } from '../../../api/types';
import { describeSource, formatValue } from './resolved-variable';

const resolved = (source: ResolvedVariable['source'], required = false) => ({ source, required }) as ResolvedVariable;

describe('a resolved variable', () => {
  it('is shown as text, false and 0 too', () => {
    expect([null, '', 0, false, ['a', 1]].map((value) => formatValue({ value }))).toEqual([
      '',
      '',
      '0',
      'false',
      'a, 1',
    ]);
  });

  it('tells where its value comes from', () => {
    expect(describeSource(resolved('plan'), false)).toBe('From the plan’s default unless given');
    expect(describeSource(resolved('environment'), true)).toBe('Given here, instead of that of the environment');
    expect(describeSource(resolved(null), true)).toBe('Given here');
    expect(describeSource(resolved(null, true), false)).toBe('Nothing gives a value yet');
    expect(describeSource(resolved(null), false)).toBe('Empty unless given');
  });
});
