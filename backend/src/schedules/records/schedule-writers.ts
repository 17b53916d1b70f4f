import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { affected, rows, sql } from '../../common/database/sql.js';
import type { FurtherRequester } from '../../executions/approval/rights-from-requesters.js';
import { findLastApprovedTime } from '../../executions/queries/scheduled-runs.js';
import type { Schedule } from './schedule.entity.js';

/** Records the authors of a change to content or timing: the caller, and members who saw the caller's token. */
export async function recordScheduleWriters(tx: EntityManager, caller: Principal, scheduleId: string): Promise<void> {
  const holders = caller.heldBy.filter((userId) => userId !== caller.userId);
  // Statement time, not transaction time: must be later than the start of a run for which this change waited.
  await affected(
    tx,
    sql`insert into schedule_writers (tenant_id, schedule_id, user_id, by_token, at)
      select ${caller.tenantId}, ${scheduleId}, x.user_id, x.user_id <> ${caller.userId}, clock_timestamp()
        from unnest(${[caller.userId, ...holders]}::uuid[]) as x (user_id)
      on conflict (schedule_id, user_id) do update set by_token = excluded.by_token, at = excluded.at`,
  );
}

/**
 * Returns the requesters in addition to the owner: members who saw the token with which the owner saved the schedule,
 * and authors of changes since a run of it last began with approval.
 */
export async function listScheduleRequesters(tx: EntityManager, schedule: Schedule): Promise<FurtherRequester[]> {
  const { tenantId, id, name, ownerHeldBy } = schedule;
  const approvedAt = await findLastApprovedTime(tx, schedule);
  const writers = await rows(
    tx,
    sql<{ user_id: string; by_token: boolean }>`select user_id, by_token from schedule_writers
      where tenant_id = ${tenantId} and schedule_id = ${id} and at > coalesce(${approvedAt}::timestamptz, '-infinity')
      order by user_id`,
  );
  return [
    ...ownerHeldBy.map((userId): FurtherRequester => ({ userId, kind: 'schedule_token', name })),
    ...writers.map(
      ({ user_id: userId, by_token }): FurtherRequester => ({
        userId,
        kind: by_token ? 'schedule_token' : 'schedule',
        name,
      }),
    ),
  ];
}
