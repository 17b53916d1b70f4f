import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { mintSessionSecret } from '../common/crypto/api-token.js';
import { dummyHash, verifyPassword } from '../common/crypto/password-hash.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { conflict, unauthorized } from '../common/errors/problem.js';
import { newId } from '../common/ids.js';
import { emailKey } from '../tenancy/create-tenant.js';
import { User } from '../tenancy/user.entity.js';
import { Session } from './session.entity.js';

/** How long a browser stays signed in, in seconds. */
export const SESSION_SECONDS = 7 * 24 * 60 * 60;

/** One e-mail address may belong to members of several tenants; more than this are not tried at one login. */
const MOST_TENANTS = 10;

export interface LoginAttempt {
  email: string;
  password: string;
  tenant?: string;
  address: string;
  userAgent: string;
  requestId: string;
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
  ) {}

  /**
   * Checks the password and opens a session.
   * @returns the secret for the session cookie
   * @throws Problem 401 `login_failed` without telling which part was wrong; 409 `tenant_required` when the same
   *   address and password fit members of several tenants
   */
  async login(attempt: LoginAttempt): Promise<string> {
    const candidates = await this.candidates(attempt);
    const fitting: Candidate[] = [];
    // An unknown address costs as much as a known one.
    if (candidates.length === 0) await verifyPassword(await dummyHash(), attempt.password);
    for (const candidate of candidates) {
      const hash = candidate.user.passwordHash ?? (await dummyHash());
      const fits = await verifyPassword(hash, attempt.password);
      if (fits && candidate.user.passwordHash && !candidate.user.disabledAt) fitting.push(candidate);
    }
    if (fitting.length > 1) {
      throw conflict('tenant_required', 'You are a member of several tenants. Name one of them in "tenant".');
    }
    const [member] = fitting;
    if (!member) {
      await this.recordRefusal(candidates, attempt);
      throw unauthorized('login_failed', 'E-mail address or password is wrong.');
    }
    return this.openSession(member, attempt);
  }

  /** Ends the caller's session; a token has none and stays as it is. */
  async logout(principal: Principal): Promise<void> {
    if (principal.via !== 'session') return;
    await this.units.run(principal.tenantId, async (tx) => {
      await tx.query('delete from auth_directory where record_id = $1', [principal.credentialId]);
      await tx.query('delete from sessions where id = $1', [principal.credentialId]);
      await this.audit.record(tx, principal, {
        action: 'session.end',
        resourceType: 'session',
        resourceId: principal.credentialId,
      });
    });
  }

  private async candidates(attempt: LoginAttempt): Promise<Candidate[]> {
    const places = await this.units.runWithoutTenant((tx) =>
      tx.query<{ tenant_id: string; record_id: string }[]>(
        `select d.tenant_id, d.record_id from auth_directory d join tenants t on t.id = d.tenant_id
          where d.kind = 'email' and d.key = $1 and ($2::text is null or lower(t.name) = lower($2)) order by t.created_at limit $3`,
        [emailKey(attempt.email), attempt.tenant ?? null, MOST_TENANTS],
      ),
    );
    const found: Candidate[] = [];
    for (const place of places) {
      const user = await this.units.run(place.tenant_id, (tx) =>
        tx.getRepository(User).findOne({
          where: { tenantId: place.tenant_id, id: place.record_id },
          select: { id: true, name: true, email: true, disabledAt: true, passwordHash: true },
        }),
      );
      if (user) found.push({ tenantId: place.tenant_id, user });
    }
    return found;
  }

  private async openSession({ tenantId, user }: Candidate, attempt: LoginAttempt): Promise<string> {
    const { secret, secretHash } = mintSessionSecret();
    const id = newId();
    await this.units.run(tenantId, async (tx) => {
      await this.removeExpired(tx, user.id);
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
      await this.audit.record(tx, this.actorOf({ tenantId, user }, attempt), {
        action: 'session.start',
        resourceType: 'session',
        resourceId: id,
      });
    });
    return secret;
  }

  private async removeExpired(tx: EntityManager, userId: string): Promise<void> {
    await tx.query(
      `with gone as (delete from sessions where user_id = $1 and expires_at < now() returning id)
        delete from auth_directory d using gone where d.record_id = gone.id`,
      [userId],
    );
  }

  private async recordRefusal(candidates: Candidate[], attempt: LoginAttempt): Promise<void> {
    for (const candidate of candidates) {
      await this.units.run(candidate.tenantId, (tx) =>
        this.audit.record(tx, this.actorOf(candidate, attempt), {
          action: 'session.refuse',
          resourceType: 'user',
          resourceId: candidate.user.id,
          resourceName: candidate.user.email,
        }),
      );
    }
  }

  private actorOf({ tenantId, user }: Candidate, attempt: LoginAttempt) {
    return {
      kind: 'anonymous' as const,
      tenantId,
      userId: user.id,
      name: user.name,
      address: attempt.address,
      requestId: attempt.requestId,
    };
  }
}
