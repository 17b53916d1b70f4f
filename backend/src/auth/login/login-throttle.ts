import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { Problem } from '../../common/errors/problem.js';
import { toSite } from '../../common/http/limits/network-of.js';
import { hashAccountKey, hashMemberKey } from './account-failures.js';
import { admitSignInAttempt, refundAttempt } from './account-pace.js';
import {
  type FailureCounter,
  countFailure,
  forgetCounter,
  type FailureRule,
  deleteOldCounters,
  undoCountedFailure,
  readRemainingDelay,
} from './failure-counters.js';

const ACCOUNT_RULE: FailureRule = { failures: 5, forgetSeconds: 3600 };
/** More tolerant, and forgets faster: many people may share a network, and no sign-in resets its counter. */
const NETWORK_RULE: FailureRule = { failures: 50, forgetSeconds: 60 };

export interface SignInAttempt {
  email: string;
  tenant: string | undefined;
  address: string;
}

export interface SignInCandidate {
  userId: string;
  /** Device or network that is known for this member, such as `device` and its hash; null: neither is known. */
  knownBy: string | null;
}

/** Members whose password may be verified. The attempt is already counted as failed. */
export interface SignInAdmission {
  userIds: ReadonlySet<string>;
  /** Counters of members who have signed in before from this device or network. */
  known: ReadonlyMap<string, FailureCounter>;
  /** Whether the attempt also counts as one of an unknown caller, for all other members and unknown accounts. */
  unknown: boolean;
  /** Seconds until an attempt is allowed for the excluded members; null: no member is excluded. */
  wait: number | null;
}

const sha256OfParts = (...parts: string[]): Buffer => createHash('sha256').update(parts.join('\n')).digest();

const hashNetworkKey = ({ address }: SignInAttempt): Buffer => sha256OfParts('network', toSite(address));

const toPairCounter = ({ email, tenant, address }: SignInAttempt): FailureCounter => {
  const owner = hashAccountKey(email, tenant);
  return { key: sha256OfParts('pair', owner.toString('hex'), toSite(address)), owner };
};

const toKnownPlaceCounter = (userId: string, knownBy: string): FailureCounter => ({
  key: sha256OfParts('known', userId, knownBy),
  owner: hashMemberKey(userId),
});

const toCurrentPasswordCounter = (userId: string): FailureCounter => ({
  key: sha256OfParts('current password', userId),
  owner: hashMemberKey(userId),
});

/**
 * Slows down password guessing without locking members out. Failures from a known device or network of the member have
 * a separate counter, so strangers can't delay that member. Other failures are counted by account and network, and by
 * network; guesses at one account are also paced. All processes share the counters in the database, which survive a
 * restart. They use the clock of the database.
 */
@Injectable()
export class LoginThrottle {
  constructor(private readonly units: UnitOfWork) {}

  /**
   * Requests permission to verify one password. The attempt counts as failed until {@link recordSuccessfulSignIn} or {@link releaseSignIn}.
   * Otherwise concurrent guesses would all be allowed before the first failure is counted.
   * @param addressedMembers members with that address; empty for an unknown account, which is handled in the same way
   * @throws Problem 429 `too_many_attempts` if no member may be tried
   */
  async admitSignIn(signIn: SignInAttempt, addressedMembers: readonly SignInCandidate[]): Promise<SignInAdmission> {
    const admission = await this.units.runWithoutTenant(async (tx): Promise<SignInAdmission> => {
      const known = new Map<string, FailureCounter>();
      const delaysSeconds: number[] = [];
      for (const { userId, knownBy } of addressedMembers) {
        if (knownBy === null) continue;
        const counter = toKnownPlaceCounter(userId, knownBy);
        const wait = await countFailure(tx, counter, ACCOUNT_RULE);
        if (wait === null) known.set(userId, counter);
        else delaysSeconds.push(wait);
      }
      const others = addressedMembers.filter(({ knownBy }) => knownBy === null).map(({ userId }) => userId);
      const requiresSlot = others.length > 0 || addressedMembers.length === 0;
      const wait = requiresSlot ? await this.admitFromUnknownPlace(tx, signIn) : null;
      const unknown = requiresSlot && wait === null;
      if (wait !== null) delaysSeconds.push(wait);
      const longestDelay = delaysSeconds.length > 0 ? Math.max(...delaysSeconds) : null;
      return { userIds: new Set([...known.keys(), ...(unknown ? others : [])]), known, unknown, wait: longestDelay };
    });
    // Thrown outside the transaction: a rollback would lose the slot that the refused caller has just reserved.
    if (admission.known.size === 0 && !admission.unknown) throw tooManyAttemptsProblem(admission.wait ?? 1);
    return admission;
  }

