import { ApiProperty } from '@nestjs/swagger';
import { ROTATION_HOST_STATES, type RotationHostState } from './rotation-record.js';

/** How many hosts are in which state; of those that the caller may see. */
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
  /** Null: the key was deleted since. */
  @ApiProperty({ type: String, nullable: true })
  id: string | null;
  /** @example "SHA256:uNiVztksCsDhcc0u9e8BrCuXqN0SJ9vSxPKcGOdhfPY" */
  fingerprint: string;
}

export class RotationUserView {
  id: string;
  /** @example "Ada" */
  name: string;
}

/** One rotation: a key takes the place of another on every host that is signed in to with it. */
export class RotationView {
  id: string;
  /**
   * Name of the key that is rotated.
   * @example "deploy"
   */
  keyName: string;
  oldKey: RotationKeyView;
  newKey: RotationKeyView;
  /** Whether hosts are left that are neither done nor given up. */
  open: boolean;
  counts: RotationCountsView;
  createdBy: RotationUserView;
  createdAt: string;
  @ApiProperty({ type: String, nullable: true })
  finishedAt: string | null;
}

export class RotationListView {
  items: RotationView[];
  nextCursor: string | null;
}

/** How far a rotation is on one host. */
export class RotationHostView {
  serverId: string;
  /** @example "web-1" */
  name: string;
  environmentId: string;
  @ApiProperty({ enum: ROTATION_HOST_STATES })
  state: RotationHostState;
  /** Why it failed, or what it waits for; null: nothing to tell. @example "connect_timeout" */
  @ApiProperty({ type: String, nullable: true })
  code: string | null;
  @ApiProperty({ type: String, nullable: true })
  message: string | null;
  /** How often a worker has set out for the host. */
  visits: number;
  updatedAt: string;
}

export class RotationHostListView {
  items: RotationHostView[];
  nextCursor: string | null;
}
