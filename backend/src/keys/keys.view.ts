import { ApiProperty } from '@nestjs/swagger';
import type { KeyUsage } from './key-use.js';
import { type CertificateState, certificateState, parseUserCertificate } from '../transport/keys/certificate.js';
import type { SshKey } from './ssh-key.entity.js';

/** A server, or a git source, that signs in with a key. */
export class KeyUserView {
  id: string;
  /** @example "web-1" */
  name: string;
}

/** A certificate that an authority has given a key for logins. */
export class CertificateView {
  /** What the authority calls it. @example "deploy of CI" */
  keyId: string;
  /** @example "4711" */
  serial: string;
  /** Logins that it is for; empty: any that the host lets it be for. */
  principals: string[];
  /** Null: no bound. */
  validFrom: string | null;
  /** Null: no bound. */
  validUntil: string | null;
  /** Of the key of the authority that has signed it. @example "SHA256:uNiVztksCsDhcc0u9e8BrCuXqN0SJ9vSxPKcGOdhfPY" */
  caFingerprint: string;
  /** One that is not valid now is not shown to hosts; the plain key is tried then. */
  @ApiProperty({ enum: ['valid', 'expired', 'not_yet_valid'] })
  state: CertificateState;
  /** The same in words. @example "Valid until 2027-01-01T00:00:00.000Z." */
  message: string;
}

export class SshKeyView {
  id: string;
  /** @example "deploy" */
  name: string;
  /** @example "ed25519" */
  type: string;
  /** The line for `authorized_keys` on the hosts. */
  publicKey: string;
  /** @example "SHA256:uNiVztksCsDhcc0u9e8BrCuXqN0SJ9vSxPKcGOdhfPY" */
  fingerprint: string;
  /** The first twenty servers that use it and that the caller may see. */
  @ApiProperty({ type: [KeyUserView] })
  usedBy: KeyUserView[];
  /** How many servers that the caller may see use it. */
  usedByCount: number;
  /** The first twenty git sources that sign in with it. */
  @ApiProperty({ type: [KeyUserView] })
  gitSources: KeyUserView[];
  /** The open rotation that it takes part in, as the old key or the new one. */
  rotationId: string | null;
  /** What it is shown with at logins first; null: nothing. */
  @ApiProperty({ type: CertificateView, nullable: true })
  certificate: CertificateView | null;
  lastUsedAt: string | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

/** The answer to a key's creation: the only time a generated private part is shown (spec, rule 4). */
export class CreatedSshKeyView extends SshKeyView {
  /** The generated private key; absent for an imported one. It can't be shown again. */
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
  const state = certificateState({ validFrom, validUntil }, now);
  const from = validFrom?.toISOString() ?? null;
  const until = validUntil?.toISOString() ?? null;
  const messages: Record<CertificateState, string> = {
    valid: until === null ? 'Valid without an end.' : `Valid until ${until}.`,
    expired: `It expired at ${until}: have a new one signed. Until then the plain key is used.`,
    not_yet_valid: `It is not valid before ${from}. Until then the plain key is used.`,
  };
  return {
    keyId,
    serial,
    principals,
    validFrom: from,
    validUntil: until,
    caFingerprint,
    state,
    message: messages[state],
  };
}
