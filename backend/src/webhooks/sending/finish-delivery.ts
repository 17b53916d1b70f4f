import type { EntityManager } from 'typeorm';
import { openLanes } from '../records/delivery-lanes.js';
import type { Attempt } from './attempt.js';
import { delayAfter, TRIED_FOR_MS } from './backoff.js';
import type { DueDelivery, WebhookRef } from './claim-deliveries.js';

const FAILING_DAYS = 7;
export const ATTEMPTS_KEPT = 50;

export interface Outcome {
  state: 'pending' | 'delivered' | 'dead';
  /** Delay before the next attempt, in ms; null = no further attempt. */
  delayMs: number | null;
}

/** @param random from 0 to 1 */
export function outcomeOf(
  { tries, tried_for_ms }: Pick<DueDelivery, 'tries' | 'tried_for_ms'>,
  { fault, retryAfterMs, durationMs }: Attempt,
  random: number,
): Outcome {
  if (!fault) return { state: 'delivered', delayMs: null };
  const isOver = tried_for_ms + durationMs >= TRIED_FOR_MS;
  if (isOver || fault.code === 'gone') return { state: 'dead', delayMs: null };
  return { state: 'pending', delayMs: delayAfter(tries + 1, retryAfterMs, random) };
}

const NOW = (placeholder: string) => `coalesce(${placeholder}::timestamptz, now())`;

/**
 * Stores the result of an attempt. Does nothing if the delivery has changed since it was claimed.
 * @param now null = now by the database's clock
 * @returns reason to disable the webhook; null = none
 */
export async function finishAttempt(
  tx: EntityManager,
  ref: WebhookRef,
  delivery: DueDelivery,
  attempt: Attempt,
  { state, delayMs }: Outcome,
  now: Date | null,
): Promise<'gone' | 'failing' | null> {
  const { tenantId, webhookId } = ref;
  await tx.query('select from webhooks where tenant_id = $1 and id = $2 for no key update', [tenantId, webhookId]);
  const { fault, durationMs, status } = attempt;
  const [, stored] = await tx.query<[unknown[], number]>(
    `with ended as (
        update webhook_deliveries set attempts = attempts + 1, tries = tries + 1, attempted_at = ${CALL_TIME_SQL}, duration_ms = $5, status = $6,
            code = $7, message = $8, state = $9, next_attempt_at = ${NOW('$4')} + $10::float8 * interval '1 millisecond',
            finished_at = case when $9 <> 'pending' then ${NOW('$4')} end
          where tenant_id = $1 and id = $2 and state = 'pending' and attempts = $3
          returning attempts),
      forgotten as (
        delete from webhook_attempts a using ended where a.delivery_id = $2 and a.number <= ended.attempts - ${ATTEMPTS_KEPT})
      insert into webhook_attempts (tenant_id, delivery_id, number, at, duration_ms, status, code, message, answer, truncated)
        select $1, $2, ended.attempts, ${CALL_TIME_SQL}, $5, $6, $7, $8, $11, $12 from ended returning 1`,
    [
      ...[tenantId, delivery.id, delivery.attempts, now, durationMs, status],
      ...[fault?.code ?? null, fault?.message ?? null, state, delayMs, attempt.answer, attempt.truncated],
    ],
  );
  if (stored === 0) return null;
  if (state !== 'pending') await openLanes(tx, tenantId, [{ webhookId, lane: delivery.lane }], now);
  return updateHealth(tx, ref, attempt, now);
}

/** SQL expression: time at which the finished call began. */
const CALL_TIME_SQL = `${NOW('$4')} - $5::int * interval '1 millisecond'`;

export async function endDelivery(
  tx: EntityManager,
  { tenantId, webhookId }: WebhookRef,
  { id, lane }: DueDelivery,
  { code, message }: { code: string; message: string },
  now: Date | null,
): Promise<void> {
  await tx.query('select from webhooks where tenant_id = $1 and id = $2 for no key update', [tenantId, webhookId]);
  await tx.query(
    `update webhook_deliveries set state = 'dead', next_attempt_at = null, finished_at = ${NOW('$3')}, status = null, code = $4, message = $5
      where tenant_id = $1 and id = $2 and state = 'pending'`,
    [tenantId, id, now, code, message],
  );
  await openLanes(tx, tenantId, [{ webhookId, lane }], now);
}

/** Updates the webhook's last success or failure. @returns reason to disable the webhook; null = none */
async function updateHealth(
  tx: EntityManager,
  { tenantId, webhookId }: WebhookRef,
  { fault, status, retryAfterMs }: Attempt,
  now: Date | null,
): Promise<'gone' | 'failing' | null> {
  if (!fault) {
    await tx.query(
      `update webhooks set delivered_at = ${NOW('$3')}, failing_since = null, not_before = null where tenant_id = $1 and id = $2`,
      [tenantId, webhookId, now],
    );
    return null;
  }
  const pauseMs = retryAfterMs === null ? null : delayAfter(1, retryAfterMs, 0.5);
  const [rows] = await tx.query<[{ failing: boolean }[], number]>(
    `update webhooks set failing_since = coalesce(failing_since, ${NOW('$3')}), failed_at = ${NOW('$3')}, failed_status = $4,
        failed_code = $5, failed_message = $6,
        not_before = coalesce(${NOW('$3')} + $7::float8 * interval '1 millisecond', not_before)
      where tenant_id = $1 and id = $2
      returning ${NOW('$3')} - failing_since >= interval '${FAILING_DAYS} days' as failing`,
    [tenantId, webhookId, now, status, fault.code, fault.message, pauseMs],
  );
  if (fault.code === 'gone') return 'gone';
  return rows[0]?.failing ? 'failing' : null;
}
