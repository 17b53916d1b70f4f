import type { EntityManager } from 'typeorm';
import { isInVisibleEnvironment } from '../../environments/visible-environment.js';
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
  const [rows] = await tx.query<[Omit<ClaimedWebhook, 'due'>[], number]>(
    `update webhooks w set sender = $3, sender_until = now() + interval '${LEASE_SECONDS} seconds'
      where w.tenant_id = $1 and w.id = $2 and w.enabled and (w.sender is null or w.sender = $3 or w.sender_until < now())
        and (w.not_before is null or w.not_before <= coalesce($4::timestamptz, now()))
      returning w.url, ${sealedSecretsOf('w')}`,
    [tenantId, webhookId, sender, now],
  );
  const [webhook] = rows;
  if (!webhook) return null;
  const due = await tx.query<DueDelivery[]>(
    `select d.id, d.lane, d.message_id, m.body, d.attempts, d.tries,
        (extract(epoch from coalesce($3::timestamptz, now()) - d.tries_since) * 1000)::float8 as tried_for_ms, coalesce(u.role <> 'viewer' and
        (d.environment_id is null or ${isInVisibleEnvironment('d', { role: 'u.role', user: 'u.id', limits: 'null' })}), false) as visible
      from webhook_deliveries d
      join webhook_messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
      join webhooks w on w.tenant_id = d.tenant_id and w.id = d.webhook_id
      left join ${ACTIVE_MEMBERS} u on u.tenant_id = w.tenant_id and u.id = w.owner_id
      where d.tenant_id = $1 and d.webhook_id = $2 and d.next_attempt_at <= coalesce($3::timestamptz, now())
        and d.lane <> all ($4::uuid[])
      order by d.next_attempt_at, d.position limit $5`,
    [tenantId, webhookId, now, busy, limit],
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
  const [rows] = await tx.query<[{ ms: string | null }[], number]>(
    `update webhooks w set sender = null, sender_until = null where w.tenant_id = $1 and w.id = $2 and w.sender = $3
      returning extract(epoch from greatest(w.not_before, (select min(d.next_attempt_at) from webhook_deliveries d
        where d.tenant_id = $1 and d.webhook_id = $2 and d.next_attempt_at is not null))
          - coalesce($4::timestamptz, now())) * 1000 as ms`,
    [tenantId, webhookId, sender, now],
  );
  const ms = rows[0]?.ms ?? null;
  return ms === null ? null : Math.max(0, Math.ceil(Number(ms)));
}
