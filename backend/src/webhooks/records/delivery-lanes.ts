import type { EntityManager } from 'typeorm';
import { affected, row, sql, type Sql } from '../../common/database/sql.js';
import { CHANNELS } from '../../common/database/notifications.js';

/** Deliveries to one webhook that must stay in order, because their events are of one run. */
export interface DeliveryLane {
  webhookId: string;
  lane: string;
}

/** Relation of the lanes, with `webhook_id` and `lane`. */
const lanesOf = (lanes: readonly DeliveryLane[]): Sql =>
  sql`unnest(${lanes.map(({ webhookId }) => webhookId)}::uuid[], ${lanes.map(({ lane }) => lane)}::uuid[]) as l (webhook_id, lane)`;

/**
 * Makes the first pending delivery of each lane due. The caller must have locked the webhook rows, so that adding to a
 * lane and finishing its first delivery exclude each other.
 * @param now null = now by the database's clock
 */
export async function openLanes(
  tx: EntityManager,
  tenantId: string,
  lanes: readonly DeliveryLane[],
  now: Date | null,
): Promise<void> {
  if (lanes.length === 0) return;
  await affected(
    tx,
    sql`with first as (
        select h.id from ${lanesOf(lanes)}, lateral (
          select d.id from webhook_deliveries d
            where d.webhook_id = l.webhook_id and d.lane = l.lane and d.state = 'pending' order by d.position limit 1) h)
      update webhook_deliveries d set next_attempt_at = coalesce(${now}::timestamptz, now()) from first
        where d.tenant_id = ${tenantId} and d.id = first.id and d.next_attempt_at is null`,
  );
}

/** Makes no delivery of these lanes due. Call {@link openLanes} afterwards. */
export async function closeLanes(tx: EntityManager, tenantId: string, lanes: readonly DeliveryLane[]): Promise<void> {
  await affected(
    tx,
    sql`update webhook_deliveries d set next_attempt_at = null from ${lanesOf(lanes)}
      where d.tenant_id = ${tenantId} and d.webhook_id = l.webhook_id and d.lane = l.lane and d.state = 'pending'
        and d.next_attempt_at is not null`,
  );
}

export const notifySenders = (tx: EntityManager, tenantId: string, webhookIds: readonly string[]): Promise<unknown> =>
  row(
    tx,
    sql`select pg_notify(${CHANNELS.webhooks}, x)
      from (select distinct ${`${tenantId}/`}::text || id::text as x from unnest(${webhookIds}::uuid[]) as id) y`,
  );

/** Marks all pending deliveries of a webhook as dead. They can still be read and replayed. */
export function endWaiting(
  tx: EntityManager,
  tenantId: string,
  webhookId: string,
  { code, message }: { code: string; message: string },
): Promise<number> {
  return affected(
    tx,
    sql`update webhook_deliveries set state = 'dead', next_attempt_at = null, finished_at = now(), status = null,
        code = ${code}, message = ${message}
      where tenant_id = ${tenantId} and webhook_id = ${webhookId} and state = 'pending'`,
  );
}
