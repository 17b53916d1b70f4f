import type { KexAlgorithm } from 'ssh2';

/**
 * Cheapest first: Curve25519 costs a client about a tenth of the others. Group exchange comes last because it takes
 * another round trip and, on many servers, seconds of computing. Exchanges over SHA-1 are not offered.
 */
export const KEY_EXCHANGES: readonly KexAlgorithm[] = [
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
