import { HOST_KEY_ALGORITHMS, getHostKeyAlgorithms, UNPROVED_KEY_TYPE } from './ssh-algorithms.js';
import type { HostKey } from './host-key.js';

export interface PinnedKey extends HostKey {
  /** The key signs host certificates (`@cert-authority` in known_hosts). It is not a key of the host itself. */
  authority?: true;
}

/** Pin of a fingerprint. The type and the key are unknown until the host proves the key. */
export const createUnprovedPin = (fingerprint: string): HostKey => ({
  type: UNPROVED_KEY_TYPE,
  publicKey: '',
  fingerprint,
});

export const isUnprovedPin = ({ type }: Pick<HostKey, 'type'>): boolean => type === UNPROVED_KEY_TYPE;

/** Whether a key that a host presents is the pinned one. */
export const isPinOf = (pin: HostKey, key: HostKey): boolean =>
  isUnprovedPin(pin) ? pin.fingerprint === key.fingerprint : pin.publicKey === key.publicKey;

/** Completes pinned fingerprints with these keys. */
export const completePins = (pins: readonly PinnedKey[], keys: readonly HostKey[]): PinnedKey[] =>
  pins.map((pin) => (isUnprovedPin(pin) && keys.find(({ fingerprint }) => fingerprint === pin.fingerprint)) || pin);

/** Stored form in servers and runs: the host key that is displayed, and all other pins. */
export interface StoredPins {
  hostKey: HostKey | null;
  moreHostKeys?: readonly PinnedKey[] | null;
}

export const getPinnedKeys = ({ hostKey, moreHostKeys }: StoredPins): PinnedKey[] => [
  ...(hostKey ? [hostKey] : []),
  ...(moreHostKeys ?? []),
];

export const filterHostKeys = (pins: readonly PinnedKey[]): HostKey[] => pins.filter(({ authority }) => !authority);

export const filterAuthorities = (pins: readonly PinnedKey[]): HostKey[] => pins.filter(({ authority }) => authority);

export const getTrustedKeys = (pins: readonly PinnedKey[]): { hostKeys: HostKey[]; authorities: HostKey[] } => ({
  hostKeys: filterHostKeys(pins),
  authorities: filterAuthorities(pins),
});

/** Sorts pins for storage and display: host keys by preference, then authorities. */
export function toStoredPins(pins: readonly PinnedKey[]): { hostKey: HostKey | null; moreHostKeys: PinnedKey[] } {
  const rank = (key: HostKey) =>
    isUnprovedPin(key) ? Infinity : HOST_KEY_ALGORITHMS.indexOf(getHostKeyAlgorithms(key.type)[0]!);
  const [hostKey = null, ...more] = filterHostKeys(pins).sort((one, other) => rank(one) - rank(other));
  return { hostKey, moreHostKeys: [...more, ...filterAuthorities(pins)] };
}

export function haveSamePins(some: readonly PinnedKey[], others: readonly PinnedKey[]): boolean {
  const pinTexts = (pins: readonly PinnedKey[]) =>
    pins.map(({ fingerprint, authority }) => `${authority ? 'CA ' : ''}${fingerprint}`).sort();
  return pinTexts(some).join() === pinTexts(others).join();
}

export const formatPinFingerprints = (pins: readonly PinnedKey[]): string =>
  pins.map(({ fingerprint, authority }) => `${authority ? 'authority ' : ''}${fingerprint}`).join(' ') || 'none';
