import type { UnitOfWork } from '../../common/database/unit-of-work.js';
import { dueBefore, dueRuns, type RunsOf, type Totals, totalsOf } from './due-runs.js';
import { type DueRun, Keeping, type KeptReason } from './keeping.js';
import { isLimited, type RetentionRule } from './retention-rule.js';

/** Runs that are looked at in one transaction. */
const AT_ONCE = 500;

/** What a rule would do in one environment. */
export interface Survey extends Totals {
  environmentId: string;
  /** Of the environment as a whole. */
  of: Totals;
  /** Starts of the oldest and the newest run that goes; null: none goes. */
  from: Date | null;
  to: Date | null;
  kept: Partial<Record<KeptReason, number>>;
  /** False: time was up before all due runs were looked at, so that it may be more. */
  complete: boolean;
}

/** Runs that are due, in portions, the newest first, each with what keeps it. */
export async function* dueInTurns(
  units: UnitOfWork,
  of: RunsOf,
  rule: RetentionRule,
): AsyncGenerator<{ run: DueRun; kept: KeptReason | null }[]> {
  if (!isLimited(rule)) return;
  const bound = await units.run(of.tenantId, (tx) => dueBefore(tx, of, rule));
  if (bound === null) return;
  const keeping = new Keeping();
  for (let from = bound; ; ) {
    const runs = await units.run(of.tenantId, (tx) => dueRuns(tx, of, { from, bound, limit: AT_ONCE }));
    if (runs.length > 0) yield runs.map((run) => ({ run, kept: keeping.reasonFor(run) }));
    const last = runs.at(-1);
    if (!last || runs.length < AT_ONCE) return;
    from = last.id;
  }
}

/** What the rule would do there now. @param until ms since the epoch; what was counted by then is told */
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
  for await (const portion of dueInTurns(units, of, rule)) {
    for (const { run, kept } of portion) {
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
