import { HOST_KEY_ALGORITHMS, hostKeyAlgorithms } from './host-key-algorithms.js';
import type { HostKey } from './host-key.js';

/** What a host is let in by. */
export interface PinnedKey extends HostKey {
  /** It signs host certificates (`@cert-authority` in known_hosts); it is no key of the host itself. */
  authority?: true;
}

/** As servers and runs store it: the key that is told first, and the rest. */
export interface StoredPins {
  hostKey: HostKey | null;
  moreHostKeys?: readonly PinnedKey[] | null;
}

export const pinsOf = ({ hostKey, moreHostKeys }: StoredPins): PinnedKey[] => [
  ...(hostKey ? [hostKey] : []),
  ...(moreHostKeys ?? []),
];

/** Keys of the host itself. */
export const hostKeysAmong = (pins: readonly PinnedKey[]): HostKey[] => pins.filter(({ authority }) => !authority);

export const authoritiesAmong = (pins: readonly PinnedKey[]): HostKey[] => pins.filter(({ authority }) => authority);

/** What a connection demands of the host. */
export const trustedBy = (pins: readonly PinnedKey[]): { hostKeys: HostKey[]; authorities: HostKey[] } => ({
  hostKeys: hostKeysAmong(pins),
  authorities: authoritiesAmong(pins),
});

/** The order in which pins are stored, and told: the host's own keys as they are preferred, then authorities. */
export function storedPins(pins: readonly PinnedKey[]): { hostKey: HostKey | null; moreHostKeys: PinnedKey[] } {
  const rank = ({ type }: HostKey) => HOST_KEY_ALGORITHMS.findIndex((each) => hostKeyAlgorithms(type).includes(each));
  const [hostKey = null, ...more] = hostKeysAmong(pins).sort((one, other) => rank(one) - rank(other));
  return { hostKey, moreHostKeys: [...more, ...authoritiesAmong(pins)] };
}

/** Whether they pin the same, in whatever order. */
export function samePins(some: readonly PinnedKey[], others: readonly PinnedKey[]): boolean {
  const told = (pins: readonly PinnedKey[]) =>
    pins.map(({ fingerprint, authority }) => `${authority ? 'CA ' : ''}${fingerprint}`).sort();
  return told(some).join() === told(others).join();
}

/** The fingerprints of the pins, or `none`. */
export const toldPins = (pins: readonly PinnedKey[]): string =>
  pins.map(({ fingerprint, authority }) => `${authority ? 'authority ' : ''}${fingerprint}`).join(' ') || 'none';
