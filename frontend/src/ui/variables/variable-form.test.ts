import { describe, expect, it } from 'vitest';
import type { StoredVariableType, Variable } from '../../api/types';
import { formatValue, formOf, toRequest } from './variable-form';

const stored = (type: StoredVariableType, value: Variable['value'], secret = false) =>
  ({ key: 'A', type, value, secret }) as Variable;

describe('a variable of an environment or a server', () => {
  it.each([
    stored('string', 'x'),
    stored('string', ''),
    stored('integer', 0),
    stored('number', -1.5),
    stored('boolean', false),
    stored('boolean', true),
    stored('list', ['a', '', 'a']),
    stored('list', []),
  ])('is unchanged after a round trip: $type $value', (variable) => {
    const { type, secret, value } = variable;
    expect(toRequest(formOf(variable))).toEqual({ type, secret, value });
  });

  it('of the type secret is always secret, and its value is not known', () => {
    expect(toRequest({ ...formOf(stored('secret', null)), secret: false, text: 's' })).toEqual({
      type: 'secret',
      secret: true,
      value: 's',
    });
    expect(formOf(stored('secret', null, true)).text).toBe('');
  });

  it('sends invalid numbers unchanged', () => {
    expect(toRequest({ ...formOf(null), type: 'integer', number: '' }).value).toBe('');
  });

  it('is shown with a word for what is empty, and without one for what is secret', () => {
    expect(
      [stored('string', ''), stored('list', []), stored('secret', null), stored('boolean', false)].map(formatValue),
    ).toEqual(['(empty)', '(empty list)', '', 'false']);
  });
});
