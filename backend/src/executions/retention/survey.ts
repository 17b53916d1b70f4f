import type { UnitOfWork } from '../../common/database/unit-of-work.js';
import { findDueBoundary, listDueRuns, type EnvironmentRuns, type RetentionTotals, loadTotals } from './due-runs.js';
import { type DueRun, KeptRunRules, type KeptReason } from './keeping.js';
import { hasLimit, type RetentionRule } from './retention-rule.js';

const RUNS_PER_BATCH = 500;

export interface RetentionSurvey extends RetentionTotals {
  environmentId: string;
  of: RetentionTotals;
  /** Start of the oldest due run; null = no run is due. `to` is the start of the newest one. */
  from: Date | null;
  to: Date | null;
  kept: Partial<Record<KeptReason, number>>;
  /** False = the time limit ended the scan, so the numbers are lower bounds. */
  complete: boolean;
}

/** Yields due runs in batches, newest first, each with the reason to keep it, if any. */
export async function* readDueRunBatches(
  units: UnitOfWork,
  of: EnvironmentRuns,
  rule: RetentionRule,
): AsyncGenerator<{ run: DueRun; kept: KeptReason | null }[]> {
  if (!hasLimit(rule)) return;
  const bound = await units.run(of.tenantId, (tx) => findDueBoundary(tx, of, rule));
  if (bound === null) return;
  const keepRules = new KeptRunRules();
  for (let from = bound; ; ) {
    const runs = await units.run(of.tenantId, (tx) => listDueRuns(tx, of, { from, bound, limit: RUNS_PER_BATCH }));
    if (runs.length > 0) yield runs.map((run) => ({ run, kept: keepRules.findKeptReason(run) }));
    const last = runs.at(-1);
    if (!last || runs.length < RUNS_PER_BATCH) return;
    from = last.id;
  }
}

/**
 * Calculates the current effect of the rule.
 * @param until end of the scan, in ms since the epoch; then the numbers so far are returned
 */
export async function surveyDueRuns(
  units: UnitOfWork,
  of: EnvironmentRuns,
  rule: RetentionRule,
  until: number,
): Promise<RetentionSurvey> {
  const found: RetentionSurvey = {
    environmentId: of.environmentId,
    of: await units.run(of.tenantId, (tx) => loadTotals(tx, of)),
    runs: 0,
    bytes: 0,
    from: null,
    to: null,
    kept: {},
    complete: true,
  };
  for await (const batch of readDueRunBatches(units, of, rule)) {
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
