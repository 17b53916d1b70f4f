/** What one text may hold. Each is refused by name, with a code of its own, before it costs time or memory. */

/** UTF-16 units: the largest plan that can be saved has some 1 MiB, and block texts are indented. */
export const MOST_TEXT = 4 * 1024 * 1024;
/** Some 0.2 s of the library on a machine that has nothing else to do. */
export const MOST_PIECES = 100_000;
export const MOST_LINES = 200_000;
/** Maps and lists inside one another; a plan needs four levels, the jobs of others some more. */
export const MOST_LEVELS = 16;
/** Values of any kind, as many as a body in JSON may hold. */
export const MOST_VALUES = 25_000;
/** Faults that are told of one text. */
export const MOST_FAULTS = 20;
/** Plans that one text may describe. */
export const MOST_PLANS = 100;
/** Things that are told not to be carried over. */
export const MOST_NOT_CARRIED = 500;
