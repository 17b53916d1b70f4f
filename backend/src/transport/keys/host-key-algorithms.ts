import type { ServerHostKeyAlgorithm } from 'ssh2';

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

/** Like `getHostKeyAlgorithms`, for several pinned keys: the host presents the first type that it has. */
export function getPinnedAlgorithms(pinned: readonly { type: string }[]): ServerHostKeyAlgorithm[] {
  const allowed = new Set(pinned.flatMap(({ type }) => getHostKeyAlgorithms(type)));
  return HOST_KEY_ALGORITHMS.filter((algorithm) => allowed.has(algorithm));
}
