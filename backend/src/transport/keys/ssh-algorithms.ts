import type {
  ServerHostKeyAlgorithm,
  Algorithms,
  CipherAlgorithm,
  KexAlgorithm,
  MacAlgorithm,
  NegotiatedAlgorithms,
} from 'ssh2';
import { getDefaultCiphers, getDefaultMacs } from '../ssh2/private-fields.js';
import { isLegacyAlgorithm, LEGACY_ALGORITHMS } from './legacy-algorithms.js';

/** For the first scan of a host, in OpenSSH's order of preference. */
export const HOST_KEY_ALGORITHMS: readonly ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
];

/**
 * Signature algorithms for one host key type. Without other types in the list, the server must present a key of this
 * type.
 */
export function getHostKeyAlgorithms(hostKeyType: string): ServerHostKeyAlgorithm[] {
  if (hostKeyType === 'ssh-rsa') return ['rsa-sha2-512', 'rsa-sha2-256']; // RFC 8332. SHA-1 only as a legacy algorithm
  return HOST_KEY_ALGORITHMS.filter((algorithm) => algorithm === hostKeyType);
}

/** Type of a pinned fingerprint whose key is not known yet. */
export const UNPROVED_KEY_TYPE = 'unknown';

/**
 * Like `getHostKeyAlgorithms`, for several pinned keys: the host presents the first type that it has.
 * @param rejectedTypes types of keys that the host presented and that are not pinned
 */
export function getPinnedAlgorithms(
  pinned: readonly { type: string }[],
  rejectedTypes: readonly string[] = [],
): ServerHostKeyAlgorithm[] {
  const allowed = new Set<string>(
    pinned.flatMap(({ type }) => (type === UNPROVED_KEY_TYPE ? HOST_KEY_ALGORITHMS : getHostKeyAlgorithms(type))),
  );
  const rejected = new Set<string>(rejectedTypes.flatMap(getHostKeyAlgorithms));
  return HOST_KEY_ALGORITHMS.filter((algorithm) => allowed.has(algorithm) && !rejected.has(algorithm));
}

export interface OfferedAlgorithms {
  keyExchanges: readonly KexAlgorithm[];
  hostKeys: readonly ServerHostKeyAlgorithm[];
  ciphers: readonly CipherAlgorithm[];
  macs: readonly MacAlgorithm[];
}

/**
 * Cheapest first: Curve25519 costs a client about a tenth of the other methods. Group exchange is last: it takes another round
 * trip and, on many servers, seconds of computing.
 */
const KEY_EXCHANGES: readonly KexAlgorithm[] = [
  'curve25519-sha256',
  'curve25519-sha256@libssh.org',
  'ecdh-sha2-nistp256',
  'ecdh-sha2-nistp384',
  'ecdh-sha2-nistp521',
  'diffie-hellman-group14-sha256',
  'diffie-hellman-group16-sha512',
  'diffie-hellman-group18-sha512',
  'diffie-hellman-group-exchange-sha256',
];

/**
 * Algorithms for one connection. Legacy ones come last: in SSH the client's order decides (RFC 4253, 7.1), so a modern
 * algorithm of the server is always preferred.
 * @param hostKeys algorithms of the accepted host keys
 */
export function getOfferedAlgorithms(hostKeys: readonly ServerHostKeyAlgorithm[], legacy = false): OfferedAlgorithms {
  const modernAlgorithms = {
    keyExchanges: KEY_EXCHANGES,
    hostKeys,
    ciphers: getDefaultCiphers(),
    macs: getDefaultMacs(),
  };
  if (!legacy) return modernAlgorithms;
  const added = LEGACY_ALGORITHMS;
  return {
    keyExchanges: [...modernAlgorithms.keyExchanges, ...added.keyExchanges],
    // An RSA key that may sign with SHA-2 may also sign with legacy SHA-1.
    hostKeys: hostKeys.includes('rsa-sha2-256') ? [...hostKeys, ...added.hostKeys] : hostKeys,
    ciphers: [...modernAlgorithms.ciphers, ...added.ciphers],
    macs: [...modernAlgorithms.macs, ...added.macs],
  };
}

export const toLibraryAlgorithms = ({ keyExchanges, hostKeys, ciphers, macs }: OfferedAlgorithms): Algorithms => ({
  kex: [...keyExchanges],
  serverHostKey: [...hostKeys],
  cipher: [...ciphers],
  hmac: [...macs],
  // A few bytes of a compressed packet may expand to many megabytes in this process.
  compress: ['none'],
});

export const getLegacyAlgorithms = ({ kex, serverHostKey, cs, sc }: NegotiatedAlgorithms): string[] =>
  [...new Set<string>([kex, serverHostKey, cs.cipher, sc.cipher, cs.mac, sc.mac])].filter(isLegacyAlgorithm);
