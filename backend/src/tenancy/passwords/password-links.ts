import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import { hashSecret } from '../../common/crypto/api-token.js';
import { hashPassword } from '../../common/crypto/password-hash.js';
import { row, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { Problem } from '../../common/errors/problem.js';
import { newId } from '../../common/ids.js';
import { addToDirectory, findCredential } from '../directory/auth-directory.js';
import { toPlace, rememberPlace } from '../sign-ins/known-places.js';
import { replacePassword, invalidateLinks } from './replace-password.js';
import { SIGN_INS, type SignIns } from '../sign-ins/sign-ins.js';

const LINK_HOURS = 72;
const SECRET_BYTES = 32;

export interface PasswordLink {
  setPasswordPath: string;
  expiresAt: Date;
}

export interface LinkUse {
  secret: string;
  password: string;
  address: string;
  /** Hash of the secret that identifies the browser in later sign-ins. */
  device: Buffer;
  requestId: string;
}

/** One-time links with which members set their password. Only a hash of the secret is stored. */
@Injectable()
export class PasswordLinks {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    @Inject(SIGN_INS) private readonly signIns: SignIns,
  ) {}

  async create(tx: EntityManager, tenantId: string, userId: string): Promise<PasswordLink> {
    await invalidateLinks(tx, tenantId, userId);
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const id = newId();
    const stored = await row(
      tx,
      sql<{ expires_at: Date }>`insert into password_links (id, tenant_id, user_id, expires_at)
        values (${id}, ${tenantId}, ${userId}, now() + make_interval(hours => ${LINK_HOURS})) returning expires_at`,
    );
    await addToDirectory(tx, { kind: 'password_link', key: hashSecret(secret), tenantId, recordId: id });
    if (!stored) throw new Error('The new link was not stored.');
    // Browsers do not send the fragment, so no log between the browser and Runward contains the secret.
    return { setPasswordPath: `/set-password#${secret}`, expiresAt: stored.expires_at };
  }

  /**
   * Sets the password of the link's member, uses up the link and ends open sessions. The browser becomes a known place,
   * so that password guessing by others does not delay its sign-in.
   * @throws Problem 404 `link_invalid` if the link is unknown, used or expired
   */
  async use({ secret, password, address, device, requestId }: LinkUse): Promise<void> {
    const entry = await this.units.runWithoutTenant((tx) => findCredential(tx, 'password_link', hashSecret(secret)));
    if (!entry) throw linkInvalidProblem();
    const { tenantId, recordId } = entry;
    const passwordHash = await hashPassword(password, { key: recordId, known: true });
    await this.units.run(tenantId, async (tx) => {
      const link = await row(
        tx,
        sql<{ user_id: string }>`select user_id from password_links
          where tenant_id = ${tenantId} and id = ${recordId} and expires_at > now() for update`,
      );
      if (!link) throw linkInvalidProblem();
      const userId = link.user_id;
      const user = await row(
        tx,
        sql<{ name: string; email: string; tenant: string }>`
          select u.name, u.email, t.name as tenant from users u join tenants t on t.id = u.tenant_id
            where u.tenant_id = ${tenantId} and u.id = ${userId}`,
      );
      if (!user) throw linkInvalidProblem();
      await replacePassword(tx, this.signIns, { tenantId, userId }, passwordHash);
      await this.signIns.forgetFailures(tx, { userId, email: user.email, tenant: user.tenant });
      await rememberPlace(tx, userId, toPlace(address, device));
      await this.audit.record(
        tx,
        { kind: 'anonymous', tenantId, userId, name: user.name, address, requestId },
        { action: 'member.set_password', resourceId: userId, resourceName: user.email },
      );
    });
  }
}

const linkInvalidProblem = () =>
  new Problem('link_invalid', 'This link was already used or has expired. Ask an admin for a new one.');
