/** Levels of a grant in an environment, in ascending order. Each level includes the previous ones. */
export const GRANT_LEVELS = ['view', 'run', 'approve'] as const;
export type GrantLevel = (typeof GRANT_LEVELS)[number];
