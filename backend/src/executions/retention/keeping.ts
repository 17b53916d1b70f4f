/** Reasons to keep a run although the rule allows its deletion. The first match counts. */
export const KEPT_REASONS = ['active', 'pinned', 'unresolved', 'last_succeeded', 'last_failed', 'referenced'] as const;
export type KeptReason = (typeof KEPT_REASONS)[number];

export interface DueRun {
  id: string;
  parentId: string | null;
  bytes: number;
  at: Date;
  /** Reason to keep the run, from the run itself or from a rerun that is not due; null = none. */
  reason: KeptReason | null;
}

/**
 * Decides which due runs are kept. Pass runs newest first: a kept run also keeps the run that it continues. Memory
 * holds only the IDs of such runs.
 */
export class KeptRunRules {
  private readonly needed = new Set<string>();

  /** Returns the reason to keep the run; null = the run is deleted. */
  findKeptReason(run: DueRun): KeptReason | null {
    const reason = run.reason ?? (this.needed.has(run.id) ? 'referenced' : null);
    this.needed.delete(run.id);
    if (reason !== null && run.parentId !== null) this.needed.add(run.parentId);
    return reason;
  }
}
