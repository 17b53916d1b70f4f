import type { Problem } from './problem.js';
import type { ProblemItem } from './problem-item.js';
import { MAX_SHOWN, pointerPart, shown } from './shown.js';

/** Most faults that one answer lists. */
export const MAX_LISTED = 20;

/** Longest message of one fault, in UTF-16 units; messages cut what they repeat of the caller's text themselves. */
const MAX_MESSAGE = 3000;

/** What every problem answer passes last: at most {@link MAX_LISTED} faults, of bounded length, and how many more there are. */
export function boundedFaults({ detail, extras }: Problem): { detail: string; errors?: ProblemItem[] } {
  const { errors, faults = errors?.length ?? 0 } = extras;
  if (!errors) return { detail };
  const listed = errors.slice(0, MAX_LISTED).map(bounded);
  if (faults <= listed.length) return { detail, errors: listed };
  return { detail: `${detail} These are the first ${listed.length} of ${faults} faults.`, errors: listed };
}

const bounded = ({ path, code, message, line, column, entry }: ProblemItem): ProblemItem => ({
  path: path.split('/').map(boundedPart).join('/'),
  code,
  message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE).replace(/\p{Surrogate}$/u, '')}…` : message,
  ...(line === undefined ? {} : { line }),
  ...(column === undefined ? {} : { column }),
  ...(entry === undefined ? {} : { entry: shown(entry) }),
});

/** A name of {@link MAX_SHOWN} characters may be twice as long when it is escaped. */
function boundedPart(part: string): string {
  return part.length <= 2 * MAX_SHOWN + 1 ? part : pointerPart(part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
