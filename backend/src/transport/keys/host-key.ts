import { createHash } from 'node:crypto';
import { splitWireStrings } from './ssh-wire.js';

export interface HostKey {
  /** Type in a public key line: `ssh-ed25519`, `ecdsa-sha2-nistp256` (384, 521) or `ssh-rsa`. */
  type: string;
  /** Base64 of the wire format. */
  publicKey: string;
  /** `SHA256:` and unpadded base64, as printed by `ssh-keygen -l`. */
  fingerprint: string;
}

export class InvalidHostKeyError extends Error {
  override readonly name = 'InvalidHostKeyError';
}

/** Number of strings in the wire format of each supported key type (RFC 4253, 5656, 8709). */
const FIELD_COUNT_BY_KEY_TYPE = new Map([
  ['ssh-ed25519', 2],
  ['ecdsa-sha2-nistp256', 3],
  ['ecdsa-sha2-nistp384', 3],
  ['ecdsa-sha2-nistp521', 3],
  ['ssh-rsa', 3],
]);

/** @param blob public key in wire format */
export function computeFingerprint(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

/** @throws InvalidHostKeyError if the bytes are not a public key of a supported type */
export function hostKeyFromBlob(blob: Buffer): HostKey {
  const parts = splitWireStrings(blob);
  const type = parts?.[0]?.toString('latin1') ?? '';
  if (parts === undefined || type === '') throw new InvalidHostKeyError('This is not a public SSH host key.');
  if (!FIELD_COUNT_BY_KEY_TYPE.has(type)) {
    const known = [...FIELD_COUNT_BY_KEY_TYPE.keys()].join(', ');
    throw new InvalidHostKeyError(`Host keys of type ${toPrintable(type)} are not supported. Supported are ${known}.`);
  }
  if (parts.length !== FIELD_COUNT_BY_KEY_TYPE.get(type))
    throw new InvalidHostKeyError('The public SSH host key is damaged.');
  return { type, publicKey: blob.toString('base64'), fingerprint: computeFingerprint(blob) };
}

/**
 * Parses a line of a .pub, authorized_keys or known_hosts file (`ssh-ed25519 AAAA… comment`), or its base64 part alone.
 *
 * @throws InvalidHostKeyError
 */
export function parseHostKey(text: string): HostKey {
  // The wire format starts with the length of the type name, so its base64 always starts with AAAA.
  const words = text.trim().split(/\s+/);
  const position = words.findIndex((word) => /^AAAA[A-Za-z0-9+/]+={0,2}$/.test(word));
  const base64 = words[position];
  if (base64 === undefined) {
    throw new InvalidHostKeyError('This is not a public host key: it looks like "ssh-ed25519 AAAA…".');
  }
  const key = hostKeyFromBlob(Buffer.from(base64, 'base64'));
  const named = words[position - 1];
  if (named !== undefined && named !== key.type) {
    throw new InvalidHostKeyError(`The line says ${toPrintable(named)}, but the key in it is of type ${key.type}.`);
  }
  return key;
}

const toPrintable = (text: string) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 60);
