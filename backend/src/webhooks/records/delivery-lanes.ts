import type { EntityManager } from 'typeorm';
import { CHANNELS } from '../../common/notify/notifications.js';

/** What is sent to one address in order. */
export interface Lane {
  webhookId: string;
  lane: string;
}

const placesOf = (lanes: readonly Lane[]) => [lanes.map(({ webhookId }) => webhookId), lanes.map(({ lane }) => lane)];

/**
 * Has the first delivery of each lane that waits be sent, as nothing before it in its lane waits any more. The rows of
 * the webhooks have to be held: whoever adds to a lane and whoever ends its first delivery exclude one another.
 * @param now null: by the clock of the database
 */
export async function openLanes(
  tx: EntityManager,
  tenantId: string,
  lanes: readonly Lane[],
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
    [tenantId, ...placesOf(lanes), now],
  );
}

/** Takes the turn from all that wait in these lanes: {@link openLanes} gives it to the first of each. */
export async function closeLanes(tx: EntityManager, tenantId: string, lanes: readonly Lane[]): Promise<void> {
  await tx.query(
    `update webhook_deliveries d set next_attempt_at = null from unnest($2::uuid[], $3::uuid[]) as l (webhook_id, lane)
      where d.tenant_id = $1 and d.webhook_id = l.webhook_id and d.lane = l.lane and d.state = 'pending'
        and d.next_attempt_at is not null`,
    [tenantId, ...placesOf(lanes)],
  );
}

/** Workers hear that deliveries of these webhooks may be due. */
export const tellSenders = (tx: EntityManager, tenantId: string, webhookIds: readonly string[]): Promise<unknown> =>
  tx.query('select pg_notify($1, x) from (select distinct $2::text || id::text as x from unnest($3::uuid[]) as id) y', [
    CHANNELS.webhooks,
    `${tenantId}/`,
    webhookIds,
  ]);

/** Ends all that waits for an address, so that it can be looked at, and sent again on purpose. */
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
