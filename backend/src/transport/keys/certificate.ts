import { verify } from 'node:crypto';
import ssh2 from 'ssh2';
import { computeFingerprint } from './host-key.js';
import { splitWireStrings, encodeWireString } from './ssh-wire.js';

/** OpenSSH certificate of a user or host (PROTOCOL.certkeys of OpenSSH's source). */
export interface Certificate {
  type: string;
  blob: Buffer;
  key: Buffer;
  keyFingerprint: string;
  keyId: string;
  serial: string;
  /** Logins or host names for which the certificate is valid; empty = any login. */
  principals: string[];
  /** Null = unlimited. */
  validFrom: Date | null;
  validUntil: Date | null;
  /** The certificate has critical options. */
  isConditional: boolean;
  caFingerprint: string;
}

export type CertificateFault =
  | 'not_a_certificate'
  | 'host_certificate'
  | 'unsupported_certificate'
  | 'damaged_certificate';

/** The text is not a usable certificate. The message is for the user who pasted the text. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';

  constructor(
    readonly code: CertificateFault,
    message: string,
  ) {
    super(message);
  }
}

/** Plain key type and number of key fields for each certificate type. */
const CERTIFICATE_TYPES = new Map<string, { plain: string; fields: number }>([
  ['ssh-ed25519-cert-v01@openssh.com', { plain: 'ssh-ed25519', fields: 1 }],
  ['ssh-rsa-cert-v01@openssh.com', { plain: 'ssh-rsa', fields: 2 }],
  ['ecdsa-sha2-nistp256-cert-v01@openssh.com', { plain: 'ecdsa-sha2-nistp256', fields: 2 }],
  ['ecdsa-sha2-nistp384-cert-v01@openssh.com', { plain: 'ecdsa-sha2-nistp384', fields: 2 }],
  ['ecdsa-sha2-nistp521-cert-v01@openssh.com', { plain: 'ecdsa-sha2-nistp521', fields: 2 }],
]);
const HASH_BY_SIGNATURE_ALGORITHM: Readonly<Record<string, string | null>> = {
  'ssh-ed25519': null,
  'rsa-sha2-256': 'sha256',
  'rsa-sha2-512': 'sha512',
  'ecdsa-sha2-nistp256': 'sha256',
  'ecdsa-sha2-nistp384': 'sha384',
  'ecdsa-sha2-nistp521': 'sha512',
};
const USER_CERTIFICATE_KIND = 1;
const HOST_CERTIFICATE_KIND = 2;
const NO_EXPIRY_SECONDS = 0xffffffffffffffffn;
const MAX_PRINCIPALS = 256;
const MAX_DATE_SECONDS = 8_640_000_000_000n;

/**
 * @param line content of a `…-cert.pub` file
 * @throws CertificateError
 */
export function parseUserCertificate(line: string): Certificate {
  const [named = '', base64 = ''] = line.trim().split(/\s+/);
  if (!/-cert-v\d\d@openssh\.com$/.test(named) || !/^AAAA[A-Za-z0-9+/]+={0,2}$/.test(base64))
    throw new CertificateError(
      'not_a_certificate',
      'This is not an SSH certificate. Paste the line of the file that ends in "-cert.pub": "ssh-ed25519-cert-v01@openssh.com AAAA…".',
    );
  const type = CERTIFICATE_TYPES.get(named);
  if (!type)
    throw new CertificateError(
      'unsupported_certificate',
      'Certificates for keys of this type cannot be used. Use one for an Ed25519, ECDSA or RSA key.',
    );
  const blob = Buffer.from(base64, 'base64');
  try {
    const { kind, ...certificate } = readCertificate(named, type, blob);
    if (kind === HOST_CERTIFICATE_KIND)
      throw new CertificateError(
        'host_certificate',
        'This is the certificate of a host. Paste one for users: signed with "ssh-keygen -s" and without "-h".',
      );
    if (kind !== USER_CERTIFICATE_KIND) throw createDamagedError();
    return certificate;
  } catch (error) {
    if (error instanceof CertificateError) throw error;
    throw createDamagedError();
  }
}

/**
 * Parses the certificate that a host presents as its key.
 * @throws CertificateError
 */
export function readHostCertificate(blob: Buffer): Certificate {
  const name = blob.subarray(4, 4 + blob.readUInt32BE(0)).toString('latin1');
  const type = CERTIFICATE_TYPES.get(name);
  if (!type) throw new CertificateError('unsupported_certificate', 'Certificates of this type cannot be used.');
  try {
    const { kind, ...certificate } = readCertificate(name, type, blob);
    if (kind !== HOST_CERTIFICATE_KIND) throw createDamagedError();
    return certificate;
  } catch (error) {
    if (error instanceof CertificateError) throw error;
    throw createDamagedError();
  }
}

