import type { EntityManager } from 'typeorm';
import { affected, row, sql, type Sql } from '../../common/database/sql.js';
import { openLanes } from '../records/delivery-lanes.js';
import type { Attempt } from './attempt.js';
import { computeRetryDelayMs, MAX_TRYING_MS } from './backoff.js';
import type { DueDelivery, WebhookRef } from './claim-deliveries.js';

const FAILING_DAYS = 7;
export const ATTEMPTS_KEPT = 50;

export interface Outcome {
  state: 'pending' | 'delivered' | 'dead';
  /** Delay before the next attempt, in ms; null = no further attempt. */
  delayMs: number | null;
}

/** @param random from 0 to 1 */
export function toOutcome(
  { tries, tried_for_ms }: Pick<DueDelivery, 'tries' | 'tried_for_ms'>,
  { fault, retryAfterMs, durationMs }: Attempt,
  random: number,
): Outcome {
  if (!fault) return { state: 'delivered', delayMs: null };
  const isOver = tried_for_ms + durationMs >= MAX_TRYING_MS;
  if (isOver || fault.code === 'gone') return { state: 'dead', delayMs: null };
  return { state: 'pending', delayMs: computeRetryDelayMs(tries + 1, retryAfterMs, random) };
}

/** @param now null = now by the database's clock */
const currentTimeSql = (now: Date | null): Sql => sql`coalesce(${now}::timestamptz, now())`;

/** Keeps deliveries of the webhook in order. */
const lockWebhook = (tx: EntityManager, { tenantId, webhookId }: WebhookRef): Promise<unknown> =>
  row(tx, sql`select from webhooks where tenant_id = ${tenantId} and id = ${webhookId} for no key update`);

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
  await lockWebhook(tx, ref);
  const { fault, durationMs, status } = attempt;
  const calledAt = sql`${currentTimeSql(now)} - ${durationMs}::int * interval '1 millisecond'`;
  const code = fault?.code ?? null;
  const message = fault?.message ?? null;
  const stored = await affected(
    tx,
    sql`with ended as (
        update webhook_deliveries set attempts = attempts + 1, tries = tries + 1, attempted_at = ${calledAt},
            duration_ms = ${durationMs}, status = ${status}, code = ${code}, message = ${message}, state = ${state},
            next_attempt_at = ${currentTimeSql(now)} + ${delayMs}::float8 * interval '1 millisecond',
            finished_at = case when ${state}::text <> 'pending' then ${currentTimeSql(now)} end
          where tenant_id = ${tenantId} and id = ${delivery.id} and state = 'pending' and attempts = ${delivery.attempts}
          returning attempts),
      forgotten as (
        delete from webhook_attempts a using ended
          where a.delivery_id = ${delivery.id} and a.number <= ended.attempts - ${ATTEMPTS_KEPT}::int)
      insert into webhook_attempts (tenant_id, delivery_id, number, at, duration_ms, status, code, message, answer, truncated)
        select ${tenantId}::uuid, ${delivery.id}::uuid, ended.attempts, ${calledAt}, ${durationMs}::int, ${status}::int,
            ${code}::text, ${message}::text, ${attempt.answer}::text, ${attempt.truncated}::boolean
          from ended`,
  );
  if (stored === 0) return null;
  if (state !== 'pending') await openLanes(tx, tenantId, [{ webhookId, lane: delivery.lane }], now);
  return updateHealth(tx, ref, attempt, now);
}

export async function endDelivery(
  tx: EntityManager,
  ref: WebhookRef,
  { id, lane }: DueDelivery,
  { code, message }: { code: string; message: string },
  now: Date | null,
): Promise<void> {
  const { tenantId, webhookId } = ref;
  await lockWebhook(tx, ref);
  await affected(
    tx,
    sql`update webhook_deliveries set state = 'dead', next_attempt_at = null, finished_at = ${currentTimeSql(now)}, status = null,
        code = ${code}, message = ${message}
      where tenant_id = ${tenantId} and id = ${id} and state = 'pending'`,
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
    await affected(
      tx,
      sql`update webhooks set delivered_at = ${currentTimeSql(now)}, failing_since = null, not_before = null
        where tenant_id = ${tenantId} and id = ${webhookId}`,
    );
    return null;
  }
  const pauseMs = retryAfterMs === null ? null : computeRetryDelayMs(1, retryAfterMs, 0.5);
  const health = await row(
    tx,
    sql<{ failing: boolean }>`update webhooks set failing_since = coalesce(failing_since, ${currentTimeSql(now)}),
        failed_at = ${currentTimeSql(now)}, failed_status = ${status}, failed_code = ${fault.code}, failed_message = ${fault.message},
        not_before = coalesce(${currentTimeSql(now)} + ${pauseMs}::float8 * interval '1 millisecond', not_before)
      where tenant_id = ${tenantId} and id = ${webhookId}
      returning ${currentTimeSql(now)} - failing_since >= make_interval(days => ${FAILING_DAYS}) as failing`,
  );
  if (fault.code === 'gone') return 'gone';
  return health?.failing ? 'failing' : null;
}
