import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { Problem } from '../../common/errors/problem.js';
import { siteOf } from '../../common/http/limits/network-of.js';
import { accountKey, memberKey } from './account-failures.js';
import { guessInTurn, takeBackGuess } from './account-pace.js';
import {
  type Counter,
  countFailure,
  forgetCounter,
  type Rule,
  sweepCounters,
  takeBack,
  waitOf,
} from './failure-counters.js';

const ACCOUNT: Rule = { failures: 5, forgetSeconds: 3600 };
/** Many people may share a network, and none of them can clear its name by signing in: it is more patient, and forgets. */
const NETWORK: Rule = { failures: 50, forgetSeconds: 60 };

export interface SignIn {
  email: string;
  /** As it was typed; undefined when none was named. */
  tenant: string | undefined;
  address: string;
}

/** A member whom a sign-in may be meant for. */
export interface Addressee {
  userId: string;
  /** By what the place of the caller is known for this member, e.g. `device` and its hash; null when it is not. */
  knownBy: string | null;
}

/** What a password may be tried for, and where it was counted as wrong meanwhile. */
export interface Admission {
  userIds: ReadonlySet<string>;
  /** Counters of members whom the caller's place is known for. */
  known: ReadonlyMap<string, Counter>;
  /** Whether it counts among those of unknown callers too: for the other members, and for accounts that don't exist. */
  unknown: boolean;
  /** Seconds until it may be tried for the members that are left out; null when none is. */
  wait: number | null;
}

const digest = (...parts: string[]): Buffer => createHash('sha256').update(parts.join('\n')).digest();

const networkKey = ({ address }: SignIn): Buffer => digest('network', siteOf(address));

/** An account, as it was typed, guessed at from one network. */
const pairOf = ({ email, tenant, address }: SignIn): Counter => {
  const owner = accountKey(email, tenant);
  return { key: digest('pair', owner.toString('hex'), siteOf(address)), owner };
};

const knownCounter = (userId: string, knownBy: string): Counter => ({
  key: digest('known', userId, knownBy),
  owner: memberKey(userId),
});

const currentPassword = (userId: string): Counter => ({
  key: digest('current password', userId),
  owner: memberKey(userId),
});

/**
 * Makes guessing passwords slow, and keeps nobody out for it. Wrong passwords from a device or network that the member
 * signed in from before are counted by that alone: no stranger delays it. All others are counted by account and network
 * together, by network, and paced by account. It is kept in the database by its own clock, so that all processes share it
 * and a restart forgets nothing.
 */
@Injectable()
export class LoginThrottle {
  constructor(private readonly units: UnitOfWork) {}

  /**
   * Asks for leave to check one password. It counts as failed from here on, until {@link succeed} or {@link release} say
   * otherwise: else guesses that are sent at once would all be let through before the first of them has failed.
   * @param addressees members with that address; none for an account that doesn't exist, which is treated alike
   * @throws Problem 429 `too_many_attempts` when the password may be tried for none of them
   */
  async begin(signIn: SignIn, addressees: readonly Addressee[]): Promise<Admission> {
    const admission = await this.units.runWithoutTenant(async (tx): Promise<Admission> => {
      const known = new Map<string, Counter>();
      const waits: number[] = [];
      for (const { userId, knownBy } of addressees) {
        if (knownBy === null) continue;
        const counter = knownCounter(userId, knownBy);
        const wait = await countFailure(tx, counter, ACCOUNT);
        if (wait === null) known.set(userId, counter);
        else waits.push(wait);
      }
      const others = addressees.filter(({ knownBy }) => knownBy === null).map(({ userId }) => userId);
      const asks = others.length > 0 || addressees.length === 0;
      const wait = asks ? await this.admitUnknown(tx, signIn) : null;
      const unknown = asks && wait === null;
      if (wait !== null) waits.push(wait);
      const longest = waits.length > 0 ? Math.max(...waits) : null;
      return { userIds: new Set([...known.keys(), ...(unknown ? others : [])]), known, unknown, wait: longest };
    });
    // Not within the transaction, which keeps the slot that comes with a refusal.
    if (admission.known.size === 0 && !admission.unknown) throw tooManyAttempts(admission.wait ?? 1);
    return admission;
  }

  /** The password was wrong. @throws Problem 429 `too_many_attempts` when it was not tried for all members */
  async fail(signIn: SignIn, { wait }: Admission): Promise<void> {
    await this.units.runWithoutTenant(async (tx) => {
      await countFailure(tx, { key: networkKey(signIn), owner: null }, NETWORK);
      await sweepCounters(tx);
    });
    if (wait !== null) throw tooManyAttempts(wait);
  }

  /** The password was right for that member: what was counted there is forgotten, and for the others taken back. */
  async succeed(signIn: SignIn, admission: Admission, userId: string): Promise<void> {
    await this.units.runWithoutTenant((tx) => this.settle(tx, signIn, admission, userId));
  }

  /** No password was found right or wrong. */
  async release(signIn: SignIn, admission: Admission): Promise<void> {
    await this.units.runWithoutTenant((tx) => this.settle(tx, signIn, admission, null));
  }

  /**
   * Has somebody who is signed in confirm their password; a wrong one counts for the member alone, wherever it comes from.
   * @param check whether the password is right
   * @throws Problem 429 `too_many_attempts`
   */
  async confirm(userId: string, check: () => Promise<boolean>): Promise<boolean> {
    const counter = currentPassword(userId);
    const wait = await this.units.runWithoutTenant((tx) => countFailure(tx, counter, ACCOUNT));
    if (wait !== null) throw tooManyAttempts(wait);
    try {
      const fits = await check();
      if (fits) await this.units.runWithoutTenant((tx) => forgetCounter(tx, counter.key));
      return fits;
    } catch (error) {
      await this.units.runWithoutTenant((tx) => takeBack(tx, [counter.key]));
      throw error;
    }
  }

  /** @returns the seconds to wait; null when the attempt is let through, and counted */
  private async admitUnknown(tx: EntityManager, signIn: SignIn): Promise<number | null> {
    const pair = pairOf(signIn);
    // Asked before anything is locked, so that a flood of refusals keeps nobody waiting.
    const delayed = await waitOf(tx, [networkKey(signIn), pair.key]);
    return delayed ?? (await guessInTurn(tx, accountKey(signIn.email, signIn.tenant), pair, ACCOUNT));
  }

  /** Locks rows in the order in which {@link begin} does. */
  private async settle(tx: EntityManager, signIn: SignIn, admission: Admission, userId: string | null): Promise<void> {
    const { known, unknown, userIds } = admission;
    for (const [id, { key }] of known) await (id === userId ? forgetCounter(tx, key) : takeBack(tx, [key]));
    if (!unknown) return;
    await takeBackGuess(tx, accountKey(signIn.email, signIn.tenant));
    // Forgotten only where no other member is meant: whoever knows the password of one could try those of the others
    // without end.
    const { key } = pairOf(signIn);
    await (userId !== null && userIds.size === 1 ? forgetCounter(tx, key) : takeBack(tx, [key]));
  }
}

const tooManyAttempts = (seconds: number): Problem =>
  new Problem('too_many_attempts', `Too many sign-ins failed here. Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });
