import { ApiProperty } from '@nestjs/swagger';
import { UserReference } from '../../common/http/user-reference.view.js';
import { Reason } from '../../common/http/reason.view.js';

/** Latest request to ask a host for the result of its command. */
export class HostCheckView {
  askedAt: string;
  /** Member who requested it; null = unknown. */
  @ApiProperty({ type: UserReference, nullable: true })
  askedBy: UserReference | null;
  /** The host has not answered yet; `at` and `reason` are of the previous answer. */
  pending: boolean;
  /** Time of the latest answer; null = none yet. */
  @ApiProperty({ type: String, nullable: true })
  at: string | null;
  /** Answer of the host, and what to do; null = none yet. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
}

/** Host with an unknown result. It keeps its guard key until the result is resolved. */
export class UnknownHostView {
  serverId: string;
  name: string;
  stepKey: string;
  /** Null = the host was not asked again yet. */
  @ApiProperty({ type: HostCheckView, nullable: true })
  check: HostCheckView | null;
}
