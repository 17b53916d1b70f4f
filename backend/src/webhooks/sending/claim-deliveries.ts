import type { EntityManager } from 'typeorm';
import { row, rows, sql } from '../../common/database/sql.js';
import { isInEnvironmentVisibleToMemberSql } from '../../environments/environments.sql.js';
import { ACTIVE_MEMBERS } from '../../tenancy/directory/members.sql.js';
import { type SealedSecrets, sealedSecretsOf } from '../records/webhook-vault.js';

/**
 * Time after which another worker may take over the webhook of a worker that died, in seconds. Longer than a call and
 * storing its result.
 */
const LEASE_SECONDS = 30;

export interface WebhookRef {
  tenantId: string;
  webhookId: string;
}

export interface DueDelivery {
  id: string;
  lane: string;
  message_id: string;
  body: string;
  attempts: number;
  /** Number of failed attempts since the delivery was created or replayed, and the time since then, in ms. */
  tries: number;
  tried_for_ms: number;
  visible: boolean;
}

export interface ClaimedWebhook extends SealedSecrets {
  url: string;
  due: DueDelivery[];
}

/**
 * Leases a webhook or renews the lease, and reads the due deliveries.
 * @param now null = now by the database's clock
 * @returns null = leased by another worker, deleted, disabled, or paused by `Retry-After`
 */
export async function claimDeliveries(
  tx: EntityManager,
  { tenantId, webhookId }: WebhookRef,
  { sender, busy, max: limit, now }: { sender: string; busy: readonly string[]; max: number; now: Date | null },
): Promise<ClaimedWebhook | null> {
  const webhook = await row(
    tx,
    sql<Omit<ClaimedWebhook, 'due'>>`
      update webhooks w set sender = ${sender}, sender_until = now() + make_interval(secs => ${LEASE_SECONDS})
        where w.tenant_id = ${tenantId} and w.id = ${webhookId} and w.enabled
          and (w.sender is null or w.sender = ${sender} or w.sender_until < now())
          and (w.not_before is null or w.not_before <= coalesce(${now}::timestamptz, now()))
        returning w.url, ${sealedSecretsOf(sql.raw('w'))}`,
  );
  if (!webhook) return null;
  const due = await rows(
    tx,
    sql<DueDelivery>`select d.id, d.lane, d.message_id, m.body, d.attempts, d.tries,
        (extract(epoch from coalesce(${now}::timestamptz, now()) - d.tries_since) * 1000)::float8 as tried_for_ms,
        coalesce(u.role <> 'viewer' and (d.environment_id is null
          or ${isInEnvironmentVisibleToMemberSql(sql.raw('d'), sql.raw('u'))}), false) as visible
      from webhook_deliveries d
      join webhook_messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
      join webhooks w on w.tenant_id = d.tenant_id and w.id = d.webhook_id
      left join ${ACTIVE_MEMBERS} u on u.tenant_id = w.tenant_id and u.id = w.owner_id
      where d.tenant_id = ${tenantId} and d.webhook_id = ${webhookId} and d.next_attempt_at <= coalesce(${now}::timestamptz, now())
        and d.lane <> all (${busy}::uuid[])
      order by d.next_attempt_at, d.position limit ${limit}`,
  );
  return { ...webhook, due };
}

/**
 * Ends the lease of a webhook.
 * @returns ms until its next delivery is due; null = no delivery is scheduled
 */
export async function releaseWebhook(
  tx: EntityManager,
  { tenantId, webhookId }: WebhookRef,
  sender: string,
  now: Date | null,
): Promise<number | null> {
  const released = await row(
    tx,
    sql<{ ms: number | null }>`
      update webhooks w set sender = null, sender_until = null
        where w.tenant_id = ${tenantId} and w.id = ${webhookId} and w.sender = ${sender}
        returning (extract(epoch from greatest(w.not_before, (select min(d.next_attempt_at) from webhook_deliveries d
          where d.tenant_id = ${tenantId} and d.webhook_id = ${webhookId} and d.next_attempt_at is not null))
            - coalesce(${now}::timestamptz, now())) * 1000)::float8 as ms`,
  );
  const ms = released?.ms ?? null;
  return ms === null ? null : Math.max(0, Math.ceil(ms));
}
