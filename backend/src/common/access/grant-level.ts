/** In ascending order: each level includes the previous ones. */
export const GRANT_LEVELS = ['view', 'run', 'approve'] as const;
export type GrantLevel = (typeof GRANT_LEVELS)[number];
