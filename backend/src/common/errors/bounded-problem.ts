import type { Problem } from './problem.js';
import type { ProblemItem } from './problem-item.js';
import { MAX_TEXT_LENGTH, pointerPart, shortened } from './shorten.js';

export const MAX_LISTED = 20;

/** Maximum length of a fault's message, in UTF-16 units. Messages already shorten the caller's text. */
const MAX_MESSAGE = 3000;

/** Limits a problem response to {@link MAX_LISTED} faults of limited length, and reports the total number. */
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

/** A name of {@link MAX_TEXT_LENGTH} characters may be twice as long after escaping. */
function boundedPart(part: string): string {
  return part.length <= 2 * MAX_TEXT_LENGTH + 1 ? part : pointerPart(part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
