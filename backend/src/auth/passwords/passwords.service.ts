import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { getDummyHash, hashPassword, verifyPassword } from '../../common/crypto/password-hash.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { invalidRequest, type Problem } from '../../common/errors/problem.js';
import { toPlace } from '../../tenancy/sign-ins/known-places.js';
import { readPasswordHash } from '../../tenancy/directory/member.reader.js';
import { replacePassword } from '../../tenancy/passwords/replace-password.js';
import { SIGN_INS, type SignIns } from '../../tenancy/sign-ins/sign-ins.js';
import { LoginThrottle } from '../login/login-throttle.js';
import type { ChangePasswordRequest } from './passwords.dto.js';

@Injectable()
export class PasswordsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly throttle: LoginThrottle,
    @Inject(SIGN_INS) private readonly signIns: SignIns,
  ) {}

  /**
   * Changes the caller's password and ends their other sessions. Wrong current passwords cause delays; otherwise
   * someone at an unlocked browser could guess without limit.
   * @param device hash of the secret of the caller's device; null: the device has no secret
   * @throws Problem 400 if the current password is wrong; 429 `too_many_attempts`
   */
  async changePassword(
    caller: Principal,
    { currentPassword, newPassword }: ChangePasswordRequest,
    device: Buffer | null,
  ): Promise<void> {
    const turn = { key: caller.userId, known: true };
    const current = await this.units.run(caller.tenantId, (tx) => readPasswordHash(tx, caller.tenantId, caller.userId));
    const fits = await this.throttle.checkCurrentPassword(caller.userId, async () =>
      verifyPassword(current ?? (await getDummyHash()), currentPassword, turn),
    );
    if (current === null || !fits) throw wrongPasswordProblem();
    const passwordHash = await hashPassword(newPassword, turn);
    await this.units.run(caller.tenantId, async (tx) => {
      // If two changes run concurrently, the second one finds that its current password is already wrong.
      if ((await readPasswordHash(tx, caller.tenantId, caller.userId, 'for update')) !== current)
        throw wrongPasswordProblem();
      await replacePassword(tx, this.signIns, caller, passwordHash, {
        session: caller.via === 'session' ? caller.credentialId : null,
        place: toPlace(caller.address, device),
      });
      await this.audit.record(tx, caller, {
        action: 'member.change_password',
        resourceId: caller.userId,
        resourceName: caller.email,
      });
    });
  }
}

const wrongPasswordProblem = (): Problem =>
  invalidRequest([
    { path: '/currentPassword', code: 'wrong_password', message: 'This is not your current password. Type it again.' },
  ]);
