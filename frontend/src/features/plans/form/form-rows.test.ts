import { describe, expect, it } from 'vitest';
import { errorsByRow, withRowIdsOf } from './form-rows';
import { formOf } from './plan-form';
import { emptyStep } from './step-form';

const rows = (...names: string[]) => names.map((row) => ({ row }));

describe('messages at fields', () => {
  const errors = { name: 'x', 'steps.0.command': 'a', 'steps.2.retries.count': 'c', 'variables.0.name': 'v' };

  it('stay with their step when steps move', () => {
    expect(errorsByRow(errors, 'steps', rows('a', 'b', 'c'), rows('c', 'a', 'b'))).toEqual({
      name: 'x',
      'steps.1.command': 'a',
      'steps.0.retries.count': 'c',
      'variables.0.name': 'v',
    });
  });

  it('go with a step that is removed', () => {
    expect(errorsByRow(errors, 'steps', rows('a', 'b', 'c'), rows('b', 'c'))).toEqual({
      name: 'x',
      'steps.1.retries.count': 'c',
      'variables.0.name': 'v',
    });
  });
});

describe('rows of a plan that is read again', () => {
  it('are those of the plan that is shown, by key and name', () => {
    const current = { ...formOf(null), steps: ['a', 'b', 'b'].map((key) => ({ ...emptyStep([]), key })) };
    const next = { ...formOf(null), steps: ['b', 'new', 'a', 'b'].map((key) => ({ ...emptyStep([]), key })) };
    const kept = withRowIdsOf(current, next).steps.map(({ row }) => row);
    expect(kept).toEqual([current.steps[1]?.row, next.steps[1]?.row, current.steps[0]?.row, current.steps[2]?.row]);
  });
});
