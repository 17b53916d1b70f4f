import type { PlanStep, VariableValue } from '../../../api/types';
import { linesOfMap, mapOfLines } from './text-map';

export interface CallRow {
  planId: string;
  /** By variable of the called plan. A text such as `{{ name }}` refers to a variable of this plan. */
  variables: Record<string, VariableValue>;
  /** One `name=step.output` per line. */
  outputsFrom: string;
}

export interface LoopRow {
  /** How often the step runs: once, for each item of a variable, or for each item listed here. */
  repeats: 'once' | 'variable' | 'items';
  /** Name of the variable. */
  listName: string;
  items: string[];
}

export const BLANK_CALL: CallRow = { planId: '', variables: {}, outputsFrom: '' };
export const BLANK_LOOP: LoopRow = { repeats: 'once', listName: '', items: [] };

export const callRow = ({ planId = '', variables = {}, outputsFrom = {} }: PlanStep): CallRow => ({
  planId,
  variables,
  outputsFrom: linesOfMap(outputsFrom),
});

export function loopRow({ forEach }: Pick<PlanStep, 'forEach'>): LoopRow {
  if (typeof forEach === 'string') return { repeats: 'variable', listName: forEach, items: [] };
  return Array.isArray(forEach) ? { repeats: 'items', listName: '', items: forEach } : BLANK_LOOP;
}

export const callRequest = ({ planId, variables, outputsFrom }: CallRow) => ({
  ...(planId === '' ? {} : { planId }),
  ...(Object.keys(variables).length > 0 ? { variables } : {}),
  ...(outputsFrom.trim() === '' ? {} : { outputsFrom: mapOfLines(outputsFrom) }),
});

export function loopRequest({ repeats, listName, items }: LoopRow): { forEach?: string | string[] } {
  if (repeats === 'once') return {};
  return { forEach: repeats === 'variable' ? listName : items };
}

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
