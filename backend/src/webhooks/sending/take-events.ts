import type { EntityManager } from 'typeorm';
import { newId } from '../../common/ids.js';
import { isInVisibleEnvironment } from '../../environments/visible-environment.js';
import type { OutboxBatch, OutboxConsumer } from '../../outbox/outbox-consumers.js';
import type { OutboxEvent } from '../../outbox/outbox-event.js';
import { ACTIVE_MEMBERS } from '../../tenancy/directory/members.sql.js';
import { type DeliveryLane, openLanes, notifySenders } from '../records/delivery-lanes.js';
import { CONSUMER } from '../records/webhook-interests.js';

/** Per webhook. Further events are dropped and counted. */
export const MAX_PENDING_DELIVERIES = 20_000;

interface Match extends DeliveryLane {
  event: OutboxEvent;
}

/** The signature covers exactly these bytes. */
export const bodyOf = (type: string, at: Date, data: object): string =>
  JSON.stringify({ type, timestamp: at.toISOString(), data });

/**
 * Stores one message per event, and one delivery for each subscribed webhook whose owner may see the event.
 * @param limit maximum number of pending deliveries per webhook
 */
export const deliveriesUpTo = (limit: number): OutboxConsumer => ({
  name: CONSUMER,
  take: async (tx, batch) => {
    const matches = await withinBounds(tx, batch.tenantId, await matchesOf(tx, batch), limit);
    if (matches.length === 0) return;
    await insertMessages(tx, batch.tenantId, [...new Set(matches.map(({ event }) => event))]);
    await insertDeliveries(tx, batch.tenantId, matches);
    await openLanes(tx, batch.tenantId, matches, null);
    await notifySenders(tx, batch.tenantId, [...new Set(matches.map(({ webhookId }) => webhookId))]);
  },
});

export const webhookDeliveries = deliveriesUpTo(MAX_PENDING_DELIVERIES);

/** Finds the webhooks for each event and locks their rows, which keeps lanes in order. */
async function matchesOf(tx: EntityManager, { tenantId, events }: OutboxBatch): Promise<Match[]> {
  const rows = await tx.query<{ webhook_id: string; n: string }[]>(
    `with hooks as (
        select id, tenant_id, events, environment_ids, owner_id from webhooks
          where tenant_id = $1 and enabled order by id for no key update)
      select w.id as webhook_id, x.n
        from (select $1::uuid as tenant_id, * from unnest($2::text[], $3::uuid[], $4::uuid[])
            with ordinality as x (type, environment_id, owner_id, n)) x
        join hooks w on x.type = any (w.events)
          and (w.environment_ids is null or x.environment_id = any (w.environment_ids))
        join ${ACTIVE_MEMBERS} u on u.tenant_id = w.tenant_id and u.id = w.owner_id
        where u.role <> 'viewer' and case
          when x.environment_id is null then u.role = 'admin' or coalesce(x.owner_id = w.owner_id, false)
          else ${isInVisibleEnvironment('x', { role: 'u.role', user: 'u.id', limits: 'null' })} end
        order by x.n`,
    [
      tenantId,
      events.map(({ type }) => type),
      events.map(({ environmentId }) => environmentId),
      events.map(({ data }) => (typeof data.ownerId === 'string' ? data.ownerId : null)),
    ],
  );
  return rows.flatMap(({ webhook_id: webhookId, n }) => {
    const event = events[Number(n) - 1];
    return event ? [{ webhookId, lane: event.executionId ?? event.id, event }] : [];
  });
}

/** Removes matches beyond the limit of pending deliveries, and counts them as dropped. */
async function withinBounds(tx: EntityManager, tenantId: string, matches: Match[], limit: number): Promise<Match[]> {
  const ids = [...new Set(matches.map(({ webhookId }) => webhookId))];
  const rows = await tx.query<{ id: string; count: string }[]>(
    `select x.id, (select count(*) from (select from webhook_deliveries d
          where d.webhook_id = x.id and d.state = 'pending' limit $2) p) as count
      from unnest($1::uuid[]) x (id)`,
    [ids, limit],
  );
  const capacity = new Map(rows.map(({ id, count }) => [id, limit - Number(count)]));
  const dropped = new Map<string, number>();
  const acceptedMatches = matches.filter(({ webhookId }) => {
    const left = capacity.get(webhookId) ?? 0;
    capacity.set(webhookId, left - 1);
    if (left <= 0) dropped.set(webhookId, (dropped.get(webhookId) ?? 0) + 1);
    return left > 0;
  });
  if (dropped.size > 0)
    await tx.query(
      `update webhooks w set dropped = w.dropped + x.count, dropped_at = now()
        from unnest($2::uuid[], $3::bigint[]) x (id, count) where w.tenant_id = $1 and w.id = x.id`,
      [tenantId, [...dropped.keys()], [...dropped.values()]],
    );
  return acceptedMatches;
}

async function insertMessages(tx: EntityManager, tenantId: string, events: readonly OutboxEvent[]): Promise<void> {
  await tx.query(
    `insert into webhook_messages (id, tenant_id, type, environment_id, execution_id, body, at)
      select id, $1, type, environment_id, execution_id, body, at
        from unnest($2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::text[], $7::timestamptz[])
          as x (id, type, environment_id, execution_id, body, at)`,
    [
      tenantId,
      events.map(({ id }) => id),
      events.map(({ type }) => type),
      events.map(({ environmentId }) => environmentId),
      events.map(({ executionId }) => executionId),
      events.map(({ type, at, data }) => bodyOf(type, at, data)),
      events.map(({ at }) => at),
    ],
  );
}

async function insertDeliveries(tx: EntityManager, tenantId: string, matches: readonly Match[]): Promise<void> {
  await tx.query(
    `insert into webhook_deliveries (id, tenant_id, webhook_id, message_id, environment_id, lane, position, state)
      select id, $1, webhook_id, message_id, environment_id, lane, position, 'pending'
        from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::bigint[])
          as x (id, webhook_id, message_id, environment_id, lane, position)`,
    [
      tenantId,
      matches.map(() => newId()),
      matches.map(({ webhookId }) => webhookId),
      matches.map(({ event }) => event.id),
      matches.map(({ event }) => event.environmentId),
      matches.map(({ lane }) => lane),
      matches.map(({ event }) => event.position),
    ],
  );
}
