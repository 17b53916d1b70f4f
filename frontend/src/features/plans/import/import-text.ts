import { PLAN_FORMATS } from '../../../api/lists';
import type { PlanFault } from '../../../api/types';
import type { ApiProblem } from '../../../api/errors';

/** Maximum file size, in bytes. Larger files exceed the request limit. */
export const MAX_TEXT_BYTES = 3 * 1024 * 1024;

const [ownFormat, ...otherFormats] = PLAN_FORMATS;

export type TextFormat = (typeof PLAN_FORMATS)[number]['name'];

/** Detects the format of a text; null: unknown. */
export function guessFormat(text: string): TextFormat | null {
  const match = [...otherFormats, ownFormat].find(({ clues }) =>
    clues.some(([source, flags]) => new RegExp(source, flags).test(text)),
  );
  return match?.name ?? null;
}

/** Returns those errors of a refused text that have a line. Removes the line from the message. */
export function faultsOf(problem: ApiProblem): Pick<PlanFault, 'line' | 'column' | 'reason'>[] {
  return problem.errors.flatMap(({ line, column = 1, code, message }) =>
    line === undefined
      ? []
      : [{ line, column, reason: { code, text: message.replace(/^Line \d+, column \d+: /, '') } }],
  );
}
