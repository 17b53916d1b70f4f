import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import type { FurtherRequester } from '../../executions/approval/requesters.js';
import { lastApprovedAt } from '../../executions/queries/scheduled-runs.js';
import type { Schedule } from './schedule.entity.js';

/** Records the authors of a change to content or timing: the caller, and members who saw the caller's token. */
export async function recordWriters(tx: EntityManager, caller: Principal, scheduleId: string): Promise<void> {
  const holders = caller.heldBy.filter((userId) => userId !== caller.userId);
  // Statement time, not transaction time: must be later than the start of a run for which this change waited.
  await tx.query(
    `insert into schedule_writers (tenant_id, schedule_id, user_id, by_token, at)
      select $1, $2, x.user_id, x.user_id <> $3, clock_timestamp() from unnest($4::uuid[]) as x (user_id)
      on conflict (schedule_id, user_id) do update set by_token = excluded.by_token, at = excluded.at`,
    [caller.tenantId, scheduleId, caller.userId, [caller.userId, ...holders]],
  );
}

/**
 * Returns the requesters in addition to the owner: members who saw the token with which the owner saved the schedule,
 * and authors of changes since a run of it last began with approval.
 */
export async function scheduleRequesters(tx: EntityManager, schedule: Schedule): Promise<FurtherRequester[]> {
  const { tenantId, id, name, ownerHeldBy } = schedule;
  const writers = await tx.query<{ user_id: string; by_token: boolean }[]>(
    `select user_id, by_token from schedule_writers
      where tenant_id = $1 and schedule_id = $2 and at > coalesce($3::timestamptz, '-infinity') order by user_id`,
    [tenantId, id, await lastApprovedAt(tx, schedule)],
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
