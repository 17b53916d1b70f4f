import type { RunStep } from '../record/run-content.js';

export interface ScopedCondition {
  when: string;
  /** Null = the run's own plan. */
  values: number | null;
  prefix: string;
}

/**
 * Returns the conditions that must all be true for a step to run on a host: those of the surrounding calls, then its
 * own.
 */
export const listStepConditions = ({ when, scope }: Pick<RunStep, 'when' | 'scope'>): ScopedCondition[] => [
  ...(scope?.outer ?? []),
  ...(when === null ? [] : [{ when, values: scope?.values ?? null, prefix: scope?.prefix ?? '' }]),
];
