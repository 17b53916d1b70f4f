import { conflict, invalidRequest } from '../../common/errors/problem.js';
import type { HostKeyRequest } from '../../common/http/host-key.dto.js';
import type { ProblemItem } from '../../common/errors/problem-item.js';
import { parseRequestedHostKey } from '../../transport/keys/requested-host-key.js';
import {
  createUnprovedPin,
  getPinnedKeys,
  haveSamePins,
  isUnprovedPin,
  type PinnedKey,
} from '../../transport/keys/pinned-key.js';
import type { Server } from './server.entity.js';

export const MAX_PINS = 8;

export interface RequestedPin extends HostKeyRequest {
  certAuthority?: boolean;
}

/** Host keys in a request. Both fields undefined = unchanged. */
export interface RequestedPins {
  hostKey?: RequestedPin;
  hostKeys?: readonly RequestedPin[];
}

/**
 * @param known keys that complete a fingerprint: pinned keys, and the key that the last check saw. Other fingerprints
 *   are pinned without their key.
 * @returns undefined if the request has no host keys
 * @throws Problem 400: `invalid_host_key`; `duplicate_item` for a repeated key or a second key of one type;
 *   409 `host_key_not_seen` for the fingerprint of an unknown certificate authority
 */
export function parseRequestedPins(
  { hostKey, hostKeys }: RequestedPins,
  known: readonly PinnedKey[] = [],
): PinnedKey[] | undefined {
  if (hostKey && hostKeys) {
    const message = 'Send hostKey for one key or hostKeys for all of them, not both.';
    throw invalidRequest([{ path: '/hostKey', code: 'not_applicable', message }]);
  }
  if (hostKey) return [parsePin(hostKey, '/hostKey', known)];
  if (!hostKeys) return undefined;
  const pins = hostKeys.map((each, index) => parsePin(each, `/hostKeys/${index}`, known));
  const faults = pins.flatMap((pin, index): ProblemItem[] => {
    const message = findDuplicateFault(pin, pins.slice(0, index));
    return message === null ? [] : [{ path: `/hostKeys/${index}/publicKey`, code: 'duplicate_item', message }];
  });
  if (faults.length > 0) throw invalidRequest(faults);
  return pins;
}

/**
 * Returns the pins after a request with keys.
 * @param one true = the request has a single `hostKey`: if this key is pinned, all pins stay; otherwise it replaces
 *   them
 */
export function getPinsAfterChange(
  before: readonly PinnedKey[],
  requested: readonly PinnedKey[],
  one: boolean,
): PinnedKey[] {
  const isUnchanged = one && requested.every((pin) => before.some((each) => haveSamePins([each], [pin])));
  return [...(isUnchanged ? before : requested)];
}

function findDuplicateFault(pin: PinnedKey, earlier: readonly PinnedKey[]): string | null {
  const sameKind = earlier.filter((each) => each.authority === pin.authority);
  if (sameKind.some(({ fingerprint }) => fingerprint === pin.fingerprint)) return 'This key is listed twice.';
  if (pin.authority || isUnprovedPin(pin) || !sameKind.some(({ type }) => type === pin.type)) return null;
  return `A host can have only one key of each type, and an earlier key is also of type ${pin.type}.`;
}

function parsePin(requested: RequestedPin, path: string, known: readonly PinnedKey[]): PinnedKey {
  const parsed = parseRequestedHostKey(requested, path);
  const seen = 'publicKey' in parsed ? parsed : known.find(({ fingerprint }) => fingerprint === parsed.fingerprint);
  const key = seen ?? createUnprovedPin(parsed.fingerprint);
  if (requested.certAuthority && isUnprovedPin(key)) {
    const message = `The certificate authority ${key.fingerprint} is unknown. Send its publicKey.`;
    throw conflict('host_key_not_seen', message);
  }
  const { type, publicKey, fingerprint } = key;
  return { type, publicKey, fingerprint, ...(requested.certAuthority ? { authority: true } : {}) };
}

/** Keys that a request can name by their fingerprints. */
export const listKnownKeys = (server: Pick<Server, 'hostKey' | 'moreHostKeys' | 'seenHostKey'>): PinnedKey[] => [
  ...getPinnedKeys(server),
  ...(server.seenHostKey ? [server.seenHostKey] : []),
];
