import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { ProblemItem } from '../../common/errors/problem-item.js';

/** Faults one by one, found as they are asked for; null where a while was computed and others may have their turn. */
export type Faults = Generator<ProblemItem | null, void>;

/** The first faults, at most so many; what comes after them is not looked at. */
export function firstFaults(faults: Faults, most: number): ProblemItem[] {
  const found: ProblemItem[] = [];
  for (const fault of faults) {
    if (fault) found.push(fault);
    if (found.length >= most) break;
  }
  return found;
}

/** The same, with a turn for others at each null. */
export async function firstFaultsByTurns(faults: Faults, most: number): Promise<ProblemItem[]> {
  const found: ProblemItem[] = [];
  for (const fault of faults) {
    if (fault) found.push(fault);
    else await turnOfOthers();
    if (found.length >= most) break;
  }
  return found;
}
