import type { RunState } from './run-state.js';

/**
 * First and last of several steps between which hosts advance independently. All hosts wait for each other before
 * `from` and after `to`.
 */
export interface StepSegment {
  from: number;
  to: number;
}

/** Segment that contains the step; null = the step is a barrier, which all hosts begin and end together. */
export function findSegmentAt(state: RunState, index: number): StepSegment | null {
  if (!hasFreeStrategy(state, index)) return null;
  let from = index;
  while (!mayPauseBefore(state, from) && hasFreeStrategy(state, from - 1)) from -= 1;
  let to = index;
  while (hasFreeStrategy(state, to + 1) && !mayPauseBefore(state, to + 1)) to += 1;
  return { from, to };
}

function hasFreeStrategy({ strategy, mode, steps }: RunState, index: number): boolean {
  const policy = steps[index]?.policy;
  if (!policy || strategy !== 'free' || (mode !== 'auto' && mode !== 'semi_assisted')) return false;
  return !policy.gate && !policy.runOnce && policy.batch === null;
}

const mayPauseBefore = ({ mode, steps }: RunState, index: number): boolean =>
  mode === 'semi_assisted' && steps[index]?.policy.confirm === true;
