import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { invalidRequest, notFound } from '../common/errors/problem.js';
import { parseUserCertificate, CertificateError } from '../transport/keys/certificate.js';
import { KeysService } from './keys.service.js';
import type { SshKeyView } from './keys.view.js';
import { SshKey } from './ssh-key.entity.js';

const CERTIFICATE_POINTER = '/certificate';

@Injectable()
export class KeyCertificates {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly keys: KeysService,
  ) {}

  /**
   * @throws Problem 400 if the text is not a user certificate, or certifies another key; 404; 403 `grant_required`; 412
   */
  setCertificate(caller: Principal, id: string, text: string, version: number | null): Promise<SshKeyView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const key = await this.keys.lockUnchanged(tx, caller, id, version);
      return this.storeCertificate(tx, caller, id, parseCertificateFor(text, key.fingerprint));
    });
  }

  /** @throws Problem 404, also if the key has no certificate; 403 `grant_required`; 412 */
  removeCertificate(caller: Principal, id: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      const key = await this.keys.lockUnchanged(tx, caller, id, version);
      if (key.certificate === null) throw notFound();
      await this.storeCertificate(tx, caller, id, null);
    });
  }

  private async storeCertificate(
    tx: EntityManager,
    caller: Principal,
    id: string,
    line: string | null,
  ): Promise<SshKeyView> {
    const before = await this.keys.loadView(tx, caller, id);
    await tx
      .getRepository(SshKey)
      .update(
        { tenantId: caller.tenantId, id },
        { certificate: line, updatedAt: () => 'now()', version: () => 'version + 1' },
      );
    const after = await this.keys.loadView(tx, caller, id);
    const action = line === null ? 'ssh_key.delete_certificate' : 'ssh_key.put_certificate';
    await this.audit.recordChange(tx, caller, { action, before, after });
    return after;
  }
}

/** Returns the line to store: type and bytes, without the comment. @throws Problem 400 */
function parseCertificateFor(text: string, fingerprint: string): string {
  try {
    const { type, blob, keyFingerprint } = parseUserCertificate(text);
    if (keyFingerprint === fingerprint) return `${type} ${blob.toString('base64')}`;
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    throw invalidRequest([{ path: CERTIFICATE_POINTER, code: error.code, message: error.message }]);
  }
  const message = `This is the certificate of another key. Sign the public key of this one (${fingerprint}).`;
  throw invalidRequest([{ path: CERTIFICATE_POINTER, code: 'certificate_of_other_key', message }]);
}
