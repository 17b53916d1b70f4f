import { ApiProperty } from '@nestjs/swagger';
import { ROTATION_HOST_STATUSES, type RotationHostStatus } from './rotation-record.js';
import { UserReference } from '../../common/http/user-reference.view.js';
import { Reason } from '../../common/http/reason.view.js';

/** Number of hosts with each status. Counts only hosts that the caller may see. */
export class RotationCountsView {
  /**
   * Hosts with the old key that were not reached yet.
   * @example 3
   */
  pending: number;
  /**
   * Hosts with both keys that still use the old one.
   * @example 0
   */
  installed: number;
  /**
   * Hosts that use the new key and still have the old one.
   * @example 1
   */
  switched: number;
  /**
   * Hosts without the old key.
   * @example 45
   */
  done: number;
  /**
   * Hosts on which the rotation waits for a person.
   * @example 1
   */
  failed: number;
  /**
   * Hosts that a person excluded.
   * @example 0
   */
  given_up: number;
  /**
   * Servers that were deleted or got another key.
   * @example 0
   */
  left: number;
}

export class RotationKeyView {
  /** Null: the key was deleted. */
  @ApiProperty({ type: String, nullable: true })
  id: string | null;
  /** @example "SHA256:uNiVztksCsDhcc0u9e8BrCuXqN0SJ9vSxPKcGOdhfPY" */
  fingerprint: string;
}

/** Key rotation: replaces a key on all hosts that use it. */
export class RotationView {
  id: string;
  /**
   * Name of the rotated key.
   * @example "deploy"
   */
  keyName: string;
  /** Key that the rotation removes from the hosts. */
  oldKey: RotationKeyView;
  /** Key that the rotation installs. */
  newKey: RotationKeyView;
  /** True while hosts are neither done nor given up. */
  open: boolean;
  /** Number of hosts in each status. */
  counts: RotationCountsView;
  createdBy: UserReference;
  createdAt: string;
  @ApiProperty({ type: String, nullable: true })
  finishedAt: string | null;
}

export class RotationListView {
  items: RotationView[];
  nextCursor: string | null;
}

/** Progress of a rotation on one host. */
export class RotationHostView {
  serverId: string;
  /** @example "web-1" */
  name: string;
  environmentId: string;
  /**
   * `installed`: has both keys. `switched`: uses the new key. `done`: the old key is removed. `left`: the server was
   * deleted or got another key.
   */
  @ApiProperty({ enum: ROTATION_HOST_STATUSES })
  status: RotationHostStatus;
  /** Why the host failed or waits; null: neither. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  /** Number of attempts. */
  attempts: number;
  updatedAt: string;
}

export class RotationHostListView {
  items: RotationHostView[];
  nextCursor: string | null;
}