function readCertificate(
  name: string,
  { plain, fields }: { plain: string; fields: number },
  blob: Buffer,
): Certificate & { kind: number } {
  const wireReader = new WireReader(blob);
  if (wireReader.readString().toString('latin1') !== name) throw createDamagedError();
  wireReader.readString(); // nonce
  const key = Array.from({ length: fields }, () => wireReader.readString());
  const serial = wireReader.readUint64();
  const kind = wireReader.readUint32();
  const keyId = wireReader.readString().toString('utf8');
  const principals = splitWireStrings(wireReader.readString());
  const [from, until] = [wireReader.readUint64(), wireReader.readUint64()];
  const conditions = wireReader.readString();
  for (const _ of ['extensions', 'reserved']) wireReader.readString();
  const authority = wireReader.readString();
  const signed = blob.subarray(0, wireReader.at);
  const signature = wireReader.readString();
  if (wireReader.at !== blob.length || !principals || principals.length > MAX_PRINCIPALS) throw createDamagedError();
  requireSignature(authority, signed, signature);
  const plainKey = Buffer.concat([encodeWireString(plain), ...key.map((part) => encodeWireString(part))]);
  return {
    kind,
    type: name,
    blob,
    key: plainKey,
    keyFingerprint: computeFingerprint(plainKey),
    keyId: toDisplayText(keyId, 200),
    serial: serial.toString(),
    principals: principals.map((each) => toDisplayText(each.toString('utf8'), 100)),
    validFrom: from === 0n ? null : toDate(from),
    validUntil: until === NO_EXPIRY_SECONDS ? null : toDate(until),
    isConditional: conditions.length > 0,
    caFingerprint: computeFingerprint(authority),
  };
}

/** @throws CertificateError if the authority's signature is invalid or of an unknown type */
function requireSignature(authority: Buffer, signed: Buffer, signature: Buffer): void {
  const [algorithm, value] = splitWireStrings(signature) ?? [];
  const name = algorithm?.toString('latin1') ?? '';
  const [type] = splitWireStrings(authority) ?? [];
  const caType = type?.toString('latin1') ?? '';
  const fits = caType === 'ssh-rsa' ? name.startsWith('rsa-sha2-') : caType === name;
  if (!Object.hasOwn(HASH_BY_SIGNATURE_ALGORITHM, name) || !fits || !value)
    throw new CertificateError(
      'unsupported_certificate',
      'The certificate is signed in a way that cannot be checked. Have it signed by an Ed25519, ECDSA or RSA key (with SHA-2).',
    );
  const parsed = ssh2.utils.parseKey(`${caType} ${authority.toString('base64')}`);
  if (parsed instanceof Error || Array.isArray(parsed)) throw createDamagedError();
  const pem = parsed.getPublicPEM();
  const ecdsa = name.startsWith('ecdsa-');
  const ok = verify(
    HASH_BY_SIGNATURE_ALGORITHM[name] ?? null,
    signed,
    ecdsa ? { key: pem, dsaEncoding: 'ieee-p1363' } : pem,
    ecdsa ? toPlainSignature(value, name) : value,
  );
  if (!ok) throw createDamagedError();
}

/** Converts the two numbers of an ECDSA signature to fixed length. */
function toPlainSignature(value: Buffer, name: string): Buffer {
  const length = Math.ceil(Number(name.slice(-3)) / 8);
  const parts = splitWireStrings(value) ?? [];
  return Buffer.concat(parts.map((part) => Buffer.concat([Buffer.alloc(length), part]).subarray(-length)));
}

class WireReader {
  at = 0;

  constructor(private readonly bytes: Buffer) {}

  readString(): Buffer {
    const length = this.readUint32();
    if (this.at + length > this.bytes.length) throw createDamagedError();
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  readUint32(): number {
    this.at += 4;
    return this.bytes.readUInt32BE(this.at - 4);
  }

  readUint64(): bigint {
    this.at += 8;
    return this.bytes.readBigUInt64BE(this.at - 8);
  }
}

const toDate = (seconds: bigint): Date =>
  new Date(Number(seconds > MAX_DATE_SECONDS ? MAX_DATE_SECONDS : seconds) * 1000);

const createDamagedError = () =>
  new CertificateError(
    'damaged_certificate',
    'The certificate is damaged, or its authority has not signed it. Paste the whole line again.',
  );

const toDisplayText = (text: string, limit: number): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]+/gu, ' ')
    .trim()
    .slice(0, limit)
    .replace(/\p{Surrogate}$/u, '');

export type CertificateState = 'valid' | 'expired' | 'not_yet_valid';

export function getCertificateState(
  { validFrom, validUntil }: Pick<Certificate, 'validFrom' | 'validUntil'>,
  now: Date,
): CertificateState {
  if (validFrom && now < validFrom) return 'not_yet_valid';
  return validUntil && now >= validUntil ? 'expired' : 'valid';
}
