import type { PlanVariable, VariableValue } from '../../api/types';

/** A variable's value while it is edited; an empty text or list means that no value is set. */
export type Typed = VariableValue | null;

export const isGiven = (value: Typed): value is VariableValue =>
  value !== '' && value !== null && !(Array.isArray(value) && value.length === 0);

/** Initial value of a field: the previous value, unless the type of the variable has changed. Secrets are not known. */
export function typedBefore(type: PlanVariable['type'], before: VariableValue | undefined): Typed {
  const value = type === 'secret' ? undefined : before;
  if (type === 'list') return Array.isArray(value) ? value.map(String) : [];
  if (type === 'boolean') return typeof value === 'boolean' ? value : null;
  return value === undefined || Array.isArray(value) ? '' : value;
}

/** The values that are set, in the format of a request. */
export const givenValues = (typed: Readonly<Record<string, Typed>>): Record<string, VariableValue> =>
  Object.fromEntries(
    Object.entries(typed).flatMap(([name, value]): [string, VariableValue][] =>
      isGiven(value) ? [[name, value]] : [],
    ),
  );
