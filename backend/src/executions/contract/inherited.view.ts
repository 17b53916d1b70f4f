import { ApiProperty } from '@nestjs/swagger';
import { HOST_STATUSES, type HostStatus } from '../lifecycle/statuses.js';

/** Results that a rerun inherited from the original run. */
export class InheritedView {
  /** Number of results; `GET …/inherited-results` lists them. */
  results: number;
  /** Keys of the steps that run on no host, because all of their hosts have done them. */
  @ApiProperty({ type: [String] })
  done: string[];
}

/** Result of another run that a rerun inherited. */
export class InheritedResultView {
  stepKey: string;
  serverId: string;
  serverName: string;
  /** Outcome of the step on the host in the earlier run. */
  @ApiProperty({ enum: HOST_STATUSES })
  status: HostStatus;
  /** True = the step changed the host. */
  changed: boolean;
  @ApiProperty({ type: Number, nullable: true })
  exitCode: number | null;
  /** Outputs that the command set for later steps; null = none. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, nullable: true })
  outputs: Record<string, string> | null;
  /** The host does not run the step again. */
  done: boolean;
  /** Run that produced the result. */
  executionId: string;
}

export class InheritedResultListView {
  @ApiProperty({ type: [InheritedResultView] })
  items: InheritedResultView[];
  @ApiProperty({ type: String, nullable: true })
  nextCursor: string | null;
}
