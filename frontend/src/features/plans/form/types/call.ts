import type { VariableValue } from '../../../../api/types';
import { linesOfMap, mapOfLines } from './text-map';
import type { FormStepType } from './step-type';

interface CallRow {
  planId: string;
  /** By variable of the called plan. A text such as `{{ name }}` refers to a variable of this plan. */
  variables: Record<string, VariableValue>;
  /** One `name=step.output` per line. */
  outputsFrom: string;
}

export const CALL: FormStepType<CallRow> = {
  label: 'Another plan',
  runs: 'call',
  process: null,
  blank: { planId: '', variables: {}, outputsFrom: '' },
  read: ({ planId = '', variables = {}, outputsFrom = {} }) => ({
    planId,
    variables,
    outputsFrom: linesOfMap(outputsFrom),
  }),
  write: ({ planId, variables, outputsFrom }) => ({
    ...(planId === '' ? {} : { planId }),
    ...(Object.keys(variables).length > 0 ? { variables } : {}),
    ...(outputsFrom.trim() === '' ? {} : { outputsFrom: mapOfLines(outputsFrom) }),
  }),
  commands: () => [],
  texts: ({ variables }) => Object.values(variables).flatMap((value) => [value].flat().map(String)),
  outputs: ({ outputsFrom }) => outputsFrom.split('\n').flatMap((line) => /^\s*([^=\s]+)\s*=/.exec(line)?.[1] ?? []),
  summary: ({ variables = {} }) =>
    Object.entries(variables)
      .map(([name, value]) => `${name}: ${String(value)}`)
      .join('\n'),
};

/**
 * Converts a value to the type of the called plan's variable. Sends invalid input unchanged, so that the server reports
 * it.
 */
export function callValue(type: string, text: string): VariableValue {
  const number = Number(text);
  if ((type === 'integer' || type === 'number') && text.trim() !== '' && Number.isFinite(number)) return number;
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
