import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { ProblemItem } from '../../../common/errors/problem-item.js';

/** Yields each fault when it is found. Null: enough work was done to yield to the event loop. */
export type Faults = Generator<ProblemItem | null, void>;

/** Returns at most `limit` faults, and then stops the search. */
export function takeFirstFaults(faults: Faults, limit: number): ProblemItem[] {
  const found: ProblemItem[] = [];
  for (const fault of faults) {
    if (fault) found.push(fault);
    if (found.length >= limit) break;
  }
  return found;
}

/** Like `takeFirstFaults`, but yields to the event loop at each null. */
export async function takeFirstFaultsInTurns(faults: Faults, limit: number): Promise<ProblemItem[]> {
  const found: ProblemItem[] = [];
  for (const fault of faults) {
    if (fault) found.push(fault);
    else await turnOfOthers();
    if (found.length >= limit) break;
  }
  return found;
}
