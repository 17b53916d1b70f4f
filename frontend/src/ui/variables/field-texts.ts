import type { PlanVariable, ResolvedVariable } from '../../api/types';
import { describeServers, describeSource, formatValue, serverProblem } from './resolved-variable';
import { hasValue, type TypedValue } from './typed-value';

interface FieldTexts {
  label: string;
  description: string | undefined;
  /** Value that applies if none is set here. */
  placeholder: string | undefined;
  /** Error of the value that applies if none is set here. */
  problem: string | undefined;
  isRequired: boolean;
}

/**
 * Returns what the field of a variable shows before a start.
 * @param resolved value that applies if none is set here; undefined = still loading
 */
export function fieldTexts(
  { name, required, description, pattern, default: defaultValue }: PlanVariable,
  value: TypedValue,
  resolved: ResolvedVariable | undefined,
): FieldTexts {
  const meaning = description || (pattern && `Must match ${pattern}`);
  if (!resolved)
    return {
      label: name,
      description: meaning || undefined,
      placeholder: undefined,
      problem: undefined,
      isRequired: required && defaultValue === undefined,
    };
  const given = hasValue(value);
  const { source, reason } = resolved;
  const texts = [meaning, describeSource(resolved, given), describeServers(resolved, given)];
  // A missing value is not shown as an error yet. An invalid inherited value is.
  const inherited = (source ? reason?.text : null) ?? serverProblem(resolved);
  return {
    label: name,
    description: texts.filter(Boolean).join(' · '),
    placeholder: formatValue(resolved) || undefined,
    problem: given ? undefined : (inherited ?? undefined),
    isRequired: required && source === null && reason !== null,
  };
}
