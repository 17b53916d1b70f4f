import { type Reason, toHostReason } from '../../common/http/reason.view.js';
import type { EntityManager } from 'typeorm';
import { row, rows, sql } from '../../common/database/sql.js';
import type { PlanStep } from '../../plans/steps/types/step-types.js';
import { getRunStepType } from '../steps/types/run-step-types.js';
import type { RunSummaryView, StepSummaryView } from '../contract/run-summary.view.js';
import type { ExecutionRow, Snapshot } from '../record/execution-row.js';
import { type Verdict, VERDICTS, VERDICTS_BY_SEVERITY } from '../lifecycle/statuses.js';

interface CountRow {
  step_index: number;
  verdict: Verdict;
  count: number;
  code: Reason['code'] | null;
  message: string | null;
}

const createZeroVerdictCounts = (): Record<Verdict, number> =>
  Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>;

type DryRunSummary = Pick<RunSummaryView, 'verdicts' | 'changingHosts' | 'blockedHosts' | 'steps'>;

export async function loadDryRunSummary(
  tx: EntityManager,
  run: ExecutionRow & { snapshot: Snapshot },
): Promise<DryRunSummary | null> {
  if (run.execution_mode !== 'dry_run') return null;
  const counts = await rows(
    tx,
    // `coalesce` only tells that the verdict is not null.
    sql<CountRow>`select step_index, coalesce(verdict, '') as verdict, count(*)::int as count, min(message) as message,
        (array_agg(code order by message))[1] as code from host_results
      where execution_id = ${run.id} and verdict is not null group by step_index, verdict`,
  );
  const hosts = await row(
    tx,
    sql<{ changing: number; blocked: number }>`
      select count(distinct server_id) filter (where verdict = 'WOULD_CHANGE')::int as changing,
        count(distinct server_id) filter (where verdict = 'BLOCKED')::int as blocked
      from host_results where execution_id = ${run.id} and verdict in ('WOULD_CHANGE', 'BLOCKED')`,
  );
  const verdicts = createZeroVerdictCounts();
  for (const { verdict, count } of counts) verdicts[verdict] += count;
  return {
    verdicts,
    changingHosts: hosts?.changing ?? 0,
    blockedHosts: hosts?.blocked ?? 0,
    steps: run.snapshot.plan.steps.map((step, index) =>
      toStepSummary(
        step,
        counts.filter(({ step_index }) => step_index === index),
      ),
    ),
  };
}

function toStepSummary(step: PlanStep, counts: readonly CountRow[]): StepSummaryView {
  const verdicts = createZeroVerdictCounts();
  for (const { verdict, count } of counts) verdicts[verdict] = count;
  const type = getRunStepType(step);
  // A pause does not depend on hosts, so a real run always reaches it.
  if (type.runs === 'pause') {
    const { verdict, code, reason } = type.predict(step);
    return { key: step.key, type: step.type, verdict, reason: { code, text: reason }, verdicts };
  }
  const mostSevere = VERDICTS_BY_SEVERITY.find((verdict) => verdicts[verdict] > 0) ?? null;
  const counted = counts.find(({ verdict }) => verdict === mostSevere);
  const reason = counted ? toHostReason(counted.code, counted.message) : null;
  return { key: step.key, type: step.type, verdict: mostSevere, reason, verdicts };
}