  /**
   * Records a wrong password. @throws Problem 429 `too_many_attempts` if some members were excluded from the attempt
   */
  async recordFailedSignIn(signIn: SignInAttempt, { wait }: SignInAdmission): Promise<void> {
    await this.units.runWithoutTenant(async (tx) => {
      await countFailure(tx, { key: hashNetworkKey(signIn), owner: null }, NETWORK_RULE);
      await deleteOldCounters(tx);
    });
    if (wait !== null) throw tooManyAttemptsProblem(wait);
  }

  /**
   * Records the right password of a member. Deletes the member's counters, and subtracts the failure from the other
   * counters.
   */
  async recordSuccessfulSignIn(signIn: SignInAttempt, admission: SignInAdmission, userId: string): Promise<void> {
    await this.units.runWithoutTenant((tx) => this.settleAttempt(tx, signIn, admission, userId));
  }

  async releaseSignIn(signIn: SignInAttempt, admission: SignInAdmission): Promise<void> {
    await this.units.runWithoutTenant((tx) => this.settleAttempt(tx, signIn, admission, null));
  }

  /**
   * Verifies the password of a signed-in member. Failures count only for this member, from any network.
   * @param check returns whether the password is right
   * @throws Problem 429 `too_many_attempts`
   */
  async checkCurrentPassword(userId: string, check: () => Promise<boolean>): Promise<boolean> {
    const counter = toCurrentPasswordCounter(userId);
    const wait = await this.units.runWithoutTenant((tx) => countFailure(tx, counter, ACCOUNT_RULE));
    if (wait !== null) throw tooManyAttemptsProblem(wait);
    try {
      const fits = await check();
      if (fits) await this.units.runWithoutTenant((tx) => forgetCounter(tx, counter.key));
      return fits;
    } catch (error) {
      await this.units.runWithoutTenant((tx) => undoCountedFailure(tx, [counter.key]));
      throw error;
    }
  }

  /** @returns seconds to wait; null: allowed and counted */
  private async admitFromUnknownPlace(tx: EntityManager, signIn: SignInAttempt): Promise<number | null> {
    const pair = toPairCounter(signIn);
    // Reads before any lock, so that a flood of refused attempts blocks no other transaction.
    const delayed = await readRemainingDelay(tx, [hashNetworkKey(signIn), pair.key]);
    return delayed ?? (await admitSignInAttempt(tx, hashAccountKey(signIn.email, signIn.tenant), pair, ACCOUNT_RULE));
  }

  /** Locks rows in the same order as {@link admitSignIn}, to avoid deadlocks. */
  private async settleAttempt(
    tx: EntityManager,
    signIn: SignInAttempt,
    admission: SignInAdmission,
    userId: string | null,
  ): Promise<void> {
    const { known, unknown, userIds } = admission;
    for (const [id, { key }] of known) await (id === userId ? forgetCounter(tx, key) : undoCountedFailure(tx, [key]));
    if (!unknown) return;
    await refundAttempt(tx, hashAccountKey(signIn.email, signIn.tenant));
    // Deletes the counter only if no other member was tried. Otherwise a member could reset the limit for other members
    // by signing in with their own password.
    const { key } = toPairCounter(signIn);
    await (userId !== null && userIds.size === 1 ? forgetCounter(tx, key) : undoCountedFailure(tx, [key]));
  }
}

const tooManyAttemptsProblem = (seconds: number): Problem =>
  new Problem('too_many_attempts', `Too many sign-ins failed here. Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });
