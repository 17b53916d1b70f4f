import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { mintSessionSecret } from '../../common/crypto/api-token.js';
import type { Turn } from '../../common/crypto/fair-queue.js';
import { dummyHash, verifyPassword } from '../../common/crypto/password-hash.js';
import { inTurn, signInQueue } from '../../common/crypto/password-queue.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, unauthorized } from '../../common/errors/problem.js';
import { networkOf } from '../../common/http/limits/network-of.js';
import { newId } from '../../common/ids.js';
import { type AddressedMember, addressedMembers } from '../../tenancy/addressed-members.js';
import { enlist } from '../../tenancy/directory/auth-directory.js';
import { type SigningMember, signingMember, stillSignsIn } from '../../tenancy/directory/member.reader.js';
import { type Place, placeOf, rememberPlace } from '../../tenancy/known-places.js';
import { LoginThrottle, type SignIn } from './login-throttle.js';
import { Session } from '../sessions/session.entity.js';
import { removeExpired, removeSession } from '../sessions/end-sessions.js';

/** How long a browser stays signed in, in seconds. */
export const SESSION_SECONDS = 7 * 24 * 60 * 60;

/** One e-mail address may belong to members of several tenants; more than this are not tried at one login. */
const MOST_TENANTS = 10;

/**
 * Failed sign-ins are answered at the next multiple of this, in ms: what is written for a member and not for a stranger
 * takes some milliseconds, and would tell them apart.
 */
const ANSWER_STEP_MS = 100;

export interface LoginAttempt {
  email: string;
  password: string;
  tenant?: string;
  address: string;
  /** Hash of the secret of the device that it comes from, and by which it is known afterwards. */
  device: Buffer;
  /** Whether the device has signed in before, be it for another member. */
  knownDevice: boolean;
  userAgent: string;
  requestId: string;
}

interface Candidate {
  tenantId: string;
  user: SigningMember;
}

/** Signs members in and out. */
@Injectable()
export class LoginService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly throttle: LoginThrottle,
  ) {}

  /**
   * Checks the password and opens a session.
   * @returns the secret for the session cookie
   * @throws Problem 401 `login_failed` without telling which part was wrong; 409 `tenant_required` when the same
   *   address and password fit members of several tenants; 429 `too_many_attempts` after too many wrong ones
   */
  async login(attempt: LoginAttempt): Promise<string> {
    const from = performance.now();
    const turn: Turn = {
      key: attempt.knownDevice ? attempt.device.toString('hex') : networkOf(attempt.address),
      known: attempt.knownDevice,
    };
    try {
      return await inTurn(signInQueue, turn, () => this.signIn(attempt, turn));
    } catch (error) {
      await wait(ANSWER_STEP_MS - ((performance.now() - from) % ANSWER_STEP_MS));
      throw error;
    }
  }

  private async signIn(attempt: LoginAttempt, turn: Turn): Promise<string> {
    const signIn: SignIn = { email: attempt.email, tenant: attempt.tenant, address: attempt.address };
    const place = placeOf(attempt.address, attempt.device);
    const addressed = await this.units.runWithoutTenant((tx) => addressedMembers(tx, attempt, place, MOST_TENANTS));
    const admission = await this.throttle.begin(signIn, addressed);
    const tried = addressed.filter(({ userId }) => admission.userIds.has(userId));
    const checked = await this.check(tried, attempt.password, turn).catch(async (error: unknown) => {
      await this.throttle.release(signIn, admission);
      throw error;
    });
    if (checked.fitting.length > 1) {
      await this.throttle.release(signIn, admission);
      throw conflict('tenant_required', 'You are a member of several tenants. Name one of them in "tenant".');
    }
    const [member] = checked.fitting;
    const secret = member && (await this.openSession(member, attempt, place));
    if (!secret) {
      await this.recordRefusal(checked.candidates, attempt);
      await this.throttle.fail(signIn, admission);
      throw unauthorized('login_failed', 'E-mail address or password is wrong.');
    }
    await this.throttle.succeed(signIn, admission, member.user.id);
    return secret;
  }

  /** Ends the caller's session; a token has none and stays as it is. */
  async logout(principal: Principal): Promise<void> {
    if (principal.via !== 'session') return;
    await this.units.run(principal.tenantId, async (tx) => {
      await removeSession(tx, principal.tenantId, principal.credentialId);
      await this.audit.record(tx, principal, {
        action: 'session.end',
        resourceType: 'session',
        resourceId: principal.credentialId,
      });
    });
  }

  /** @returns the members who were looked at, and those whom the password fits */
  private async check(
    addressed: readonly AddressedMember[],
    password: string,
    turn: Turn,
  ): Promise<{ candidates: Candidate[]; fitting: Candidate[] }> {
    const candidates: Candidate[] = [];
    for (const { tenantId, userId } of addressed) {
      const user = await this.units.run(tenantId, (tx) => signingMember(tx, tenantId, userId));
      if (user) candidates.push({ tenantId, user });
    }
    const fitting: Candidate[] = [];
    // An unknown address costs as much as a known one.
    if (candidates.length === 0) await verifyPassword(await dummyHash(), password, turn);
    for (const candidate of candidates) {
      const { passwordHash, disabledAt } = candidate.user;
      const fits = await verifyPassword(passwordHash ?? (await dummyHash()), password, turn);
      if (fits && passwordHash && !disabledAt) fitting.push(candidate);
    }
    return { candidates, fitting };
  }

  /** @returns null when the password or the member's standing has changed since it was checked */
  private async openSession(
    { tenantId, user }: Candidate,
    attempt: LoginAttempt,
    place: Place,
  ): Promise<string | null> {
    const { secret, secretHash } = mintSessionSecret();
    const id = newId();
    return this.units.run(tenantId, async (tx) => {
      if (!(await stillSignsIn(tx, tenantId, user))) return null;
      await removeExpired(tx, tenantId, user.id);
      await tx.getRepository(Session).insert({
        id,
        tenantId,
        userId: user.id,
        secretHash,
        address: attempt.address,
        userAgent: attempt.userAgent.slice(0, 300),
        expiresAt: () => `now() + interval '${SESSION_SECONDS} seconds'`,
      });
      await enlist(tx, { kind: 'session', key: secretHash, tenantId, recordId: id });
      await rememberPlace(tx, user.id, place);
      const { address, requestId } = attempt;
      const actor = { kind: 'user' as const, tenantId, userId: user.id, name: user.name, address, requestId };
      await this.audit.record(tx, actor, {
        action: 'session.start',
        resourceType: 'session',
        resourceId: id,
      });
      return secret;
    });
  }

  /** Nobody proved to be the member whose password was tried: that one is what it happened to, not who did it. */
  private async recordRefusal(candidates: Candidate[], { address, requestId }: LoginAttempt): Promise<void> {
    for (const { tenantId, user } of candidates) {
      const actor = { kind: 'anonymous' as const, tenantId, userId: null, name: null, address, requestId };
      await this.units.run(tenantId, (tx) =>
        this.audit.record(tx, actor, {
          action: 'session.refuse',
          resourceType: 'user',
          resourceId: user.id,
          resourceName: user.email,
        }),
      );
    }
  }
}
