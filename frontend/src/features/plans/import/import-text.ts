import type { PlanFault } from '../../../api/types';
import type { ApiProblem } from '../../../api/errors';

/** Maximum file size in bytes; larger files exceed the request limit. */
export const MAX_TEXT_BYTES = 3 * 1024 * 1024;

export type TextFormat = 'plan' | 'rundeck';

/** Detected format of a text; null: unknown. */
export function guessFormat(text: string): TextFormat | null {
  // Rundeck XML is not supported; the server reports it.
  if (/^\s*(?:<[?!][^>]*>\s*)*<job(?:list)?[\s>]/.test(text)) return 'rundeck';
  if (/^\s*(?:- +)?["']?(?:sequence|nodefilters|loglevel)["']?\s*:/m.test(text)) return 'rundeck';
  if (/"(?:sequence|nodefilters|loglevel)"\s*:/.test(text)) return 'rundeck';
  return /^\s*["']?steps["']?\s*:/m.test(text) || /"steps"\s*:/.test(text) ? 'plan' : null;
}

/** Errors of a refused text that have a line, without the line in the message. */
export function faultsOf(problem: ApiProblem): Pick<PlanFault, 'line' | 'column' | 'message'>[] {
  return problem.errors.flatMap(({ line, column = 1, message }) =>
    line === undefined ? [] : [{ line, column, message: message.replace(/^Line \d+, column \d+: /, '') }],
  );
}
