import { ApiProperty } from '@nestjs/swagger';
import { ROTATION_HOST_STATUSES, type RotationHostStatus } from './rotation-record.js';
import { UserReference } from '../../common/http/user-reference.view.js';
import { Reason } from '../../common/http/reason.view.js';

/** Number of hosts with each status. Counts only hosts that the caller may see. */
export class RotationCountsView {
  /** @example 3 */
  pending: number;
  /** @example 0 */
  installed: number;
  /** @example 1 */
  switched: number;
  /** @example 45 */
  done: number;
  /** @example 1 */
  failed: number;
  /** @example 0 */
  given_up: number;
  /** @example 0 */
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
  oldKey: RotationKeyView;
  newKey: RotationKeyView;
  /** True while hosts are neither done nor given up. */
  open: boolean;
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
