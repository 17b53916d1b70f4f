import type { EntityManager } from 'typeorm';
import { isLimitedToRecords } from '../common/access/caller-limits.js';
import type { Principal } from '../common/access/principal.js';
import type { ExecutionStatus } from '../executions/lifecycle/statuses.js';
import { findVisibleStatuses } from '../executions/queries/scheduled-runs.js';
import type { LastFireView, ScheduleFireView, ScheduleSummaryView } from './schedules.view.js';

/** Reason for tokens of limited scope, which may not see the conflicting run. */
const ANOTHER_RUN_TEXT = 'Another run conflicted.';

type VisibleRuns = ReadonlyMap<string, ExecutionStatus>;

/**
 * Returns fires as the caller may see them, with the status of their runs. For a token of limited scope, removes runs
 * that the token cannot see. Such a run may be of another plan or environment that the schedule had before, or be a
 * conflicting run of another plan.
 */
export async function toVisibleFires<View extends ScheduleFireView>(
  tx: EntityManager,
  caller: Principal,
  fires: readonly View[],
): Promise<View[]> {
  const runs = fires.flatMap(({ executionId, blockedBy }) => [executionId ?? [], blockedBy ?? []].flat());
  const visible = await findVisibleStatuses(tx, caller, runs);
  return fires.map((fire) => ({
    ...toVisibleFire(caller, fire, visible),
    blockedBy: isLimitedToRecords(caller.limits) ? visibleIdOrNull(fire.blockedBy, visible) : fire.blockedBy,
  }));
}

/** Like `toVisibleFires`, for the last fire of schedules. */
export async function toVisibleLastFires<View extends ScheduleSummaryView>(
  tx: EntityManager,
  caller: Principal,
  schedules: readonly View[],
): Promise<View[]> {
  const runs = schedules.flatMap(({ lastFire }) => lastFire?.executionId ?? []);
  const visible = await findVisibleStatuses(tx, caller, runs);
  return schedules.map((view) => ({
    ...view,
    lastFire: view.lastFire && toVisibleFire(caller, view.lastFire, visible),
  }));
}

const visibleIdOrNull = (id: string | null, visible: VisibleRuns): string | null =>
  id !== null && visible.has(id) ? id : null;

function toVisibleFire<View extends LastFireView>(caller: Principal, fire: View, visible: VisibleRuns): View {
  const executionStatus = visible.get(fire.executionId ?? '') ?? null;
  if (!isLimitedToRecords(caller.limits)) return { ...fire, executionStatus };
  return {
    ...fire,
    executionStatus,
    executionId: visibleIdOrNull(fire.executionId, visible),
    reason: fire.reason?.code === 'run_overlap' ? { code: fire.reason.code, text: ANOTHER_RUN_TEXT } : fire.reason,
  };
}
