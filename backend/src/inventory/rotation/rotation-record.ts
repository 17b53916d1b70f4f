import type { Principal } from '../../common/access/principal.js';

/**
 * State of a rotation on one host:
 * - `pending`: the server uses the old key; the state of the host is unknown
 * - `installed`: the new public key is on the host
 * - `switched`: a login with the new key worked, and the server uses it; the old public key is still on the host
 * - `done`: the old public key was removed from the host
 * - `failed`: it stopped and waits for a person
 * - `given_up`: a person excluded the host
 * - `left`: the server was deleted or got another key
 */
export const ROTATION_HOST_STATES = ['pending', 'installed', 'switched', 'done', 'failed', 'given_up', 'left'] as const;
export type RotationHostState = (typeof ROTATION_HOST_STATES)[number];

/** Final states. */
export const SETTLED = ['done', 'given_up', 'left'] as const satisfies readonly RotationHostState[];

/** Requester of a rotation at the time of the request. The role is read again for each host. */
export type Requester = Omit<Principal, 'role'>;

/** A rotation under the lease of a worker. */
export interface ClaimedRotation {
  id: string;
  tenantId: string;
  /** Fencing: a worker with a lower epoch has lost the rotation to another one. */
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
