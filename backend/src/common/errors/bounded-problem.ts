import type { Problem } from './problem.js';
import type { ProblemItem } from './problem-item.js';
import { MAX_TEXT_LENGTH, pointerPart, shortened } from './shorten.js';

/** Maximum number of faults in one answer. */
export const MAX_LISTED = 20;

/** Maximum length of one fault's message, in UTF-16 units. Messages shorten the caller's text themselves. */
const MAX_MESSAGE = 3000;

/** Limits every problem answer to {@link MAX_LISTED} faults of bounded length, and reports how many there are. */
export function boundedFaults({ detail, extras }: Problem): { detail: string; errors?: ProblemItem[] } {
  const { errors, faults = errors?.length ?? 0 } = extras;
  if (!errors) return { detail };
  const listedItems = errors.slice(0, MAX_LISTED).map(toBoundedItem);
  if (faults <= listedItems.length) return { detail, errors: listedItems };
  return {
    detail: `${detail} \`errors\` lists the first ${listedItems.length} of ${faults} faults.`,
    errors: listedItems,
  };
}

const toBoundedItem = ({ path, code, message, line, column, entry }: ProblemItem): ProblemItem => ({
  path: path.split('/').map(boundedPart).join('/'),
  code,
  message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE).replace(/\p{Surrogate}$/u, '')}…` : message,
  ...(line === undefined ? {} : { line }),
  ...(column === undefined ? {} : { column }),
  ...(entry === undefined ? {} : { entry: shortened(entry) }),
});

/** An escaped name of {@link MAX_TEXT_LENGTH} characters may be twice as long. */
function boundedPart(part: string): string {
  return part.length <= 2 * MAX_TEXT_LENGTH + 1 ? part : pointerPart(part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
