/** Retention limits of runs; null = no such limit. A run that exceeds any limit is deleted. */
export interface RetentionRule {
  keepDays: number | null;
  keepRuns: number | null;
  keepBytes: number | null;
}

export const KEEP_ALL: RetentionRule = { keepDays: null, keepRuns: null, keepBytes: null };

export const hasLimit = ({ keepDays, keepRuns, keepBytes }: RetentionRule): boolean =>
  keepDays !== null || keepRuns !== null || keepBytes !== null;
