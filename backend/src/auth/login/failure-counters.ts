import type { EntityManager } from 'typeorm';

/** How failures of one kind of key turn into a delay. */
export interface Rule {
  /** From this many failures on there is a delay: 1 s, doubled with each further failure. */
  failures: number;
  /** One failure is forgotten after so many seconds without a new one. */
  forgetSeconds: number;
}

/** What failures are counted under, and whose counter it is, so that all of an owner's can be forgotten at once. */
export interface Counter {
  key: Buffer;
  owner: Buffer | null;
}

/** The longest delay, in seconds; never a lock-out, which would let anybody shut anybody out. */
export const LONGEST_SECONDS = 900;
/** A row that was not touched for so many days says nothing any more. */
const KEPT_DAYS = 2;

/**
 * The time at this moment, not at the transaction's beginning: of attempts at once, one that began earlier may come
 * later, and would take what the one before it noted for a time that has not come yet.
 */
export const NOW = 'clock_timestamp()';

/** Failures that were not forgotten yet, one in `forgetSeconds` (an SQL expression). */
export const remaining = (forgetSeconds: string): string =>
  `greatest(0, t.failures - floor(extract(epoch from ${NOW} - t.last_failure_at) / ${forgetSeconds})::int)`;

/** What was not forgotten yet, and the one that is counted now. */
const FAILURES = `(${remaining('$4::int')} + 1)`;

/** Seconds until all of the keys let the next attempt through; null when they do so now. */
export async function waitOf(tx: EntityManager, keys: readonly Buffer[]): Promise<number | null> {
  const [row] = await tx.query<{ wait: number | null }[]>(
    `select greatest(1, ceil(extract(epoch from max(blocked_until) - ${NOW})))::int as wait from login_throttle
      where key = any($1) and blocked_until > ${NOW} having count(*) > 0`,
    [keys],
  );
  return row?.wait ?? null;
}

/** Counts one failure unless the key is delayed. @returns the seconds to wait when it is, else null */
export async function countFailure(
  tx: EntityManager,
  { key, owner }: Counter,
  { failures, forgetSeconds }: Rule,
): Promise<number | null> {
  // In one statement: of any number at once, each sees what the ones before it counted.
  const counted = await tx.query<unknown[]>(
    `insert into login_throttle as t (key, owner, failures, last_failure_at, blocked_until)
      values ($1, $2, 1, ${NOW}, ${NOW})
      on conflict (key) do update set
        failures = ${FAILURES},
        last_failure_at = ${NOW},
        slot_at = null,
        blocked_until = ${NOW} + case when ${FAILURES} < $3::int then interval '0'
          else make_interval(secs => least($5::int, power(2, least(${FAILURES} - $3::int, 30)))) end
      where t.blocked_until <= ${NOW}
      returning 1`,
    [key, owner, failures, forgetSeconds, LONGEST_SECONDS],
  );
  return counted.length > 0 ? null : ((await waitOf(tx, [key])) ?? 1);
}

/** Takes one failure back that turned out to be none, and the delay with it. */
export async function takeBack(tx: EntityManager, keys: readonly Buffer[]): Promise<void> {
  await tx.query(
    `update login_throttle set failures = greatest(0, failures - 1), blocked_until = ${NOW} where key = any($1)`,
    [keys],
  );
}

export async function forgetCounter(tx: EntityManager, key: Buffer): Promise<void> {
  await tx.query('delete from login_throttle where key = $1', [key]);
}

/** Removes some of the rows that nobody touched for long. */
export async function sweepCounters(tx: EntityManager): Promise<void> {
  await tx.query(
    `delete from login_throttle where key in (select key from login_throttle
      where last_failure_at < now() - make_interval(days => $1) limit 100 for update skip locked)`,
    [KEPT_DAYS],
  );
}
