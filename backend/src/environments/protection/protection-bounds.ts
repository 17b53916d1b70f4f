/** Highest number of approvals that an environment can ask for. */
export const MOST_APPROVALS = 100;
/** Bounds of the delay of changes that weaken the protection, in seconds: an hour, and 30 days. */
export const SHORTEST_DELAY = 3600;
export const LONGEST_DELAY = 2_592_000;
/** A day, in seconds. */
export const DEFAULT_DELAY = 86_400;
