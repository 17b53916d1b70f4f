import type { Principal } from '../../common/access/principal.js';

/**
 * State of a rotation on one host:
 * - `pending`: the server uses the old key; the state of the host is unknown
 * - `installed`: the new public key is on the host
 * - `switched`: a login with the new key succeeded, and the server uses it; the old public key is still on the host
 * - `done`: the old public key was removed from the host
 * - `failed`: the rotation stopped on this host and waits for a person
 * - `given_up`: a person excluded the host
 * - `left`: the server was deleted or got another key
 */
export const ROTATION_HOST_STATUSES = [
  'pending',
  'installed',
  'switched',
  'done',
  'failed',
  'given_up',
  'left',
] as const;
export type RotationHostStatus = (typeof ROTATION_HOST_STATUSES)[number];

export const SETTLED_STATES = ['done', 'given_up', 'left'] as const satisfies readonly RotationHostStatus[];

/** Requester when the rotation was requested. The role is read again for each host. */
export type Requester = Omit<Principal, 'role'>;

export interface ClaimedRotation {
  id: string;
  tenantId: string;
  /** A worker with a lower epoch has lost the rotation to another worker. */
  epoch: number;
  oldKeyId: string;
  newKeyId: string;
  keyName: string;
  newKeyName: string;
  oldFingerprint: string;
}

export function toRequester({ role: _, ...requester }: Principal): Requester {
  return requester;
}
