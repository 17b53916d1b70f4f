import type { EntityManager } from 'typeorm';
import { affected, row, sql } from '../../common/database/sql.js';
import {
  type FailureCounter,
  countFailure,
  MAX_DELAY_SECONDS,
  CLOCK_TIMESTAMP_SQL,
  remainingFailuresSql,
  type FailureRule,
  readRemainingDelay,
} from './failure-counters.js';

/** Number of failures of unknown callers at which guesses at one account are paced. */
const PACING_THRESHOLD_FAILURES = 20;
const FORGET_FAILURE_SECONDS = 60;
const ATTEMPT_SPACING_SECONDS = 1;
/** Time after its start for which a slot stays reserved for its network, in seconds. */
const SLOT_LIFETIME_SECONDS = 600;

/**
 * Limits guesses of unknown callers at one account to one a second in total. A network that must wait gets a reserved
 * slot, in order of arrival. So the owner gets a turn on a new device despite other callers. Each slot begins within 15
 * minutes. If too many networks wait, the last ones share a slot, but no network has more than one slot in 15 minutes.
 * @param pair counter of account and network. Stores the slot and also counts the guess.
 * @returns seconds to wait; null: allowed now and counted
 */
export async function admitSignInAttempt(
  tx: EntityManager,
  account: Buffer,
  pair: FailureCounter,
  rule: FailureRule,
): Promise<number | null> {
  // Locks the row of the account, so that concurrent guesses are processed one at a time.
  const guesses = await row(
    tx,
    sql<{ failures: number }>`
      insert into login_throttle as t (key, failures, last_failure_at, blocked_until) values (${account}, 0, ${CLOCK_TIMESTAMP_SQL}, ${CLOCK_TIMESTAMP_SQL})
        on conflict (key) do update set failures = ${remainingFailuresSql(FORGET_FAILURE_SECONDS)},
          last_failure_at = case when ${remainingFailuresSql(FORGET_FAILURE_SECONDS)} = t.failures then t.last_failure_at else ${CLOCK_TIMESTAMP_SQL} end
        returning failures`,
  );
  // A caller that already has to wait gets no slot.
  const delayed = await readRemainingDelay(tx, [pair.key]);
  if (delayed !== null) return delayed;
  const isPaced = (guesses?.failures ?? 0) >= PACING_THRESHOLD_FAILURES;
  const wait = (isPaced ? await reserveAttemptSlot(tx, account, pair) : null) ?? (await countFailure(tx, pair, rule));
  if (wait !== null) return wait;
  await affected(
    tx,
    sql`update login_throttle set failures = failures + 1, last_failure_at = ${CLOCK_TIMESTAMP_SQL} where key = ${account}`,
  );
  return null;
}

async function reserveAttemptSlot(
  tx: EntityManager,
  account: Buffer,
  { key, owner }: FailureCounter,
): Promise<number | null> {
  const keptSlot = await row(
    tx,
    sql`select 1 from login_throttle
      where key = ${key} and slot_at > ${CLOCK_TIMESTAMP_SQL} - make_interval(secs => ${SLOT_LIFETIME_SECONDS})`,
  );
  // The slot has begun: before its start, the network is delayed and does not reach this line.
  if (keptSlot) return null;
  const slot = await row(
    tx,
    sql<{ wait: number }>`update login_throttle set blocked_until = greatest(${CLOCK_TIMESTAMP_SQL},
        least(blocked_until + make_interval(secs => ${ATTEMPT_SPACING_SECONDS}), ${CLOCK_TIMESTAMP_SQL} + make_interval(secs => ${MAX_DELAY_SECONDS})))
      where key = ${account} returning extract(epoch from blocked_until - ${CLOCK_TIMESTAMP_SQL})::float as wait`,
  );
  if (!slot || slot.wait <= 0) return null;
  await affected(
    tx,
    sql`insert into login_throttle as t (key, owner, failures, last_failure_at, blocked_until, slot_at)
      select ${key}, ${owner}, 0, ${CLOCK_TIMESTAMP_SQL}, blocked_until, blocked_until from login_throttle where key = ${account}
      on conflict (key) do update set blocked_until = excluded.blocked_until, slot_at = excluded.slot_at`,
  );
  return Math.ceil(slot.wait);
}

export async function refundAttempt(tx: EntityManager, account: Buffer): Promise<void> {
  await affected(tx, sql`update login_throttle set failures = greatest(0, failures - 1) where key = ${account}`);
}
