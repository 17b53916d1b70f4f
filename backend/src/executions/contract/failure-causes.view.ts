import { ApiProperty } from '@nestjs/swagger';
import { Reason } from '../../common/http/reason.view.js';
import { HOST_STATUSES, type HostStatus } from '../lifecycle/statuses.js';

/** Host of a failure. */
export class FailedHostView {
  serverId: string;
  /** @example "web-1" */
  serverName: string;
}

/** Hosts of a run that failed in the same step in the same way. */
export class FailureCauseView {
  /**
   * Same for the same cause in other runs of the plan.
   * @example "5f1c0a9e3b7d"
   */
  key: string;
  stepKey: string;
  /** Status of the step on these hosts. */
  @ApiProperty({ enum: HOST_STATUSES })
  status: HostStatus;
  @ApiProperty({ type: Number, nullable: true })
  exitCode: number | null;
  /** Reason on `firstHost`. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  /**
   * Last line of the error output, else of the output, else the text of `reason`; masked, without control characters.
   * `…` replaces numbers and host names in which the hosts differ. Null: there is no text.
   * @example "psql: connection to server at … failed: Connection refused"
   */
  @ApiProperty({ type: String, nullable: true })
  text: string | null;
  /** Host that failed first. */
  firstHost: FailedHostView;
  /** IDs of all servers with this cause, in the order of their failures. */
  serverIds: string[];
}

/** Failures of a run by cause. */
export class FailureCausesView {
  /** Causes with the most hosts first, at most 100. */
  @ApiProperty({ type: [FailureCauseView] })
  items: FailureCauseView[];
  /** Number of causes that are not in `items`. */
  moreCauses: number;
  /** Number of failures with these causes. */
  moreFailures: number;
}
