import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { Problem } from '../common/errors/problem.js';
import { networkOf } from '../common/http/network-of.js';
import { accountKey } from '../tenancy/sign-in-state.js';

/** How failures of one kind of key turn into a delay. */
interface Rule {
  /** From this many failures on there is a delay: 1 s, doubled with each further failure. */
  failures: number;
  /** One failure is forgotten after so many seconds without a new one. */
  forgetSeconds: number;
}

const ACCOUNT: Rule = { failures: 5, forgetSeconds: 3600 };
/** Many people may share a network, and none of them can clear its name by signing in: it is more patient, and forgets. */
const NETWORK: Rule = { failures: 50, forgetSeconds: 60 };
/** The longest delay, in seconds; never a lock-out, which would let anybody shut anybody out. */
const LONGEST_SECONDS = 900;
/** A row that was not touched for so many days says nothing any more. */
const KEPT_DAYS = 2;

export interface SignIn {
  email: string;
  /** As it was typed; undefined when none was named. */
  tenant: string | undefined;
  address: string;
}

const networkKey = (address: string): Buffer =>
  createHash('sha256')
    .update(`network\n${networkOf(address)}`)
    .digest();

/**
 * Makes guessing passwords slow: a growing delay per account and per network, kept in the database by its own clock, so
 * that all processes share it and a restart forgets nothing (design: security.md, Identity).
 */
@Injectable()
export class LoginThrottle {
  constructor(private readonly units: UnitOfWork) {}

  /**
   * Asks for leave to check one password. It counts as failed from here on, until {@link succeed} says otherwise: else
   * guesses that are sent at once would all be let through before the first of them has failed.
   * @throws Problem 429 `too_many_attempts`, also for accounts that don't exist
   */
  async begin({ email, tenant, address }: SignIn): Promise<void> {
    const wait = await this.units.runWithoutTenant(
      async (tx) => (await waitOf(tx, networkKey(address))) ?? (await count(tx, accountKey(email, tenant), ACCOUNT)),
    );
    if (wait === null) return;
    throw new Problem('too_many_attempts', `Too many sign-ins failed here. Try again in ${wait} s.`, {
      headers: { 'Retry-After': String(wait) },
    });
  }

  /** The password was wrong. */
  async fail({ address }: SignIn): Promise<void> {
    await this.units.runWithoutTenant(async (tx) => {
      await count(tx, networkKey(address), NETWORK);
      await tx.query(
        `delete from login_throttle where key in (select key from login_throttle
          where last_failure_at < now() - make_interval(days => $1) limit 100 for update skip locked)`,
        [KEPT_DAYS],
      );
    });
  }

  /**
   * The password was right.
   * @param clears whether the account's earlier failures are forgotten. Not so when the address belongs to members of
   *   several tenants and none was named: whoever knows the password of one could try those of the others without end.
   */
  async succeed({ email, tenant }: SignIn, clears: boolean): Promise<void> {
    const key = accountKey(email, tenant);
    await this.units.runWithoutTenant((tx) =>
      clears
        ? tx.query('delete from login_throttle where key = $1', [key])
        : tx.query(
            `update login_throttle set failures = greatest(0, failures - 1), blocked_until = ${NOW} where key = $1`,
            [key],
          ),
    );
  }
}

/**
 * The time at this moment, not at the transaction's beginning: of attempts at once, one that began earlier may come
 * later, and would take what the one before it noted for a time that has not come yet.
 */
const NOW = 'clock_timestamp()';

/** Seconds until the next attempt is let through; null when it is let through now. */
async function waitOf(tx: EntityManager, key: Buffer): Promise<number | null> {
  const [row] = await tx.query<{ wait: number }[]>(
    `select greatest(1, ceil(extract(epoch from blocked_until - ${NOW})))::int as wait from login_throttle
      where key = $1 and blocked_until > ${NOW}`,
    [key],
  );
  return row?.wait ?? null;
}

/** What was not forgotten yet, and the one that is counted now. */
const FAILURES = `(greatest(0, t.failures - floor(extract(epoch from ${NOW} - t.last_failure_at) / $3::int)::int) + 1)`;

/** Counts one failure unless the key is delayed. @returns the seconds to wait when it is, else null */
async function count(tx: EntityManager, key: Buffer, rule: Rule): Promise<number | null> {
  // In one statement: of any number at once, each sees what the ones before it counted.
  const counted = await tx.query<unknown[]>(
    `insert into login_throttle as t (key, failures, last_failure_at, blocked_until) values ($1, 1, ${NOW}, ${NOW})
      on conflict (key) do update set
        failures = ${FAILURES},
        last_failure_at = ${NOW},
        blocked_until = ${NOW} + case when ${FAILURES} < $2::int then interval '0'
          else make_interval(secs => least($4::int, power(2, least(${FAILURES} - $2::int, 30)))) end
      where t.blocked_until <= ${NOW}
      returning 1`,
    [key, rule.failures, rule.forgetSeconds, LONGEST_SECONDS],
  );
  return counted.length > 0 ? null : ((await waitOf(tx, key)) ?? 1);
}
