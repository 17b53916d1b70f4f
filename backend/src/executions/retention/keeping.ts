/** Why a run stays although the rule would let it go; the first that holds. */
export const KEPT_REASONS = ['active', 'pinned', 'unresolved', 'last_succeeded', 'last_failed', 'referenced'] as const;
export type KeptReason = (typeof KEPT_REASONS)[number];

/** A run that the rule would let go. */
export interface DueRun {
  id: string;
  parentId: string | null;
  bytes: number;
  /** When it was started. */
  at: Date;
  /** Why it stays, as far as that is seen by itself and by reruns of it that are not due. */
  reason: KeptReason | null;
}

/**
 * Decides which of the due runs stay, the newest first: what a run needs that stays, the runs that it continues, stays
 * too. Holds the ids of those only.
 */
export class Keeping {
  private readonly needed = new Set<string>();

  /** Null: the run goes. */
  reasonFor(run: DueRun): KeptReason | null {
    const reason = run.reason ?? (this.needed.has(run.id) ? 'referenced' : null);
    this.needed.delete(run.id);
    if (reason !== null && run.parentId !== null) this.needed.add(run.parentId);
    return reason;
  }
}
