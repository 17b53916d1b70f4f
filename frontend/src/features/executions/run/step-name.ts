import type { ExecutionStep } from '../../../api/types';

/** Returns the full name of a step, including the calls and lists that contain the step. */
export const wholeName = ({ name, path }: Pick<ExecutionStep, 'name' | 'path'>): string =>
  [...path.map(({ key, item }) => (item === null ? key : `${key} · ${item}`)), name].join(' › ');

/** Returns the full name of a step; its key if the run has no such step. */
export function nameOfStep(steps: readonly Pick<ExecutionStep, 'key' | 'name' | 'path'>[], key: string): string {
  const step = steps.find((each) => each.key === key);
  return step ? wholeName(step) : key;
}
