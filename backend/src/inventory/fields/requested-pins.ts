import { invalidRequest } from '../../common/errors/problem.js';
import type { ProblemItem } from '../../common/errors/problem-item.js';
import { InvalidHostKeyError, parseHostKey } from '../../transport/keys/host-key.js';
import { type PinnedKey, haveSamePins } from '../../transport/keys/pinned-key.js';

export const MAX_PINS = 8;

export interface RequestedPin {
  publicKey: string;
  certAuthority?: boolean;
}

/** Host keys in a request. Both fields undefined = unchanged. */
export interface RequestedPins {
  hostKey?: RequestedPin;
  hostKeys?: readonly RequestedPin[];
}

/**
 * @returns undefined if the request has no host keys
 * @throws Problem 400: `invalid_host_key`; `duplicate_item` for a repeated key or a second key of one type
 */
export function parseRequestedPins({ hostKey, hostKeys }: RequestedPins): PinnedKey[] | undefined {
  if (hostKey && hostKeys) {
    const message = 'Send hostKey for one key or hostKeys for all of them, not both.';
    throw invalidRequest([{ path: '/hostKey', code: 'not_applicable', message }]);
  }
  if (hostKey) return [parsePin(hostKey, '/hostKey/publicKey')];
  if (!hostKeys) return undefined;
  const pins = hostKeys.map((each, index) => parsePin(each, `/hostKeys/${index}/publicKey`));
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
  if (pin.authority || !sameKind.some(({ type }) => type === pin.type)) return null;
  return `A host can have only one key of each type, and an earlier key is also of type ${pin.type}.`;
}

function parsePin({ publicKey, certAuthority }: RequestedPin, path: string): PinnedKey {
  try {
    return { ...parseHostKey(publicKey), ...(certAuthority ? { authority: true } : {}) };
  } catch (error) {
    if (!(error instanceof InvalidHostKeyError)) throw error;
    const message = 'publicKey must be a host public key line such as "ssh-ed25519 AAAA…".';
    throw invalidRequest([{ path, code: 'invalid_host_key', message }]);
  }
}
