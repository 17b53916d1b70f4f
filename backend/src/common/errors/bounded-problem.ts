import type { Problem } from './problem.js';
import type { ProblemItem } from './problem-item.js';
import { MAX_TEXT_LENGTH, toPointerPart, shortenText } from '../text/shorten.js';

export const MAX_LISTED_FAULTS = 20;

/** Maximum length of a fault's message, in UTF-16 units. Messages already shorten the caller's text. */
const MAX_MESSAGE_LENGTH = 3000;

/** Limits a problem response to {@link MAX_LISTED_FAULTS} faults of limited length, and reports the total number. */
export function limitProblemFaults({ detail, extras }: Problem): { detail: string; errors?: ProblemItem[] } {
  const { errors, faults = errors?.length ?? 0 } = extras;
  if (!errors) return { detail };
  const listedItems = errors.slice(0, MAX_LISTED_FAULTS).map(limitProblemItem);
  if (faults <= listedItems.length) return { detail, errors: listedItems };
  return {
    detail: `${detail} \`errors\` lists the first ${listedItems.length} of ${faults} faults.`,
    errors: listedItems,
  };
}

const limitProblemItem = ({ path, code, message, line, column, entry }: ProblemItem): ProblemItem => ({
  path: path.split('/').map(shortenPointerPart).join('/'),
  code,
  message:
    message.length > MAX_MESSAGE_LENGTH
      ? `${message.slice(0, MAX_MESSAGE_LENGTH).replace(/\p{Surrogate}$/u, '')}…`
      : message,
  ...(line === undefined ? {} : { line }),
  ...(column === undefined ? {} : { column }),
  ...(entry === undefined ? {} : { entry: shortenText(entry) }),
});

/** A name of {@link MAX_TEXT_LENGTH} characters may be twice as long after escaping. */
function shortenPointerPart(part: string): string {
  return part.length <= 2 * MAX_TEXT_LENGTH + 1
    ? part
    : toPointerPart(part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
