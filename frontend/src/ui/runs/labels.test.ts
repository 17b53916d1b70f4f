import { describe, expect, it } from 'vitest';
import { labelsFault, labelsOf, labelTexts } from './labels';

describe('labels that are typed', () => {
  it('are read and written as key=value, with any further = in the value', () => {
    expect(labelsOf(['release=2.4=1', 'team = web', 'empty='])).toEqual({ release: '2.4=1', team: 'web', empty: '' });
    expect(labelTexts({ release: '2.4=1', team: 'web' })).toEqual(['release=2.4=1', 'team=web']);
  });

  it('reject other input', () => {
    expect(labelsFault(['release=2.4', 'team=web'])).toBeNull();
    expect(labelsFault(['release'])).toContain('“release” is not a label');
    expect(labelsFault(['=x'])).toContain('is not a label');
    expect(labelsFault(['a b=x'])).toContain('is not a label');
    expect(labelsFault(['a=1', 'a=2'])).toBe('Use each key only once.');
    expect(labelsFault(Array.from({ length: 21 }, (_, n) => `k${n}=x`))).toBe('Use at most 20 labels.');
  });
});
