import type { PlanStep } from '../../../api/types';

export interface LoopRow {
  /** How often the step runs: once, for each item of a variable, or for each item listed here. */
  repeats: 'once' | 'variable' | 'items';
  /** Name of the variable. */
  listName: string;
  items: string[];
}

export const BLANK_LOOP: LoopRow = { repeats: 'once', listName: '', items: [] };

export function loopRow({ forEach }: Pick<PlanStep, 'forEach'>): LoopRow {
  if (typeof forEach === 'string') return { repeats: 'variable', listName: forEach, items: [] };
  return Array.isArray(forEach) ? { repeats: 'items', listName: '', items: forEach } : BLANK_LOOP;
}

export function loopRequest({ repeats, listName, items }: LoopRow): { forEach?: string | string[] } {
  if (repeats === 'once') return {};
  return { forEach: repeats === 'variable' ? listName : items };
}
