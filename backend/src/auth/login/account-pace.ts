import type { EntityManager } from 'typeorm';
import { type Counter, countFailure, LONGEST_SECONDS, NOW, remaining, type Rule, waitOf } from './failure-counters.js';

/** From so many failures of unknown callers on, guesses at one account are let through one by one. */
const PACED_FROM = 20;
/** One of them is forgotten after so many seconds without a new one. */
const FORGET_SECONDS = 60;
/** Time between two guesses, in seconds. */
const SPACING_SECONDS = 1;
/** How long a slot is kept for its network once its time has come, in seconds. */
const SLOT_KEPT_SECONDS = 600;

/**
 * Lets guesses of unknown callers at one account through one a second in all. A network that has to wait gets a slot of
 * its own in the order of asking, so that a new device of the owner gets its turn however often others ask. It comes
 * within fifteen minutes at the latest: if more networks ask than there are seconds until then, the last ones share
 * theirs, and each network still has one slot in fifteen minutes.
 * @param pair counter of the account and the network together, which keeps the slot; it is counted too
 * @returns the seconds to wait; null when the guess is let through now, and counted
 */
export async function guessInTurn(
  tx: EntityManager,
  account: Buffer,
  pair: Counter,
  rule: Rule,
): Promise<number | null> {
  // Locks the account's row: from here on guesses at it are judged one by one.
  const [row] = await tx.query<{ failures: number }[]>(
    `insert into login_throttle as t (key, failures, last_failure_at, blocked_until) values ($1, 0, ${NOW}, ${NOW})
      on conflict (key) do update set failures = ${remaining('$2::int')},
        last_failure_at = case when ${remaining('$2::int')} = t.failures then t.last_failure_at else ${NOW} end
      returning failures`,
    [account, FORGET_SECONDS],
  );
  // Whoever is delayed by now takes no slot.
  const delayed = await waitOf(tx, [pair.key]);
  if (delayed !== null) return delayed;
  const paced = (row?.failures ?? 0) >= PACED_FROM;
  const wait = (paced ? await waitForSlot(tx, account, pair) : null) ?? (await countFailure(tx, pair, rule));
  if (wait !== null) return wait;
  await tx.query(`update login_throttle set failures = failures + 1, last_failure_at = ${NOW} where key = $1`, [
    account,
  ]);
  return null;
}

async function waitForSlot(tx: EntityManager, account: Buffer, { key, owner }: Counter): Promise<number | null> {
  const kept = await tx.query<unknown[]>(
    `select 1 from login_throttle where key = $1 and slot_at > ${NOW} - make_interval(secs => $2)`,
    [key, SLOT_KEPT_SECONDS],
  );
  // One whose time has not come yet delays the network, so that it does not get here.
  if (kept.length > 0) return null;
  const [[slot]] = await tx.query<[{ wait: number }[], number]>(
    `update login_throttle set blocked_until = greatest(${NOW},
        least(blocked_until + make_interval(secs => $2), ${NOW} + make_interval(secs => $3)))
      where key = $1 returning extract(epoch from blocked_until - ${NOW})::float as wait`,
    [account, SPACING_SECONDS, LONGEST_SECONDS],
  );
  if (!slot || slot.wait <= 0) return null;
  await tx.query(
    `insert into login_throttle as t (key, owner, failures, last_failure_at, blocked_until, slot_at)
      select $1, $2, 0, ${NOW}, blocked_until, blocked_until from login_throttle where key = $3
      on conflict (key) do update set blocked_until = excluded.blocked_until, slot_at = excluded.slot_at`,
    [key, owner, account],
  );
  return Math.ceil(slot.wait);
}

/** Takes a guess back that was none. */
export async function takeBackGuess(tx: EntityManager, account: Buffer): Promise<void> {
  await tx.query('update login_throttle set failures = greatest(0, failures - 1) where key = $1', [account]);
}
