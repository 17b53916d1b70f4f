import { HOST_KEY_ALGORITHMS, hostKeyAlgorithms } from './host-key-algorithms.js';
import type { HostKey } from './host-key.js';

export interface PinnedKey extends HostKey {
  /** The key signs host certificates (`@cert-authority` in known_hosts). It is not a key of the host itself. */
  authority?: true;
}

/** Stored form in servers and runs: the host key that is displayed, and all other pins. */
export interface StoredPins {
  hostKey: HostKey | null;
  moreHostKeys?: readonly PinnedKey[] | null;
}

export const pinsOf = ({ hostKey, moreHostKeys }: StoredPins): PinnedKey[] => [
  ...(hostKey ? [hostKey] : []),
  ...(moreHostKeys ?? []),
];

export const hostKeysAmong = (pins: readonly PinnedKey[]): HostKey[] => pins.filter(({ authority }) => !authority);

export const authoritiesAmong = (pins: readonly PinnedKey[]): HostKey[] => pins.filter(({ authority }) => authority);

export const getTrustedKeys = (pins: readonly PinnedKey[]): { hostKeys: HostKey[]; authorities: HostKey[] } => ({
  hostKeys: hostKeysAmong(pins),
  authorities: authoritiesAmong(pins),
});

/** Sorts pins for storage and display: host keys by preference, then authorities. */
export function storedPins(pins: readonly PinnedKey[]): { hostKey: HostKey | null; moreHostKeys: PinnedKey[] } {
  const rank = ({ type }: HostKey) => HOST_KEY_ALGORITHMS.findIndex((each) => hostKeyAlgorithms(type).includes(each));
  const [hostKey = null, ...more] = hostKeysAmong(pins).sort((one, other) => rank(one) - rank(other));
  return { hostKey, moreHostKeys: [...more, ...authoritiesAmong(pins)] };
}

export function samePins(some: readonly PinnedKey[], others: readonly PinnedKey[]): boolean {
  const pinTexts = (pins: readonly PinnedKey[]) =>
    pins.map(({ fingerprint, authority }) => `${authority ? 'CA ' : ''}${fingerprint}`).sort();
  return pinTexts(some).join() === pinTexts(others).join();
}

export const fingerprintsOfPins = (pins: readonly PinnedKey[]): string =>
  pins.map(({ fingerprint, authority }) => `${authority ? 'authority ' : ''}${fingerprint}`).join(' ') || 'none';
