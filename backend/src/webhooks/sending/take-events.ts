import type { EntityManager } from 'typeorm';
import { affected, rows, sql } from '../../common/database/sql.js';
import { newId } from '../../common/ids.js';
import { isInEnvironmentVisibleToMemberSql } from '../../environments/environments.sql.js';
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
export const createMessageBody = (type: string, at: Date, data: object): string =>
  JSON.stringify({ type, timestamp: at.toISOString(), data });

/**
 * Stores one message per event, and one delivery for each subscribed webhook whose owner may see the event.
 * @param limit maximum number of pending deliveries per webhook
 */
export const deliveriesUpTo = (limit: number): OutboxConsumer => ({
  name: CONSUMER,
  take: async (tx, batch) => {
    const matches = await limitPendingDeliveries(tx, batch.tenantId, await findMatches(tx, batch), limit);
    if (matches.length === 0) return;
    await insertMessages(tx, batch.tenantId, [...new Set(matches.map(({ event }) => event))]);
    await insertDeliveries(tx, batch.tenantId, matches);
    await openLanes(tx, batch.tenantId, matches, null);
    await notifySenders(tx, batch.tenantId, [...new Set(matches.map(({ webhookId }) => webhookId))]);
  },
});

export const webhookDeliveries = deliveriesUpTo(MAX_PENDING_DELIVERIES);

/** Owner of the record of an event; `ownerId` is in events of earlier versions. */
function findOwnerId(data: object): string | null {
  const { owner, ownerId } = data as { owner?: { id: string } | null; ownerId?: string | null };
  return owner?.id ?? ownerId ?? null;
}

/** Finds the webhooks for each event and locks their rows, which keeps lanes in order. */
async function findMatches(tx: EntityManager, { tenantId, events }: OutboxBatch): Promise<Match[]> {
  const owners = events.map(({ data }) => findOwnerId(data));
  const found = await rows(
    tx,
    sql<{ webhook_id: string; n: number }>`with hooks as (
        select id, tenant_id, events, environment_ids, owner_id from webhooks
          where tenant_id = ${tenantId} and enabled order by id for no key update)
      select w.id as webhook_id, x.n::int
        from (select ${tenantId}::uuid as tenant_id, * from unnest(${events.map(({ type }) => type)}::text[],
              ${events.map(({ environmentId }) => environmentId)}::uuid[], ${owners}::uuid[])
            with ordinality as x (type, environment_id, owner_id, n)) x
        join hooks w on x.type = any (w.events)
          and (w.environment_ids is null or x.environment_id = any (w.environment_ids))
        join ${ACTIVE_MEMBERS} u on u.tenant_id = w.tenant_id and u.id = w.owner_id
        where u.role <> 'viewer' and case
          when x.environment_id is null then u.role = 'admin' or coalesce(x.owner_id = w.owner_id, false)
          else ${isInEnvironmentVisibleToMemberSql(sql.raw('x'), sql.raw('u'))} end
        order by x.n`,
  );
  return found.flatMap(({ webhook_id: webhookId, n }) => {
    const event = events[n - 1];
    return event ? [{ webhookId, lane: event.executionId ?? event.id, event }] : [];
  });
}

/** Removes matches beyond the limit of pending deliveries, and counts them as dropped. */
async function limitPendingDeliveries(
  tx: EntityManager,
  tenantId: string,
  matches: Match[],
  limit: number,
): Promise<Match[]> {
  const ids = [...new Set(matches.map(({ webhookId }) => webhookId))];
  const pending = await rows(
    tx,
    sql<{ id: string; count: number }>`
      select x.id, (select count(*)::int from (select from webhook_deliveries d
          where d.webhook_id = x.id and d.state = 'pending' limit ${limit}) p) as count
        from unnest(${ids}::uuid[]) x (id)`,
  );
  const capacity = new Map(pending.map(({ id, count }) => [id, limit - count]));
  const dropped = new Map<string, number>();
  const acceptedMatches = matches.filter(({ webhookId }) => {
    const left = capacity.get(webhookId) ?? 0;
    capacity.set(webhookId, left - 1);
    if (left <= 0) dropped.set(webhookId, (dropped.get(webhookId) ?? 0) + 1);
    return left > 0;
  });
  if (dropped.size > 0)
    await affected(
      tx,
      sql`update webhooks w set dropped = w.dropped + x.count, dropped_at = now()
        from unnest(${[...dropped.keys()]}::uuid[], ${[...dropped.values()]}::bigint[]) x (id, count)
        where w.tenant_id = ${tenantId} and w.id = x.id`,
    );
  return acceptedMatches;
}

async function insertMessages(tx: EntityManager, tenantId: string, events: readonly OutboxEvent[]): Promise<void> {
  const bodies = events.map(({ type, at, data }) => createMessageBody(type, at, data));
  await affected(
    tx,
    sql`insert into webhook_messages (id, tenant_id, type, environment_id, execution_id, body, at)
      select id, ${tenantId}::uuid, type, environment_id, execution_id, body, at
        from unnest(${events.map(({ id }) => id)}::uuid[], ${events.map(({ type }) => type)}::text[],
            ${events.map(({ environmentId }) => environmentId)}::uuid[],
            ${events.map(({ executionId }) => executionId)}::uuid[], ${bodies}::text[],
            ${events.map(({ at }) => at)}::timestamptz[])
          as x (id, type, environment_id, execution_id, body, at)`,
  );
}

async function insertDeliveries(tx: EntityManager, tenantId: string, matches: readonly Match[]): Promise<void> {
  await affected(
    tx,
    sql`insert into webhook_deliveries (id, tenant_id, webhook_id, message_id, environment_id, lane, position, state)
      select id, ${tenantId}::uuid, webhook_id, message_id, environment_id, lane, position, 'pending'
        from unnest(${matches.map(() => newId())}::uuid[], ${matches.map(({ webhookId }) => webhookId)}::uuid[],
            ${matches.map(({ event }) => event.id)}::uuid[], ${matches.map(({ event }) => event.environmentId)}::uuid[],
            ${matches.map(({ lane }) => lane)}::uuid[], ${matches.map(({ event }) => event.position)}::bigint[])
          as x (id, webhook_id, message_id, environment_id, lane, position)`,
  );
}
