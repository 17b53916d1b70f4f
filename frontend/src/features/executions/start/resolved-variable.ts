import type { ResolvedVariable } from '../../../api/types';

/** A resolved value as text; empty when there is none or it is secret. */
export function formatValue({ value }: Pick<ResolvedVariable, 'value'>): string {
  if (value === null) return '';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

const SOURCES = { plan: 'the plan’s default', environment: 'the environment', server: 'the server' };

/** Where a variable's value comes from, as a sentence. @param given whether the start sets a value */
export function describeSource({ source, required }: ResolvedVariable, given: boolean): string {
  if (given) return source ? `Given here, instead of that of ${SOURCES[source]}` : 'Given here';
  if (source) return `From ${SOURCES[source]} unless given`;
  return required ? 'Nothing gives a value yet' : 'Empty unless given';
}
