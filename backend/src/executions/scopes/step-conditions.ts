import type { RunStep } from '../record/run-content.js';

/** A condition with the values and the steps that it is about. */
export interface ScopedCondition {
  when: string;
  /** Null: those of the run's own plan. */
  values: number | null;
  prefix: string;
}

/** All that have to hold for a step to run on a host: those of the calls that it stands in, then its own. */
export const conditionsOf = ({ when, scope }: Pick<RunStep, 'when' | 'scope'>): ScopedCondition[] => [
  ...(scope?.outer ?? []),
  ...(when === null ? [] : [{ when, values: scope?.values ?? null, prefix: scope?.prefix ?? '' }]),
];
