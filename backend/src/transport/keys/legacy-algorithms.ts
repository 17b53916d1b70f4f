/**
 * Algorithms of old SSH servers by kind, in order of preference. Offered only to servers with `legacyAlgorithms`.
 * docs/legacy-algorithms.md explains each.
 */
export const LEGACY_ALGORITHMS = {
  keyExchanges: ['diffie-hellman-group-exchange-sha1', 'diffie-hellman-group14-sha1', 'diffie-hellman-group1-sha1'],
  hostKeys: ['ssh-rsa'],
  ciphers: ['aes256-cbc', 'aes192-cbc', 'aes128-cbc', '3des-cbc'],
  macs: ['hmac-sha1-96', 'hmac-md5'],
} as const;

const LEGACY_ALGORITHM_NAMES: ReadonlySet<string> = new Set(Object.values(LEGACY_ALGORITHMS).flat());

export const isLegacyAlgorithm = (name: string): boolean => LEGACY_ALGORITHM_NAMES.has(name);
