import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
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
import { emailKey } from '../../tenancy/create-tenant.js';
import { knownBySql, type Place, placeOf, rememberPlace } from '../../tenancy/known-places.js';
import { User } from '../../tenancy/user.entity.js';
import { LoginThrottle, type SignIn } from './login-throttle.js';
import { Session } from '../sessions/session.entity.js';
import { removeSession } from '../sessions/sessions.service.js';

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

/** A member who has the address that was typed. */
interface Addressed {
  tenantId: string;
  userId: string;
  knownBy: string | null;
}

interface Candidate {
  tenantId: string;
  user: User;
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
    const addressed = await this.addressed(attempt, place);
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

  /** Members with the address, and whether they signed in from here before; in one question, whoever there is. */
  private addressed(attempt: LoginAttempt, { device, network }: Place): Promise<Addressed[]> {
    return this.units.runWithoutTenant((tx) =>
      tx.query<Addressed[]>(
        `select d.tenant_id as "tenantId", d.record_id as "userId", ${knownBySql('d.record_id', '$4', '$5')} as "knownBy"
          from auth_directory d join tenants t on t.id = d.tenant_id
          where d.kind = 'email' and d.key = $1 and ($2::text is null or lower(t.name) = lower($2))
          order by t.created_at limit $3`,
        [emailKey(attempt.email), attempt.tenant ?? null, MOST_TENANTS, device, network],
      ),
    );
  }

  /** @returns the members who were looked at, and those whom the password fits */
  private async check(
    addressed: readonly Addressed[],
    password: string,
    turn: Turn,
  ): Promise<{ candidates: Candidate[]; fitting: Candidate[] }> {
    const candidates: Candidate[] = [];
    for (const { tenantId, userId } of addressed) {
      const user = await this.units.run(tenantId, (tx) =>
        tx.getRepository(User).findOne({
          where: { tenantId, id: userId },
          select: { id: true, name: true, email: true, disabledAt: true, passwordHash: true },
        }),
      );
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
      const still = await tx.query<unknown[]>(
        `select 1 from users where tenant_id = $1 and id = $2 and password_hash = $3 and disabled_at is null for share`,
        [tenantId, user.id, user.passwordHash],
      );
      if (still.length === 0) return null;
      await this.removeExpired(tx, tenantId, user.id);
      await tx.getRepository(Session).insert({
        id,
        tenantId,
        userId: user.id,
        secretHash,
        address: attempt.address,
        userAgent: attempt.userAgent.slice(0, 300),
        expiresAt: () => `now() + interval '${SESSION_SECONDS} seconds'`,
      });
      await tx.query(`insert into auth_directory (kind, key, tenant_id, record_id) values ('session', $1, $2, $3)`, [
        secretHash,
        tenantId,
        id,
      ]);
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

  private async removeExpired(tx: EntityManager, tenantId: string, userId: string): Promise<void> {
    await tx.query(
      `with gone as (delete from sessions where tenant_id = $1 and user_id = $2 and expires_at < now() returning id)
        delete from auth_directory d using gone where d.record_id = gone.id`,
      [tenantId, userId],
    );
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
