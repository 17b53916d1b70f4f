/** Reasons to keep a run although the rule allows its deletion; the first match counts. */
export const KEPT_REASONS = ['active', 'pinned', 'unresolved', 'last_succeeded', 'last_failed', 'referenced'] as const;
export type KeptReason = (typeof KEPT_REASONS)[number];

export interface DueRun {
  id: string;
  parentId: string | null;
  bytes: number;
  at: Date;
  /** Reason to keep it, from the run itself and from reruns that are not due; null: none. */
  reason: KeptReason | null;
}

/**
 * Decides which due runs are kept. Runs must come newest first: a kept run also keeps the run that it continues. Stores
 * only the IDs of such runs.
 */
export class Keeping {
  private readonly needed = new Set<string>();

  /** Null: the run is deleted. */
  reasonFor(run: DueRun): KeptReason | null {
    const reason = run.reason ?? (this.needed.has(run.id) ? 'referenced' : null);
    this.needed.delete(run.id);
    if (reason !== null && run.parentId !== null) this.needed.add(run.parentId);
    return reason;
  }
}
