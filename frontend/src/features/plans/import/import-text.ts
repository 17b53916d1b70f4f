import type { PlanFault } from '../../../api/types';
import type { ApiProblem } from '../../../api/errors';

/** Maximum file size, in bytes. Larger files exceed the request limit. */
export const MAX_TEXT_BYTES = 3 * 1024 * 1024;

export type TextFormat = 'plan' | 'rundeck';

/** Detects the format of a text; null: unknown. */
export function guessFormat(text: string): TextFormat | null {
  // Rundeck XML is not supported, but the server reports this.
  if (/^\s*(?:<[?!][^>]*>\s*)*<job(?:list)?[\s>]/.test(text)) return 'rundeck';
  if (/^\s*(?:- +)?["']?(?:sequence|nodefilters|loglevel)["']?\s*:/m.test(text)) return 'rundeck';
  if (/"(?:sequence|nodefilters|loglevel)"\s*:/.test(text)) return 'rundeck';
  return /^\s*["']?steps["']?\s*:/m.test(text) || /"steps"\s*:/.test(text) ? 'plan' : null;
}

/** Returns those errors of a refused text that have a line. Removes the line from the message. */
export function faultsOf(problem: ApiProblem): Pick<PlanFault, 'line' | 'column' | 'message'>[] {
  return problem.errors.flatMap(({ line, column = 1, message }) =>
    line === undefined ? [] : [{ line, column, message: message.replace(/^Line \d+, column \d+: /, '') }],
  );
}
