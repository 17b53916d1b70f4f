import type { EntityManager } from 'typeorm';
import { affected, row, rows, sql } from '../../common/database/sql.js';
import { MAY_START_SQL } from '../../common/installation/installation.sql.js';
import { Schedule } from '../records/schedule.entity.js';

/**
 * Lease of a claimed schedule, in seconds; afterwards another worker can claim the schedule. If a start takes longer,
 * several workers may attempt it. The first to commit wins.
 */
const CLAIM_SECONDS = 60;
/** Delay before a start is tried again after a temporary error, in seconds. */
const RETRY_SECONDS = 10;

export async function listTenantsWithDueSchedules(tx: EntityManager): Promise<string[]> {
  const tenants = await rows(
    tx,
    sql<{ id: string }>`select id from tenants_with_due_schedules() as id where ${MAY_START_SQL}`,
  );
  return tenants.map(({ id }) => id);
}

/** Claims due schedules, most overdue first. @returns their IDs */
export async function claimDueSchedules(tx: EntityManager, tenantId: string, limit: number): Promise<string[]> {
  const claimed = await rows(
    tx,
    sql<{ id: string }>`with due as materialized (
        select id from schedules where tenant_id = ${tenantId} and enabled and due_at <= now()
            and (claimed_until is null or claimed_until < now())
          order by due_at limit ${limit} for no key update skip locked)
      update schedules s set claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS}) from due
        where s.tenant_id = ${tenantId} and s.id = due.id returning s.id`,
  );
  return claimed.map(({ id }) => id);
}

export async function releaseClaims(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<void> {
  await affected(
    tx,
    sql`update schedules set claimed_until = null where tenant_id = ${tenantId} and id = any (${ids})`,
  );
}

export async function retryScheduleLater(tx: EntityManager, tenantId: string, id: string): Promise<void> {
  await affected(
    tx,
    sql`update schedules set claimed_until = now() + make_interval(secs => ${RETRY_SECONDS})
      where tenant_id = ${tenantId} and id = ${id}`,
  );
}

export interface DueScheduleRow {
  schedule: Schedule & { nextAt: Date };
  now: Date;
}

/** Returns null if the schedule is not due now. */
export async function readDueSchedule(tx: EntityManager, tenantId: string, id: string): Promise<DueScheduleRow | null> {
  const clock = await row(tx, sql<{ now: Date }>`select now() as now`);
  const schedule = await tx
    .getRepository(Schedule)
    .createQueryBuilder('schedule')
    .addSelect('schedule.sealedVariables')
    .where('schedule.tenantId = :tenantId and schedule.id = :id', { tenantId, id })
    .andWhere('schedule.enabled and schedule.dueAt <= now()')
    .getOne();
  const { nextAt } = schedule ?? {};
  return clock && schedule && nextAt ? { schedule: Object.assign(schedule, { nextAt }), now: clock.now } : null;
}

/** Locks the schedule until the transaction ends. Returns false if another worker fired it or a member changed it. */
export async function lockDueSchedule(tx: EntityManager, { schedule }: DueScheduleRow): Promise<boolean> {
  const held = await row(
    tx,
    sql`select 1 from schedules where tenant_id = ${schedule.tenantId} and id = ${schedule.id} and enabled
        and next_at = ${schedule.nextAt} and version = ${schedule.version}
      for no key update`,
  );
  return held !== undefined;
}
