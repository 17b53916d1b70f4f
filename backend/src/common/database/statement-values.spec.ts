import { describe, expect, it } from '@jest/globals';
import { allOf, conditionIf, StatementValues } from './statement-values.js';

describe('a composed statement', () => {
  it('numbers its values in the order of their use', () => {
    const values = new StatementValues('tenant');
    expect([values.of('a'), values.of('b')]).toEqual(['$2', '$3']);
    expect(values.list).toEqual(['tenant', 'a', 'b']);
  });

  it('contains nothing of an unused filter', () => {
    const values = new StatementValues();
    const equals = (placeholder: string) => `x = ${placeholder}`;
    const conditions = [
      ...conditionIf(values, undefined, equals),
      ...conditionIf(values, null, equals),
      ...conditionIf(values, false, equals),
      ...conditionIf(values, 0, equals),
    ];
    expect(allOf(conditions)).toBe('x = $1 and x = $2');
    expect(values.list).toEqual([false, 0]);
    expect(allOf([])).toBe('true');
  });
});
