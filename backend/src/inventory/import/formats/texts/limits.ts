/** What one text may hold. Each is refused by name, with a code of its own, before it costs time or memory. */

export const MOST_GROUPS = 2000;
/** Groups that one host is in, with the groups around them; each becomes a tag. */
export const MOST_TAGS = 50;
/** Those around its groups included. */
export const MOST_GROUPS_OF_HOST = 250;
export const MOST_VARIABLES = 100;
/** UTF-16 units of one variable, or of all items of a list together. */
export const MOST_VALUE_LENGTH = 10_000;
export const MOST_NAME_LENGTH = 100;
export const MOST_EXTERNAL_ID_LENGTH = 200;
/** Of formats that are written in lines; JSON often stands on a single one. */
export const MOST_LINE_LENGTH = 100_000;
/** Maps and lists inside one another, in YAML and JSON. */
export const MOST_DEPTH = 64;
/**
 * Pieces of YAML (names, colons, white space, values) that are read, some 7 of them for a line. Its parser needs some
 * 2 µs and 0.5 KiB for each, so that 8 MiB of very short lines would need gigabytes.
 */
export const MOST_YAML_PIECES = 1_500_000;
/** Lines of YAML: seen at once, where counting pieces takes a while. */
export const MOST_YAML_LINES = 250_000;
/** Values, lists and maps of a YAML or JSON text, once every alias stands for a copy ("billion laughs"). */
export const MOST_TREE_NODES = 2_000_000;
/**
 * Steps of putting hosts, groups and variables together. 10,000 hosts with 30 variables of their own and 70 of their
 * groups need some 2 million.
 */
export const MOST_STEPS = 4_000_000;
/**
 * UTF-16 units of all names and values of all hosts together. A long value of a group with many hosts stands once in the
 * text, but once for each host in what is handed to another thread.
 */
export const MOST_RESULT_LENGTH = 32 * 1024 * 1024;
