import type { ServerHostKeyAlgorithm } from 'ssh2';

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
  if (hostKeyType === 'ssh-rsa') return ['rsa-sha2-512', 'rsa-sha2-256']; // RFC 8332; SHA-1 only as a legacy algorithm
  return HOST_KEY_ALGORITHMS.filter((algorithm) => algorithm === hostKeyType);
}

/** The same for several pinned keys: the host shows the first of these types that it has. */
export function pinnedAlgorithms(pinned: readonly { type: string }[]): ServerHostKeyAlgorithm[] {
  const wanted = new Set(pinned.flatMap(({ type }) => hostKeyAlgorithms(type)));
  return HOST_KEY_ALGORITHMS.filter((algorithm) => wanted.has(algorithm));
}
