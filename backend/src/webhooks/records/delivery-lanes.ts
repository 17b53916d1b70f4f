import type { EntityManager } from 'typeorm';
import { CHANNELS } from '../../common/notify/notifications.js';

/** Deliveries to one webhook that must stay in order, because their events are of one run. */
export interface DeliveryLane {
  webhookId: string;
  lane: string;
}

const columnsOf = (lanes: readonly DeliveryLane[]) => [
  lanes.map(({ webhookId }) => webhookId),
  lanes.map(({ lane }) => lane),
];

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
  await tx.query(
    `with first as (
        select h.id from unnest($2::uuid[], $3::uuid[]) as l (webhook_id, lane), lateral (
          select d.id from webhook_deliveries d
            where d.webhook_id = l.webhook_id and d.lane = l.lane and d.state = 'pending' order by d.position limit 1) h)
      update webhook_deliveries d set next_attempt_at = coalesce($4::timestamptz, now()) from first
        where d.tenant_id = $1 and d.id = first.id and d.next_attempt_at is null`,
    [tenantId, ...columnsOf(lanes), now],
  );
}

/** Makes no delivery of these lanes due. Call {@link openLanes} afterwards. */
export async function closeLanes(tx: EntityManager, tenantId: string, lanes: readonly DeliveryLane[]): Promise<void> {
  await tx.query(
    `update webhook_deliveries d set next_attempt_at = null from unnest($2::uuid[], $3::uuid[]) as l (webhook_id, lane)
      where d.tenant_id = $1 and d.webhook_id = l.webhook_id and d.lane = l.lane and d.state = 'pending'
        and d.next_attempt_at is not null`,
    [tenantId, ...columnsOf(lanes)],
  );
}

export const notifySenders = (tx: EntityManager, tenantId: string, webhookIds: readonly string[]): Promise<unknown> =>
  tx.query('select pg_notify($1, x) from (select distinct $2::text || id::text as x from unnest($3::uuid[]) as id) y', [
    CHANNELS.webhooks,
    `${tenantId}/`,
    webhookIds,
  ]);

/** Marks all pending deliveries of a webhook as dead. They can still be read and replayed. */
export async function endWaiting(
  tx: EntityManager,
  tenantId: string,
  webhookId: string,
  { code, message }: { code: string; message: string },
): Promise<number> {
  const [, count] = await tx.query<[unknown[], number]>(
    `update webhook_deliveries set state = 'dead', next_attempt_at = null, finished_at = now(), status = null, code = $3,
        message = $4
      where tenant_id = $1 and webhook_id = $2 and state = 'pending'`,
    [tenantId, webhookId, code, message],
  );
  return count;
}
