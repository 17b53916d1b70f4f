/** Limits of one text. Each has its own error code and is enforced before the text costs time or memory. */

/** UTF-16 units: the largest plan has about 1 MiB, and block texts are indented. */
export const MOST_TEXT = 4 * 1024 * 1024;
/** About 0.2 s of the YAML library on an idle machine. */
export const MOST_PIECES = 100_000;
export const MOST_LINES = 200_000;
/** Nesting of maps and lists. A plan needs four levels; foreign jobs need a few more. */
export const MOST_LEVELS = 16;
/** Total number of values; the same limit as for JSON bodies. */
export const MOST_VALUES = 25_000;
/** Reported faults per text. */
export const MOST_FAULTS = 20;
export const MOST_PLANS = 100;
/** Reported parts that were not carried over. */
export const MOST_NOT_CARRIED = 500;
