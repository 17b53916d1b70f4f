/** Limits of one text. A text that exceeds one is rejected with its own code before it costs time or memory. */

export const MAX_GROUPS = 2000;
/** Tags of one host. Each of its groups, including ancestors, becomes a tag. */
export const MAX_TAGS = 50;
/** Including the ancestors of its groups. */
export const MAX_GROUPS_OF_HOST = 250;
export const MAX_VARIABLES = 100;
/** UTF-16 units of one variable, or of all items of a list together. */
export const MAX_VALUE_LENGTH = 10_000;
export const MAX_NAME_LENGTH = 100;
export const MAX_EXTERNAL_ID_LENGTH = 200;
/** Only for line-based formats; JSON is often on a single line. */
export const MAX_LINE_LENGTH = 100_000;
/** Nesting depth of maps and lists in YAML and JSON. */
export const MAX_DEPTH = 64;
/**
 * YAML tokens (names, colons, white space, values), about 7 per line. The parser needs about 2 µs and 0.5 KiB for each,
 * so 8 MiB of very short lines would need gigabytes.
 */
export const MAX_YAML_TOKENS = 1_500_000;
/** Lines of YAML. This is known at once; counting tokens takes time. */
export const MAX_YAML_LINES = 250_000;
/** Values, lists and maps of a YAML or JSON text after alias expansion ("billion laughs"). */
export const MAX_TREE_NODES = 2_000_000;
/**
 * Steps to combine hosts, groups and variables. 10,000 hosts with 30 own variables and 70 of their groups need about 2
 * million.
 */
export const MAX_STEPS = 4_000_000;
/**
 * UTF-16 units of all names and values of all hosts. A long value of a group is once in the text, but is copied to
 * another thread once per host.
 */
export const MAX_RESULT_LENGTH = 32 * 1024 * 1024;
