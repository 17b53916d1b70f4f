import type { VariableType, VariableValue } from '../../api/types';

/** Value of a variable while it is edited. An empty text or list means that no value is set. */
export type TypedValue = VariableValue | null;

export const hasValue = (value: TypedValue): value is VariableValue =>
  value !== '' && value !== null && !(Array.isArray(value) && value.length === 0);

/**
 * Returns the initial value of a field: the previous value, unless the variable's type has changed. The browser does
 * not know secret values.
 */
export function initialTypedValue(type: VariableType, before: VariableValue | undefined): TypedValue {
  const value = type === 'secret' ? undefined : before;
  if (type === 'list') return Array.isArray(value) ? value.map(String) : [];
  if (type === 'boolean') return typeof value === 'boolean' ? value : null;
  return value === undefined || Array.isArray(value) ? '' : value;
}

/** Returns the values that are set, in the format of a request. */
export const enteredValues = (typed: Readonly<Record<string, TypedValue>>): Record<string, VariableValue> =>
  Object.fromEntries(
    Object.entries(typed).flatMap(([name, value]): [string, VariableValue][] =>
      hasValue(value) ? [[name, value]] : [],
    ),
  );

/**
 * Returns the number that a text means so far; empty = none yet, as for `-`. A number that JavaScript cannot represent
 * exactly stays a text, which the server refuses.
 */
export function numberOf(text: string | number): string | number {
  const number = text === '' ? Number.NaN : Number(text);
  if (Number.isNaN(number)) return '';
  return Number.isSafeInteger(Math.trunc(number)) ? number : text;
}
