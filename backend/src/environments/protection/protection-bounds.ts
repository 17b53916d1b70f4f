export const MOST_APPROVALS = 100;
/** Limits of the delay of changes that weaken the protection, in seconds: an hour, and 30 days. */
export const SHORTEST_DELAY = 3600;
export const LONGEST_DELAY = 2_592_000;
/** In seconds. */
export const DEFAULT_DELAY = 86_400;
