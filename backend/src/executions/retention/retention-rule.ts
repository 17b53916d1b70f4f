/** For how long runs are kept. Null: without such a limit; what any limit says is too old goes. */
export interface RetentionRule {
  /** Days since the start. */
  keepDays: number | null;
  /** The newest so many runs of each environment. */
  keepRuns: number | null;
  /** The newest runs of each environment whose output has so many bytes together. */
  keepBytes: number | null;
}

export const KEEP_ALL: RetentionRule = { keepDays: null, keepRuns: null, keepBytes: null };

/** Whether runs go at all. */
export const isLimited = ({ keepDays, keepRuns, keepBytes }: RetentionRule): boolean =>
  keepDays !== null || keepRuns !== null || keepBytes !== null;
