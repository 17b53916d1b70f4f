import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { mintSessionSecret } from '../../common/crypto/api-token.js';
import type { QueueTurn } from '../../common/fairness/fair-queue.js';
import { getDummyHash, verifyPassword } from '../../common/crypto/password-hash.js';
import { runInQueue, signInQueue } from '../../common/crypto/password-queue.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, unauthorizedProblem } from '../../common/errors/problem.js';
import { toNetwork } from '../../common/http/limits/network-of.js';
import { newId } from '../../common/ids.js';
import { type AddressedMember, findAddressedMembers } from '../../tenancy/addressed-members.js';
import { addToDirectory } from '../../tenancy/directory/auth-directory.js';
import { type SigningMember, findSigningMember, canStillSignIn } from '../../tenancy/directory/member.reader.js';
import { type Place, toPlace, rememberPlace } from '../../tenancy/sign-ins/known-places.js';
import { LoginThrottle, type SignInAttempt } from './login-throttle.js';
import { Session } from '../sessions/session.entity.js';
import { removeExpiredSessions, removeSession } from '../sessions/end-sessions.js';

export const SESSION_LIFETIME_SECONDS = 7 * 24 * 60 * 60;

const MAX_CANDIDATE_TENANTS = 10;

/**
 * Failed sign-ins are answered at the next multiple of this time, in ms. Recording the failure of an existing member
 * takes a few ms; the difference would reveal that the member exists.
 */
const RESPONSE_TIME_STEP_MS = 100;

export interface LoginAttempt {
  email: string;
  password: string;
  tenant?: string;
  address: string;
  /** Hash of the device secret. Identifies the device at later sign-ins. */
  device: Buffer;
  knownDevice: boolean;
  userAgent: string;
  requestId: string;
}

interface CredentialCandidate {
  tenantId: string;
  user: SigningMember;
}

@Injectable()
export class LoginService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly throttle: LoginThrottle,
  ) {}

  /**
   * Verifies the password and opens a session.
   * @returns the secret for the session cookie
   * @throws Problem 401 `login_failed` without the reason; 409 `tenant_required` if address and password match members
   *   of several tenants; 429 `too_many_attempts` after too many failures
   */
  async login(attempt: LoginAttempt): Promise<string> {
    const from = performance.now();
    const queueTurn: QueueTurn = {
      key: attempt.knownDevice ? attempt.device.toString('hex') : toNetwork(attempt.address),
      known: attempt.knownDevice,
    };
    try {
      return await runInQueue(signInQueue, queueTurn, () => this.signIn(attempt, queueTurn));
    } catch (error) {
      await wait(RESPONSE_TIME_STEP_MS - ((performance.now() - from) % RESPONSE_TIME_STEP_MS));
      throw error;
    }
  }

  private async signIn(attempt: LoginAttempt, queueTurn: QueueTurn): Promise<string> {
    const signIn: SignInAttempt = { email: attempt.email, tenant: attempt.tenant, address: attempt.address };
    const place = toPlace(attempt.address, attempt.device);
    const addressedUsers = await this.units.runWithoutTenant((tx) =>
      findAddressedMembers(tx, attempt, place, MAX_CANDIDATE_TENANTS),
    );
    const admission = await this.throttle.admitSignIn(signIn, addressedUsers);
    const admittedUsers = addressedUsers.filter(({ userId }) => admission.userIds.has(userId));
    const checked = await this.findMatchingCandidates(admittedUsers, attempt.password, queueTurn).catch(
      async (error: unknown) => {
        await this.throttle.releaseSignIn(signIn, admission);
        throw error;
      },
    );
    if (checked.matchingCandidates.length > 1) {
      await this.throttle.releaseSignIn(signIn, admission);
      throw conflict('tenant_required', 'You are a member of several tenants. Name one of them in "tenant".');
    }
    const [member] = checked.matchingCandidates;
    const secret = member && (await this.openSession(member, attempt, place));
    if (!secret) {
      await this.recordRefusedSignIn(checked.candidates, attempt);
      await this.throttle.recordFailedSignIn(signIn, admission);
      throw unauthorizedProblem('login_failed', 'E-mail address or password is wrong.');
    }
    await this.throttle.recordSuccessfulSignIn(signIn, admission, member.user.id);
    return secret;
  }

  async logout(principal: Principal): Promise<void> {
    if (principal.via !== 'session') return;
    await this.units.run(principal.tenantId, async (tx) => {
      await removeSession(tx, principal.tenantId, principal.credentialId);
      await this.audit.record(tx, principal, {
        action: 'session.end',
        resourceId: principal.credentialId,
      });
    });
  }

  /** @returns `candidates`: existing members; `matchingCandidates`: those with this password */
  private async findMatchingCandidates(
    addressedUsers: readonly AddressedMember[],
    password: string,
    queueTurn: QueueTurn,
  ): Promise<{ candidates: CredentialCandidate[]; matchingCandidates: CredentialCandidate[] }> {
    const candidates: CredentialCandidate[] = [];
    for (const { tenantId, userId } of addressedUsers) {
      const user = await this.units.run(tenantId, (tx) => findSigningMember(tx, tenantId, userId));
      if (user) candidates.push({ tenantId, user });
    }
    const matchingCandidates: CredentialCandidate[] = [];
    // Verifies a dummy hash, so that an unknown address costs as much time as a known one.
    if (candidates.length === 0) await verifyPassword(await getDummyHash(), password, queueTurn);
    for (const candidate of candidates) {
      const { passwordHash, disabledAt } = candidate.user;
      const fits = await verifyPassword(passwordHash ?? (await getDummyHash()), password, queueTurn);
      if (fits && passwordHash && !disabledAt) matchingCandidates.push(candidate);
    }
    return { candidates, matchingCandidates };
  }

  /** @returns null if the password or the state of the member has changed since the verification */
  private async openSession(
    { tenantId, user }: CredentialCandidate,
    attempt: LoginAttempt,
    place: Place,
  ): Promise<string | null> {
    const { secret, secretHash } = mintSessionSecret();
    const id = newId();
    return this.units.run(tenantId, async (tx) => {
      if (!(await canStillSignIn(tx, tenantId, user))) return null;
      await removeExpiredSessions(tx, tenantId, user.id);
      await tx.getRepository(Session).insert({
        id,
        tenantId,
        userId: user.id,
        secretHash,
        address: attempt.address,
        userAgent: attempt.userAgent.slice(0, 300),
        expiresAt: () => `now() + interval '${SESSION_LIFETIME_SECONDS} seconds'`,
      });
      await addToDirectory(tx, { kind: 'session', key: secretHash, tenantId, recordId: id });
      await rememberPlace(tx, user.id, place);
      const { address, requestId } = attempt;
      const actor = { kind: 'user' as const, tenantId, userId: user.id, name: user.name, address, requestId };
      await this.audit.record(tx, actor, {
        action: 'session.start',
        resourceId: id,
      });
      return secret;
    });
  }

  /** The actor is anonymous, because the caller proved nothing. The member is only the affected resource. */
  private async recordRefusedSignIn(
    candidates: CredentialCandidate[],
    { address, requestId }: LoginAttempt,
  ): Promise<void> {
    for (const { tenantId, user } of candidates) {
      const actor = { kind: 'anonymous' as const, tenantId, userId: null, name: null, address, requestId };
      await this.units.run(tenantId, (tx) =>
        this.audit.record(tx, actor, {
          action: 'session.refuse',
          resourceId: user.id,
          resourceName: user.email,
        }),
      );
    }
  }
}
