import { screen } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { renderComponent } from '../../../test/render';
import type { PlanVariable, ResolvedVariable } from '../../api/types';
import { StartVariableField } from './StartVariableField';
import { initialTypedValue, type TypedValue } from './typed-value';

interface Scene {
  resolved?: Partial<ResolvedVariable>;
  error?: string;
  readOnly?: boolean;
  initial?: TypedValue;
}

/** Shows the field of a variable. `value` returns the value that the form would send. */
function show(variable: Partial<PlanVariable> & Pick<PlanVariable, 'type'>, scene: Scene = {}) {
  const whole: PlanVariable = { name: 'V', required: false, ...variable };
  const state: { value: TypedValue } = { value: scene.initial ?? initialTypedValue(whole.type, undefined) };
  const nothing = { name: 'V', value: null, source: null, reason: null, required: false, serverCount: 0, servers: [] };
  function Field() {
    const [value, setValue] = useState(state.value);
    return (
      <StartVariableField
        variable={whole}
        value={value}
        resolved={scene.resolved && ({ ...nothing, ...scene.resolved } as ResolvedVariable)}
        error={scene.error}
        readOnly={scene.readOnly}
        onChange={(next) => {
          state.value = next;
          setValue(next);
        }}
      />
    );
  }
  const { user } = renderComponent(<Field />);
  return { user, value: () => state.value };
}

const input = () => screen.getByLabelText<HTMLInputElement>(/^V/, { selector: 'input' });

describe('the field of a variable', () => {
  it('returns numbers for numbers, and no value for an empty field', async () => {
    const { user, value } = show({ type: 'integer' });
    await user.type(input(), '12.5');
    expect(value()).toBe(125);
    await user.clear(input());
    expect(value()).toBe('');
  });

  it('takes decimals for a number', async () => {
    const { user, value } = show({ type: 'number' });
    await user.type(input(), '1.5');
    expect(value()).toBe(1.5);
  });

  it('distinguishes false from no value', async () => {
    const { user, value } = show({ type: 'boolean' });
    await user.click(screen.getByRole('combobox', { name: 'V' }));
    await user.click(await screen.findByRole('option', { name: 'false' }));
    expect(value()).toBe(false);
    await user.click(screen.getByRole('combobox', { name: 'V' }));
    await user.click(await screen.findByRole('option', { name: 'false' }));
    expect(value()).toBeNull();
  });

  it('offers the allowed values of a choice', async () => {
    const { user, value } = show({ type: 'choice', choices: ['blue', 'green'] });
    await user.click(screen.getByRole('combobox', { name: 'V' }));
    await user.click(await screen.findByRole('option', { name: 'green' }));
    expect(value()).toBe('green');
  });

  it('collects the values of a list, also repeated ones', async () => {
    const { user, value } = show({ type: 'list' });
    await user.type(input(), 'a{Enter}a{Enter}b');
    await user.tab();
    expect(value()).toEqual(['a', 'a', 'b']);
  });

  it('hides a secret', async () => {
    const { user, value } = show({ type: 'secret' });
    await user.type(input(), 's3');
    expect([input().type, value()]).toEqual(['password', 's3']);
  });

  it('shows the inherited value in its place, and its source', () => {
    show({ type: 'string' }, { resolved: { source: 'environment', value: 'v1' } });
    expect(input().placeholder).toBe('v1');
    expect(screen.getByText('From the environment unless set here')).toBeTruthy();
  });

  it('shows an invalid inherited value until another is set', async () => {
    const problem = 'Must match v.*';
    const { user } = show(
      { type: 'string' },
      { resolved: { source: 'environment', value: '1', reason: { code: 'pattern_mismatch', text: problem } } },
    );
    expect(screen.getByText(problem)).toBeTruthy();
    await user.type(input(), 'v2');
    expect(screen.queryByText(problem)).toBeNull();
    expect(screen.getByText('Set here; replaces the value from the environment')).toBeTruthy();
  });

  it('prefers the error of a refused start', () => {
    const resolved = { source: 'environment' as const, value: '1', problem: 'Must match v.*' };
    show({ type: 'string' }, { resolved, error: 'Too long.' });
    expect(screen.getByText('Too long.')).toBeTruthy();
    expect(screen.queryByText('Must match v.*')).toBeNull();
  });

  it('keeps the value of a dry run', async () => {
    const { user, value } = show({ type: 'string' }, { readOnly: true, initial: 'v1' });
    await user.type(input(), '2');
    expect(value()).toBe('v1');
  });
});
