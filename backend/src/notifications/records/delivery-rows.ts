import type { EntityManager } from 'typeorm';
import { affected, row, rows, sql } from '../../common/database/sql.js';
import type { NotificationEvent } from '../messages/notification-events.js';

/**
 * `waiting`: to be sent or retried; `sending`: a worker is sending it; `skipped`: no longer relevant; `summarised`: not
 * sent, but counted in a summary because there were too many.
 */
export const DELIVERY_STATUSES = ['waiting', 'sending', 'sent', 'failed', 'skipped', 'summarised'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export type DeliveryEvent = NotificationEvent | 'summary';

export const RETRY_SECONDS = 24 * 60 * 60;
export const RETENTION_DAYS = 30;
/** Lease of a worker for a message, in seconds. Sending takes far less. */
const LEASE_SECONDS = 120;

export interface NewDelivery {
  id: string;
  ruleId: string;
  event: DeliveryEvent;
  cause: string;
  environmentId: string | null;
  planId: string | null;
  executionId: string | null;
  /** Data of the event; null: the event is about a run. */
  about: object | null;
  subject: string;
  /** `summarised`: not sent; `waiting`: due now or after `inSeconds`. */
  state: 'waiting' | 'summarised';
  inSeconds: number;
}

/** Stores deliveries, except those whose rule has already reported the same cause. @returns IDs of the stored ones */
export async function insertDeliveries(
  tx: EntityManager,
  tenantId: string,
  deliveries: readonly NewDelivery[],
): Promise<Set<string>> {
  if (deliveries.length === 0) return new Set();
  const added = deliveries.map((each) => ({
    id: each.id,
    rule_id: each.ruleId,
    event: each.event,
    cause: each.cause,
    environment_id: each.environmentId,
    plan_id: each.planId,
    execution_id: each.executionId,
    about: each.about,
    subject: each.subject,
    state: each.state,
    in_seconds: each.inSeconds,
  }));
  const stored = await rows(
    tx,
    sql<{ id: string }>`insert into notification_deliveries (id, tenant_id, rule_id, event, cause, environment_id,
        plan_id, execution_id, about, subject, state, due_at, ended_at, give_up_at)
      select x.id, ${tenantId}, x.rule_id, x.event, x.cause, x.environment_id, x.plan_id, x.execution_id, x.about, x.subject, x.state,
          case when x.state = 'waiting' then now() + make_interval(secs => x.in_seconds) end,
          case when x.state <> 'waiting' then now() end,
          now() + make_interval(secs => x.in_seconds + ${RETRY_SECONDS})
        from jsonb_to_recordset(${JSON.stringify(added)}::jsonb) as x (id uuid, rule_id uuid, event text, cause text, environment_id uuid,
          plan_id uuid, execution_id uuid, about jsonb, subject text, state text, in_seconds integer)
      on conflict (tenant_id, rule_id, cause) do nothing returning id`,
  );
  return new Set(stored.map(({ id }) => id));
}

export interface OpenDelivery {
  id: string;
  ruleId: string;
  environmentId: string | null;
  planId: string | null;
  about: object;
}

/**
 * Returns and locks the rules' recent deliveries about missed schedules that no worker has begun to send. Includes
 * summarised ones. The lock lasts until the transaction ends.
 */
export const findOpenDeliveries = (
  tx: EntityManager,
  tenantId: string,
  ruleIds: readonly string[],
  mostSeconds: number,
): Promise<OpenDelivery[]> =>
  rows(
    tx,
    // The condition excludes null; `coalesce` tells the checker so.
    sql<OpenDelivery>`select id, rule_id as "ruleId", environment_id as "environmentId", plan_id as "planId",
        coalesce(about, '{}') as about
      from notification_deliveries
      where tenant_id = ${tenantId} and rule_id = any (${ruleIds}) and event = 'schedule.failed' and epoch = 0
        and state in ('waiting', 'summarised') and created_at > now() - make_interval(secs => ${mostSeconds})
        and (about ? 'missed' or about->>'outcome' = 'missed')
      order by id desc for update`,
  );

/**
 * Adds content to a delivery that no worker has begun to send, and postpones the delivery by `inSeconds` to wait for
 * more content.
 * @param limit maximum total wait, in seconds
 */
export async function addToDelivery(
  tx: EntityManager,
  tenantId: string,
  id: string,
  { about, subject, environmentId, planId }: Omit<OpenDelivery, 'id' | 'ruleId'> & { subject: string },
  inSeconds: number,
  limit: number,
): Promise<void> {
  await affected(
    tx,
    sql`update notification_deliveries set about = ${JSON.stringify(about)}, subject = ${subject},
        environment_id = ${environmentId}, plan_id = ${planId},
        due_at = case when state = 'waiting'
          then least(now() + make_interval(secs => ${inSeconds}), created_at + make_interval(secs => ${limit})) end
      where tenant_id = ${tenantId} and id = ${id}`,
  );
}

export interface ClaimedDelivery {
  id: string;
  tenantId: string;
  ruleId: string;
  event: DeliveryEvent;
  cause: string;
  environmentId: string | null;
  executionId: string | null;
  about: object | null;
  attempts: number;
  epoch: number;
  reached: string[];
  createdAt: Date;
  /** Remaining time for retries in seconds, by the database's clock; 0 or less: this is the last attempt. */
  secondsLeft: number;
}

/**
 * Claims a delivery that is due, or whose worker lost its lease.
 * @returns `over`: nothing to do; a number: seconds until the delivery is due or its lease expires
 */
export async function claimDelivery(
  tx: EntityManager,
  tenantId: string,
  id: string,
): Promise<ClaimedDelivery | 'over' | number> {
  const claimed = await row(
    tx,
    sql<ClaimedDelivery>`update notification_deliveries set state = 'sending', attempts = attempts + 1,
        epoch = epoch + 1, due_at = now() + make_interval(secs => ${LEASE_SECONDS})
      where tenant_id = ${tenantId} and id = ${id} and due_at <= now()
      returning id, tenant_id as "tenantId", rule_id as "ruleId", event, cause, environment_id as "environmentId",
        execution_id as "executionId", about, attempts, epoch, reached, created_at as "createdAt",
        extract(epoch from give_up_at - now())::float8 as "secondsLeft"`,
  );
  if (claimed) return claimed;
  const later = await row(
    tx,
    sql<{ seconds: number | null }>`select ceil(extract(epoch from due_at - now()))::int as seconds
      from notification_deliveries where tenant_id = ${tenantId} and id = ${id}`,
  );
  return later?.seconds == null ? 'over' : Math.max(1, later.seconds);
}

export interface DeliveryOutcome {
  state: 'sent' | 'failed' | 'skipped' | 'waiting';
  inSeconds?: number;
  subject?: string;
  reached?: readonly string[];
  errorCode: string | null;
  error: string | null;
}

/** Stores the result of an attempt. @returns false when another worker has claimed the delivery since, else true */
export async function storeOutcome(
  tx: EntityManager,
  { tenantId, id, epoch }: Pick<ClaimedDelivery, 'tenantId' | 'id' | 'epoch'>,
  { state, inSeconds, subject, reached, errorCode, error }: DeliveryOutcome,
): Promise<boolean> {
  const count = await affected(
    tx,
    sql`update notification_deliveries set state = ${state},
        due_at = case when ${state}::text = 'waiting' then now() + make_interval(secs => ${inSeconds ?? 0}) end,
        ended_at = case when ${state}::text <> 'waiting' then now() end, subject = coalesce(${subject ?? null}, subject),
        reached = coalesce(${reached ?? null}, reached), error_code = ${errorCode}, error = ${error}
      where tenant_id = ${tenantId} and id = ${id} and epoch = ${epoch} and state = 'sending'`,
  );
  return count > 0;
}

/**
 * Resends a failed delivery, with the time limit of a new one. @returns false when the delivery has not failed, else
 * true
 */
export async function resendDelivery(tx: EntityManager, tenantId: string, id: string): Promise<boolean> {
  const count = await affected(
    tx,
    sql`update notification_deliveries set state = 'waiting', attempts = 0, epoch = epoch + 1, due_at = now(),
        ended_at = null, error_code = null, error = null,
        give_up_at = now() + make_interval(secs => ${RETRY_SECONDS})
      where tenant_id = ${tenantId} and id = ${id} and state = 'failed'`,
  );
  return count > 0;
}

export async function listDueDeliveries(tx: EntityManager, tenantId: string, limit: number): Promise<string[]> {
  const due = await rows(
    tx,
    sql<{ id: string }>`select id from notification_deliveries
      where tenant_id = ${tenantId} and due_at <= now() order by due_at limit ${limit}`,
  );
  return due.map(({ id }) => id);
}

export async function deleteOldDeliveries(tx: EntityManager, tenantId: string, limit: number): Promise<void> {
  await affected(
    tx,
    sql`delete from notification_deliveries where tenant_id = ${tenantId} and id in (
      select id from notification_deliveries
        where tenant_id = ${tenantId} and created_at < now() - make_interval(days => ${RETENTION_DAYS})
        order by created_at limit ${limit})`,
  );
}
