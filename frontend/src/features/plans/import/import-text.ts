import type { PlanFault } from '../../../api/types';
import type { ApiProblem } from '../../../api/errors';

/** Largest file that is read, in bytes: more would not fit into a request. */
export const MOST_BYTES = 3 * 1024 * 1024;

export type TextFormat = 'plan' | 'rundeck';

/** What a text looks like; null: neither. */
export function guessFormat(text: string): TextFormat | null {
  // Rundeck's XML is not imported, and the answer says so.
  if (/^\s*(?:<[?!][^>]*>\s*)*<job(?:list)?[\s>]/.test(text)) return 'rundeck';
  if (/^\s*(?:- +)?["']?(?:sequence|nodefilters|loglevel)["']?\s*:/m.test(text)) return 'rundeck';
  if (/"(?:sequence|nodefilters|loglevel)"\s*:/.test(text)) return 'rundeck';
  return /^\s*["']?steps["']?\s*:/m.test(text) || /"steps"\s*:/.test(text) ? 'plan' : null;
}

/** The faults of a refused text that have a line, without the line in their words. */
export function faultsOf(problem: ApiProblem): Pick<PlanFault, 'line' | 'column' | 'message'>[] {
  return problem.errors.flatMap(({ line, column = 1, message }) =>
    line === undefined ? [] : [{ line, column, message: message.replace(/^Line \d+, column \d+: /, '') }],
  );
}
