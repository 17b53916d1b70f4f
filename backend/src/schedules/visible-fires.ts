import type { EntityManager } from 'typeorm';
import { isLimitedToRecords } from '../common/access/caller-limits.js';
import type { Principal } from '../common/access/principal.js';
import { findVisibleRuns } from '../executions/queries/scheduled-runs.js';
import type { LastFireView, ScheduleFireView, ScheduleSummaryView } from './schedules.view.js';

/** Reason for tokens of limited scope, which may not see the conflicting run. */
const ANOTHER_RUN_TEXT = 'Another run conflicted.';

/**
 * Returns fires as the caller may see them. For a token of limited scope, removes runs that the token cannot see. Such
 * a run may be of another plan or environment that the schedule had before, or be a conflicting run of another plan.
 */
export async function toVisibleFires(
  tx: EntityManager,
  caller: Principal,
  fires: readonly ScheduleFireView[],
): Promise<ScheduleFireView[]> {
  if (!isLimitedToRecords(caller.limits)) return [...fires];
  const runs = fires.flatMap(({ executionId, blockedBy }) => [executionId ?? [], blockedBy ?? []].flat());
  const visible = await findVisibleRuns(tx, caller, runs);
  return fires.map((fire) => ({
    ...toVisibleFire(fire, visible),
    blockedBy: visibleIdOrNull(fire.blockedBy, visible),
  }));
}

/** Like `toVisibleFires`, for the last fire of schedules. */
export async function hideInvisibleLastFires<View extends ScheduleSummaryView>(
  tx: EntityManager,
  caller: Principal,
  schedules: readonly View[],
): Promise<View[]> {
  if (!isLimitedToRecords(caller.limits)) return [...schedules];
  const runs = schedules.flatMap(({ lastFire }) => lastFire?.executionId ?? []);
  const visible = await findVisibleRuns(tx, caller, runs);
  return schedules.map((view) => ({ ...view, lastFire: view.lastFire && toVisibleFire(view.lastFire, visible) }));
}

const visibleIdOrNull = (id: string | null, visible: ReadonlySet<string>): string | null =>
  id !== null && visible.has(id) ? id : null;

const toVisibleFire = <View extends LastFireView>(fire: View, visible: ReadonlySet<string>): View => ({
  ...fire,
  executionId: visibleIdOrNull(fire.executionId, visible),
  reason: fire.reason?.code === 'run_overlap' ? { code: fire.reason.code, text: ANOTHER_RUN_TEXT } : fire.reason,
});
