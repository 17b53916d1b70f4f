import { describe, expect, it } from 'vitest';
import { faultsOf } from './template-places';

describe('the place of a fault in a template', () => {
  it('is known where the server reports one', () => {
    const fault = { path: '/content', code: 'invalid_template', message: 'No filter.', line: 2, column: 3 };
    expect(faultsOf([fault])).toEqual([{ message: 'No filter.', place: { line: 2, column: 3 } }]);
    expect(faultsOf([{ code: 'too_much', message: 'Too much.' }])).toEqual([{ message: 'Too much.', place: null }]);
    expect(faultsOf([{ code: 'not_found', message: 'No such server.' }])).toEqual([]);
    expect(faultsOf([])).toEqual([]);
  });
});
