import { describe, expect, it } from 'vitest';
import { faultsOf, offsetOf } from './template-places';

describe('a place in a template', () => {
  it('is found by line and column', () => {
    const text = 'ab\ncd\n';
    expect(offsetOf(text, { line: 1, column: 2 })).toBe(1);
    expect(offsetOf(text, { line: 2, column: 1 })).toBe(3);
    expect(offsetOf(text, { line: 9, column: 9 })).toBe(text.length);
  });

  it('comes with the fault, where it has one', () => {
    const fault = { path: '/content', code: 'invalid_template', message: 'No filter.', line: 2, column: 3 };
    expect(faultsOf([fault])).toEqual([{ message: 'No filter.', place: { line: 2, column: 3 } }]);
    expect(faultsOf([{ code: 'too_much', message: 'Too much.' }])).toEqual([{ message: 'Too much.', place: null }]);
    expect(faultsOf([{ code: 'not_found', message: 'No such server.' }])).toEqual([]);
    expect(faultsOf([])).toEqual([]);
  });
});
