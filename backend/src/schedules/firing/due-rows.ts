import type { EntityManager } from 'typeorm';
import { BEGINS } from '../../common/installation/installation.sql.js';
import { Schedule } from '../records/schedule.entity.js';

/**
 * How long a schedule stays with the worker that took it, in seconds: one that was killed keeps nobody else from it for
 * longer. A start that takes longer is done by several, of which the first to end it wins.
 */
const CLAIM_SECONDS = 60;
/** How long until a start that could not be made for now is tried again, in seconds. */
const AGAIN_SECONDS = 10;

/** Tenants that have a schedule that is due, in the order of their ids. Belongs in a unit without a tenant. */
export async function tenantsWithDueSchedules(tx: EntityManager): Promise<string[]> {
  const rows = await tx.query<{ id: string }[]>(`select id from tenants_with_due_schedules() as id where ${BEGINS}`);
  return rows.map(({ id }) => id);
}

/** Takes schedules that are due, those first that wait longest. @returns their ids */
export async function claimDue(tx: EntityManager, tenantId: string, most: number): Promise<string[]> {
  const [rows] = await tx.query<[{ id: string }[], number]>(
    `with due as materialized (
        select id from schedules where tenant_id = $1 and enabled and due_at <= now()
            and (claimed_until is null or claimed_until < now())
          order by due_at limit $2 for no key update skip locked)
      update schedules s set claimed_until = now() + make_interval(secs => $3) from due
        where s.tenant_id = $1 and s.id = due.id returning s.id`,
    [tenantId, most, CLAIM_SECONDS],
  );
  return rows.map(({ id }) => id);
}

/** Gives schedules back that nothing was done for. */
export async function release(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<void> {
  await tx.query('update schedules set claimed_until = null where tenant_id = $1 and id = any ($2)', [tenantId, ids]);
}

/** Leaves a schedule for a little while to whoever comes then. */
export async function tryAgainLater(tx: EntityManager, tenantId: string, id: string): Promise<void> {
  await tx.query(
    'update schedules set claimed_until = now() + make_interval(secs => $3) where tenant_id = $1 and id = $2',
    [tenantId, id, AGAIN_SECONDS],
  );
}

/** A schedule that is due, with its sealed values, and the moment at which it was found so. */
export interface Due {
  schedule: Schedule & { nextAt: Date };
  now: Date;
}

/** The schedule, if it is due now. */
export async function readDue(tx: EntityManager, tenantId: string, id: string): Promise<Due | null> {
  const [row] = await tx.query<{ now: Date }[]>('select now() as now');
  const schedule = await tx
    .getRepository(Schedule)
    .createQueryBuilder('schedule')
    .addSelect('schedule.sealedVariables')
    .where('schedule.tenantId = :tenantId and schedule.id = :id', { tenantId, id })
    .andWhere('schedule.enabled and schedule.dueAt <= now()')
    .getOne();
  const { nextAt } = schedule ?? {};
  return row && schedule && nextAt ? { schedule: Object.assign(schedule, { nextAt }), now: row.now } : null;
}

/**
 * Holds the schedule until the transaction ends. Null: its time was done by another, or it was changed since; then nothing is
 * to be done for it here.
 */
export async function holdDue(tx: EntityManager, { schedule }: Due): Promise<boolean> {
  const rows = await tx.query<unknown[]>(
    `select 1 from schedules where tenant_id = $1 and id = $2 and enabled and next_at = $3 and version = $4
      for no key update`,
    [schedule.tenantId, schedule.id, schedule.nextAt, schedule.version],
  );
  return rows.length > 0;
}
