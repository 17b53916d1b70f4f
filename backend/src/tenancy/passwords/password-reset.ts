import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/audit-trail.js';
import { hashPassword } from '../../common/crypto/password-hash.js';
import { row, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { Problem } from '../../common/errors/problem.js';
import { replacePassword } from './replace-password.js';
import { SIGN_INS, type SignIns } from '../sign-ins/sign-ins.js';

export interface PasswordResetRequest {
  tenant: string;
  email: string;
  password: string;
}

/** Sets a member's password for the operator of the installation, for example when no admin can sign in. */
@Injectable()
export class PasswordReset {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    @Inject(SIGN_INS) private readonly signIns: SignIns,
  ) {}

  /**
   * Ends the member's sessions, revokes links and deletes failed sign-ins. Role, disabled state and API tokens stay.
   * @returns whether the member is disabled, and so still cannot sign in
   * @throws Problem 404 for an unknown tenant or member
   */
  async reset({ tenant, email, password }: PasswordResetRequest): Promise<{ disabled: boolean }> {
    const passwordHash = await hashPassword(password);
    const place = await this.units.runWithoutTenant((tx) =>
      row(tx, sql<{ id: string; name: string }>`select id, name from tenants where lower(name) = lower(${tenant})`),
    );
    if (!place) {
      throw new Problem('not_found', `No tenant is named "${tenant}". List tenants with: tenant list`);
    }
    return this.units.run(place.id, async (tx) => {
      const user = await row(
        tx,
        sql<{ id: string; email: string; disabled: boolean }>`
          select id, email, disabled_at is not null as disabled from users
            where tenant_id = ${place.id} and lower(email) = lower(${email.trim()}) and kind = 'person'`,
      );
      if (!user) {
        throw new Problem('not_found', `"${place.name}" has no member with the address ${email}.`);
      }
      await replacePassword(tx, this.signIns, { tenantId: place.id, userId: user.id }, passwordHash);
      await this.signIns.forgetFailures(tx, { userId: user.id, email: user.email, tenant: place.name });
      await this.audit.record(
        tx,
        { kind: 'system', tenantId: place.id, name: 'npm run admin' },
        { action: 'member.reset_password', resourceId: user.id, resourceName: user.email },
      );
      return { disabled: user.disabled };
    });
  }
}
