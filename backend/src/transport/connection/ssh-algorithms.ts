import type { KexAlgorithm, ServerHostKeyAlgorithm } from 'ssh2';

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

/** What is offered when a host is looked at for the first time, in the order OpenSSH prefers. */
export const HOST_KEY_ALGORITHMS: readonly ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
];

/**
 * The signature algorithms that go with one type of host key. The server chooses among the host key types that it is
 * offered, so a pinned key is only ever shown if nothing else is asked for.
 */
export function hostKeyAlgorithms(hostKeyType: string): ServerHostKeyAlgorithm[] {
  if (hostKeyType === 'ssh-rsa') return ['rsa-sha2-512', 'rsa-sha2-256']; // RFC 8332; SHA-1 signatures are not accepted
  return HOST_KEY_ALGORITHMS.filter((algorithm) => algorithm === hostKeyType);
}

/** The same for several pinned keys: the host shows the first of these types that it has. */
export function pinnedAlgorithms(pinned: readonly { type: string }[]): ServerHostKeyAlgorithm[] {
  const wanted = new Set(pinned.flatMap(({ type }) => hostKeyAlgorithms(type)));
  return HOST_KEY_ALGORITHMS.filter((algorithm) => wanted.has(algorithm));
}
