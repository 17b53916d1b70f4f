/** Limits for one text. A text that exceeds a limit is rejected early, with a code for that limit. */

export const MAX_GROUPS = 2000;
/** Maximum number of tags of a host. Each of its groups becomes a tag, including ancestors. */
export const MAX_TAGS = 50;
/** Maximum number of groups of a host, including ancestors. */
export const MAX_GROUPS_OF_HOST = 250;
export const MAX_VARIABLES = 100;
/** Maximum length of a variable, or of all items of a list together, in UTF-16 units. */
export const MAX_VALUE_LENGTH = 10_000;
export const MAX_NAME_LENGTH = 100;
export const MAX_EXTERNAL_ID_LENGTH = 200;
/** Maximum length of a line in UTF-16 units. Not for JSON, which is often on a single line. */
export const MAX_LINE_LENGTH = 100_000;
export const MAX_TREE_DEPTH = 64;
/**
 * Maximum number of YAML tokens (names, colons, white space, values); a line has about 7. The parser needs about 2 µs
 * and 0.5 KiB per token, so 8 MiB of very short lines would need gigabytes.
 */
export const MAX_YAML_TOKENS = 1_500_000;
/** Maximum number of lines in YAML. Lines are counted before tokens, because counting tokens takes time. */
export const MAX_YAML_LINES = 250_000;
/** Maximum number of values, lists and maps after alias expansion, against "billion laughs" texts. */
export const MAX_TREE_NODES = 2_000_000;
/**
 * Maximum number of steps to combine hosts, groups and variables. 10,000 hosts with 30 own variables and 70 group
 * variables each need about 2 million.
 */
export const MAX_READING_STEPS = 4_000_000;
/**
 * Maximum length of all names and values of all hosts, in UTF-16 units. The text has a group's long value once, but the
 * value is copied to another thread for each host.
 */
export const MAX_RESULT_LENGTH = 32 * 1024 * 1024;
