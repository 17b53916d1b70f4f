import { createRequire } from 'node:module';
import type {
  Algorithms,
  CipherAlgorithm,
  KexAlgorithm,
  MacAlgorithm,
  NegotiatedAlgorithms,
  ServerHostKeyAlgorithm,
} from 'ssh2';
import { isLegacyAlgorithm, LEGACY_ALGORITHMS } from './legacy-algorithms.js';

const { DEFAULT_CIPHER, DEFAULT_MAC } = createRequire(import.meta.url)('ssh2/lib/protocol/constants.js') as {
  DEFAULT_CIPHER: readonly CipherAlgorithm[];
  DEFAULT_MAC: readonly MacAlgorithm[];
};

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
  const modernAlgorithms = { keyExchanges: KEY_EXCHANGES, hostKeys, ciphers: DEFAULT_CIPHER, macs: DEFAULT_MAC };
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
