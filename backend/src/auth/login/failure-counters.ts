import type { EntityManager } from 'typeorm';
import { affected, row, sql, type Sql } from '../../common/database/sql.js';

export interface FailureRule {
  /** Number of failures at which a delay of 1 s begins. Each further failure doubles the delay. */
  failures: number;
  /** Time without a new failure after which one failure is forgotten, in seconds. */
  forgetSeconds: number;
}

/** Failure counter. `owner` allows deleting all counters of an owner at once. */
export interface FailureCounter {
  key: Buffer;
  owner: Buffer | null;
}

/** Longest delay, in seconds. There is no lockout, because an attacker could lock out any member. */
export const MAX_DELAY_SECONDS = 900;
const RETENTION_DAYS = 2;

/**
 * Current time, not the start of the transaction. Otherwise a concurrent attempt that began earlier could read later
 * entries as being in the future.
 */
export const CLOCK_TIMESTAMP_SQL = sql`clock_timestamp()`;

/** Expression for the number of failures that are not forgotten yet. One failure is forgotten per interval. */
export const remainingFailuresSql = (forgetSeconds: number): Sql =>
  sql`greatest(0, t.failures - floor(extract(epoch from ${CLOCK_TIMESTAMP_SQL} - t.last_failure_at) / ${forgetSeconds}::int)::int)`;

/** Returns the seconds until all keys allow the next attempt; null: allowed now. */
export async function readRemainingDelay(tx: EntityManager, keys: readonly Buffer[]): Promise<number | null> {
  const delay = await row(
    tx,
    sql<{ wait: number }>`
      select greatest(1, ceil(extract(epoch from max(blocked_until) - ${CLOCK_TIMESTAMP_SQL})))::int as wait from login_throttle
        where key = any (${keys}) and blocked_until > ${CLOCK_TIMESTAMP_SQL} having count(*) > 0`,
  );
  return delay?.wait ?? null;
}

/** Counts one failure unless the key is delayed. @returns seconds to wait; null: counted */
export async function countFailure(
  tx: EntityManager,
  { key, owner }: FailureCounter,
  { failures, forgetSeconds }: FailureRule,
): Promise<number | null> {
  // In one statement, so that each concurrent attempt sees the previous counts.
  const failureCount = sql`(${remainingFailuresSql(forgetSeconds)} + 1)`;
  const counted = await affected(
    tx,
    sql`insert into login_throttle as t (key, owner, failures, last_failure_at, blocked_until)
      values (${key}, ${owner}, 1, ${CLOCK_TIMESTAMP_SQL}, ${CLOCK_TIMESTAMP_SQL})
      on conflict (key) do update set
        failures = ${failureCount},
        last_failure_at = ${CLOCK_TIMESTAMP_SQL},
        slot_at = null,
        blocked_until = ${CLOCK_TIMESTAMP_SQL} + case when ${failureCount} < ${failures}::int then interval '0'
          else make_interval(secs => least(${MAX_DELAY_SECONDS}::int, power(2, least(${failureCount} - ${failures}::int, 30)))) end
      where t.blocked_until <= ${CLOCK_TIMESTAMP_SQL}`,
  );
  return counted > 0 ? null : ((await readRemainingDelay(tx, [key])) ?? 1);
}

/** Subtracts one failure, because the attempt did not fail, and ends the delay. */
export async function undoCountedFailure(tx: EntityManager, keys: readonly Buffer[]): Promise<void> {
  await affected(
    tx,
    sql`update login_throttle set failures = greatest(0, failures - 1), blocked_until = ${CLOCK_TIMESTAMP_SQL} where key = any (${keys})`,
  );
}

export async function forgetCounter(tx: EntityManager, key: Buffer): Promise<void> {
  await affected(tx, sql`delete from login_throttle where key = ${key}`);
}

export async function deleteOldCounters(tx: EntityManager): Promise<void> {
  await affected(
    tx,
    sql`delete from login_throttle where key in (select key from login_throttle
      where last_failure_at < now() - make_interval(days => ${RETENTION_DAYS}) limit 100 for update skip locked)`,
  );
}
