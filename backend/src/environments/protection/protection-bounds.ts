export const MAX_APPROVALS = 100;
/** Limits of the delay of changes that weaken the protection: an hour and 30 days. */
export const MIN_DELAY_SECONDS = 3600;
export const MAX_DELAY_SECONDS = 2_592_000;
/** In seconds. */
export const DEFAULT_DELAY = 86_400;
