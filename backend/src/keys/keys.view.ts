import { Reason } from '../common/http/reason.view.js';
import { ApiProperty } from '@nestjs/swagger';
import type { KeyUsage } from './key-use.js';
import { type CertificateState, getCertificateState, parseUserCertificate } from '../transport/keys/certificate.js';
import type { SshKey } from './ssh-key.entity.js';

/** Server or git source that signs in with a key. */
export class KeyUserView {
  id: string;
  /** @example "web-1" */
  name: string;
}

/** SSH certificate that an authority signed for a key. */
export class CertificateView {
  /** Key ID that the authority chose for the certificate. @example "deploy of CI" */
  keyId: string;
  /**
   * Serial number that the authority chose, in decimal digits.
   * @example "4711"
   */
  serial: string;
  /** Login names for which the certificate is valid; empty: any name that the host accepts. */
  principals: string[];
  /** Start of validity; null: unlimited. */
  validFrom: string | null;
  /** End of validity; null: unlimited. */
  validUntil: string | null;
  /** Fingerprint of the authority's key. @example "SHA256:uNiVztksCsDhcc0u9e8BrCuXqN0SJ9vSxPKcGOdhfPY" */
  caFingerprint: string;
  /**
   * Validity of the certificate now. If it is not `valid`, it is not sent to hosts, and Runward signs in with the plain
   * key.
   */
  @ApiProperty({ enum: ['valid', 'expired', 'not_yet_valid'] })
  state: CertificateState;
  /** Null = valid. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
}

export class SshKeyView {
  id: string;
  /** @example "deploy" */
  name: string;
  /**
   * Algorithm of the key: `ed25519`, `rsa` or `ecdsa`.
   * @example "ed25519"
   */
  type: string;
  /** Line for `authorized_keys` on the hosts. */
  publicKey: string;
  /** @example "SHA256:uNiVztksCsDhcc0u9e8BrCuXqN0SJ9vSxPKcGOdhfPY" */
  fingerprint: string;
  /** The first twenty servers with this key that you can see. */
  @ApiProperty({ type: [KeyUserView] })
  usedBy: KeyUserView[];
  /** Number of servers with this key that you can see. */
  usedByCount: number;
  /** The first twenty git sources that sign in with this key. */
  @ApiProperty({ type: [KeyUserView] })
  gitSources: KeyUserView[];
  /** Open rotation that includes this key, as the old or the new key; null: none. */
  rotationId: string | null;
  /** Certificate that Runward presents first at logins; null: none. */
  @ApiProperty({ type: CertificateView, nullable: true })
  certificate: CertificateView | null;
  /** Time of the last login with the key, in UTC; null = never used. */
  lastUsedAt: string | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

/** Response to creating a key. No other response contains a generated private key (spec, rule 4). */
export class CreatedSshKeyView extends SshKeyView {
  /**
   * Generated private key, which can't be shown again. Absent for an imported key, and in the answer to a repeated
   * `Idempotency-Key`.
   */
  privateKey?: string;
}

export class SshKeyListView {
  items: SshKeyView[];
  nextCursor: string | null;
}

export const toSshKeyView = (key: SshKey, usage: KeyUsage, gitSources: KeyUserView[]): SshKeyView => ({
  id: key.id,
  name: key.name,
  type: key.type,
  publicKey: key.publicKey,
  fingerprint: key.fingerprint,
  usedBy: usage.usedBy,
  usedByCount: usage.usedByCount,
  gitSources,
  rotationId: usage.rotationId,
  certificate: key.certificate === null ? null : toCertificateView(key.certificate, new Date()),
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  createdAt: key.createdAt.toISOString(),
  updatedAt: key.updatedAt.toISOString(),
  version: key.version,
});

function toCertificateView(line: string, now: Date): CertificateView {
  const { keyId, serial, principals, validFrom, validUntil, caFingerprint } = parseUserCertificate(line);
  const state = getCertificateState({ validFrom, validUntil }, now);
  const from = validFrom?.toISOString() ?? null;
  const until = validUntil?.toISOString() ?? null;
  const reasons: Record<CertificateState, Reason | null> = {
    valid: null,
    expired: {
      code: 'certificate_expired',
      text: `Expired at ${until}. Runward uses the plain key until you store a new certificate.`,
    },
    not_yet_valid: {
      code: 'certificate_not_yet_valid',
      text: `Not valid before ${from}. Runward uses the plain key until then.`,
    },
  };
  return {
    keyId,
    serial,
    principals,
    validFrom: from,
    validUntil: until,
    caFingerprint,
    state,
    reason: reasons[state],
  };
}
