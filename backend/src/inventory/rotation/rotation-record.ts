import type { Principal } from '../../common/access/principal.js';

/**
 * How far a rotation is on one host:
 * - `pending`: the server uses the old key, and nothing is known of the host
 * - `installed`: the new public key is on the host
 * - `switched`: a login with the new key worked, and the server uses it; the old public key is still on the host
 * - `done`: the old public key is gone from the host
 * - `failed`: it stopped, and waits for a person
 * - `given_up`: a person decided that it stays as it is
 * - `left`: the server was deleted or given another key meanwhile
 */
export const ROTATION_HOST_STATES = ['pending', 'installed', 'switched', 'done', 'failed', 'given_up', 'left'] as const;
export type RotationHostState = (typeof ROTATION_HOST_STATES)[number];

/** Nothing is to be done with such a host any more. */
export const SETTLED = ['done', 'given_up', 'left'] as const satisfies readonly RotationHostState[];

/** Who asked, as of that moment; the role is looked up anew for each host. */
export type Requester = Omit<Principal, 'role'>;

/** A rotation that a worker has taken. */
export interface ClaimedRotation {
  id: string;
  tenantId: string;
  /** Fences what is written: whoever has a lower one has lost it to another worker. */
  epoch: number;
  oldKeyId: string;
  newKeyId: string;
  keyName: string;
  newKeyName: string;
  oldFingerprint: string;
}

export const RESOURCE = 'key_rotation';

export function requesterOf({ role: _, ...requester }: Principal): Requester {
  return requester;
}
