export const MAX_APPROVALS = 100;
export const MIN_DELAY_SECONDS = 3600;
export const MAX_DELAY_SECONDS = 2_592_000;
/** In seconds. */
export const DEFAULT_DELAY_SECONDS = 86_400;
