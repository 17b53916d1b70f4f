import type { PlanVariable, VariableValue } from '../../api/types';

/** A variable's value while it is edited; an empty text or list means that no value is set. */
export type Typed = VariableValue | null;

export const isGiven = (value: Typed): value is VariableValue =>
  value !== '' && value !== null && !(Array.isArray(value) && value.length === 0);

/** What a field begins with: the value as it was given before, unless the variable has another type by now. Secrets are not known. */
export function typedBefore(type: PlanVariable['type'], before: VariableValue | undefined): Typed {
  const value = type === 'secret' ? undefined : before;
  if (type === 'list') return Array.isArray(value) ? value.map(String) : [];
  if (type === 'boolean') return typeof value === 'boolean' ? value : null;
  return value === undefined || Array.isArray(value) ? '' : value;
}

/** Those that are set, as a request holds them. */
export const givenValues = (typed: Readonly<Record<string, Typed>>): Record<string, VariableValue> =>
  Object.fromEntries(
    Object.entries(typed).flatMap(([name, value]): [string, VariableValue][] =>
      isGiven(value) ? [[name, value]] : [],
    ),
  );
