import type { ExecutionStep } from '../../../api/types';

/** Full name of a step, including calls and lists that contain it. */
export const wholeName = ({ name, path }: Pick<ExecutionStep, 'name' | 'path'>): string =>
  [...path.map(({ key, item }) => (item === null ? key : `${key} · ${item}`)), name].join(' › ');

/** Full name by key; the key if the run has no such step. */
export function nameOfStep(steps: readonly Pick<ExecutionStep, 'key' | 'name' | 'path'>[], key: string): string {
  const step = steps.find((each) => each.key === key);
  return step ? wholeName(step) : key;
}
