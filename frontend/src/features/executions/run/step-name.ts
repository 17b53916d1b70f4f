import type { ExecutionStep } from '../../../api/types';

/** A step with all that it stands in, where it is told alone. */
export const wholeName = ({ name, path }: Pick<ExecutionStep, 'name' | 'path'>): string =>
  [...path.map(({ key, item }) => (item === null ? key : `${key} · ${item}`)), name].join(' › ');

/** The same by its key; the key itself where the run has no such step. */
export function nameOfStep(steps: readonly Pick<ExecutionStep, 'key' | 'name' | 'path'>[], key: string): string {
  const step = steps.find((each) => each.key === key);
  return step ? wholeName(step) : key;
}
