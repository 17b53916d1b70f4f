/** Retention limits of runs; null: no such limit. A run that exceeds any limit is deleted. */
export interface RetentionRule {
  /** Maximum days since the start of the run. */
  keepDays: number | null;
  /** Number of newest runs to keep per environment. */
  keepRuns: number | null;
  /** Total output of the newest runs to keep per environment, in bytes. */
  keepBytes: number | null;
}

export const KEEP_ALL: RetentionRule = { keepDays: null, keepRuns: null, keepBytes: null };

/** Whether the rule deletes any runs. */
export const isLimited = ({ keepDays, keepRuns, keepBytes }: RetentionRule): boolean =>
  keepDays !== null || keepRuns !== null || keepBytes !== null;
