import { ApiProperty } from '@nestjs/swagger';
import { HOST_STATUSES, type HostStatus } from '../lifecycle/statuses.js';

/** What a run took over from the one that it continues. */
export class InheritedView {
  /** How many results: `GET …/inherited-results` lists them. */
  results: number;
  /** Keys of the steps that no host comes to, because all of theirs have done them. */
  @ApiProperty({ type: [String] })
  done: string[];
}

/** A result of another run that a run took over; it is none of its own. */
export class InheritedResultView {
  stepKey: string;
  serverId: string;
  serverName: string;
  @ApiProperty({ enum: HOST_STATUSES })
  status: HostStatus;
  changed: boolean;
  @ApiProperty({ type: Number, nullable: true })
  exitCode: number | null;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, nullable: true })
  outputs: Record<string, string> | null;
  /** The host does not run the step again. */
  done: boolean;
  /** The run whose result it is. */
  executionId: string;
}

export class InheritedResultListView {
  @ApiProperty({ type: [InheritedResultView] })
  items: InheritedResultView[];
  @ApiProperty({ type: String, nullable: true })
  nextCursor: string | null;
}
