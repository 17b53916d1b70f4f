import type { UnitOfWork } from '../../common/database/unit-of-work.js';
import { dueBefore, dueRuns, type RunsOf, type Totals, totalsOf } from './due-runs.js';
import { type DueRun, KeepRules, type KeptReason } from './keeping.js';
import { isLimited, type RetentionRule } from './retention-rule.js';

const AT_ONCE = 500;

export interface Survey extends Totals {
  environmentId: string;
  of: Totals;
  /** Start of the oldest due run; null = no run is due. `to` is the start of the newest one. */
  from: Date | null;
  to: Date | null;
  kept: Partial<Record<KeptReason, number>>;
  /** False = the time limit ended the scan, so the numbers are lower bounds. */
  complete: boolean;
}

/** Yields due runs in batches, newest first, each with the reason to keep it, if any. */
export async function* dueInBatches(
  units: UnitOfWork,
  of: RunsOf,
  rule: RetentionRule,
): AsyncGenerator<{ run: DueRun; kept: KeptReason | null }[]> {
  if (!isLimited(rule)) return;
  const bound = await units.run(of.tenantId, (tx) => dueBefore(tx, of, rule));
  if (bound === null) return;
  const keepRules = new KeepRules();
  for (let from = bound; ; ) {
    const runs = await units.run(of.tenantId, (tx) => dueRuns(tx, of, { from, bound, limit: AT_ONCE }));
    if (runs.length > 0) yield runs.map((run) => ({ run, kept: keepRules.reasonFor(run) }));
    const last = runs.at(-1);
    if (!last || runs.length < AT_ONCE) return;
    from = last.id;
  }
}

/**
 * Calculates the current effect of the rule.
 * @param until end of the scan, in ms since the epoch; then the numbers so far are returned
 */
export async function survey(units: UnitOfWork, of: RunsOf, rule: RetentionRule, until: number): Promise<Survey> {
  const found: Survey = {
    environmentId: of.environmentId,
    of: await units.run(of.tenantId, (tx) => totalsOf(tx, of)),
    runs: 0,
    bytes: 0,
    from: null,
    to: null,
    kept: {},
    complete: true,
  };
  for await (const batch of dueInBatches(units, of, rule)) {
    for (const { run, kept } of batch) {
      if (kept) {
        found.kept[kept] = (found.kept[kept] ?? 0) + 1;
        continue;
      }
      found.runs += 1;
      found.bytes += run.bytes;
      found.from = run.at;
      found.to ??= run.at;
    }
    if (Date.now() > until) return { ...found, complete: false };
  }
  return found;
}
