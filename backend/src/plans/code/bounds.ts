/** Limits of one text. Each one has its own error code and is enforced before the text costs time or memory. */

/** In UTF-16 units. The largest plan has about 1 MiB, and block texts are indented. */
export const MAX_PLAN_TEXT_LENGTH = 4 * 1024 * 1024;
/** Parsing takes about 0.2 s on an idle machine. */
export const MAX_YAML_TOKENS = 100_000;
export const MAX_TEXT_LINES = 200_000;
/** Nesting of maps and lists. A plan needs four levels; foreign jobs need a few more. */
export const MAX_NESTING = 16;
/** Total number of values; the same limit as for JSON bodies. */
export const MAX_YAML_VALUES = 25_000;
export const MAX_FAULTS = 20;
export const MAX_PLANS = 100;
/** Maximum number of reported parts that were not converted. */
export const MAX_NOT_CARRIED_ENTRIES = 500;
