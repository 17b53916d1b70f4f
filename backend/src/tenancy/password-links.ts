import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import { hashSecret } from '../common/crypto/api-token.js';
import { hashPassword } from '../common/crypto/password-hash.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { Problem } from '../common/errors/problem.js';
import { newId } from '../common/ids.js';
import { addToDirectory } from './directory/auth-directory.js';
import { placeOf, rememberPlace } from './known-places.js';
import { replacePassword, invalidateLinks } from './replace-password.js';
import { SIGN_INS, type SignIns } from './sign-ins.js';

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
    const [row] = await tx.query<{ expires_at: Date }[]>(
      `insert into password_links (id, tenant_id, user_id, expires_at)
        values ($1, $2, $3, now() + make_interval(hours => $4)) returning expires_at`,
      [id, tenantId, userId, LINK_HOURS],
    );
    await addToDirectory(tx, { kind: 'password_link', key: hashSecret(secret), tenantId, recordId: id });
    if (!row) throw new Error('The new link was not stored.');
    // Browsers do not send the fragment, so no log between the browser and Runward contains the secret.
    return { setPasswordPath: `/set-password#${secret}`, expiresAt: row.expires_at };
  }

  /**
   * Sets the password of the link's member, uses up the link and ends open sessions. The browser becomes a known place,
   * so that password guessing by others does not delay its sign-in.
   * @throws Problem 404 `link_invalid` if the link is unknown, used or expired
   */
  async use({ secret, password, address, device, requestId }: LinkUse): Promise<void> {
    const [place] = await this.units.runWithoutTenant((tx) =>
      tx.query<{ tenant_id: string; record_id: string }[]>(
        `select tenant_id, record_id from auth_directory where kind = 'password_link' and key = $1`,
        [hashSecret(secret)],
      ),
    );
    if (!place) throw linkInvalidProblem();
    const tenantId = place.tenant_id;
    const passwordHash = await hashPassword(password, { key: place.record_id, known: true });
    await this.units.run(tenantId, async (tx) => {
      const [link] = await tx.query<{ user_id: string }[]>(
        'select user_id from password_links where tenant_id = $1 and id = $2 and expires_at > now() for update',
        [tenantId, place.record_id],
      );
      if (!link) throw linkInvalidProblem();
      const userId = link.user_id;
      const [user] = await tx.query<{ name: string; email: string; tenant: string }[]>(
        `select u.name, u.email, t.name as tenant from users u join tenants t on t.id = u.tenant_id
          where u.tenant_id = $1 and u.id = $2`,
        [tenantId, userId],
      );
      if (!user) throw linkInvalidProblem();
      await replacePassword(tx, this.signIns, { tenantId, userId }, passwordHash);
      await this.signIns.forgetFailures(tx, { userId, email: user.email, tenant: user.tenant });
      await rememberPlace(tx, userId, placeOf(address, device));
      await this.audit.record(
        tx,
        { kind: 'anonymous', tenantId, userId, name: user.name, address, requestId },
        { action: 'member.set_password', resourceType: 'member', resourceId: userId, resourceName: user.email },
      );
    });
  }
}

const linkInvalidProblem = () =>
  new Problem('link_invalid', 'This link was already used or has expired. Ask an admin for a new one.');
