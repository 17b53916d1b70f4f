import { ApiProperty } from '@nestjs/swagger';

export class OutputContextLineView {
  /** Number of the line on this host in this step, from 1, across both streams. */
  @ApiProperty({ type: 'integer' })
  line: number;
  @ApiProperty({ enum: ['stdout', 'stderr'] })
  stream: 'stdout' | 'stderr';
  /** Beginning of the line, at most 500 characters. */
  text: string;
}

/** Line that contains the text. */
export class OutputHitView {
  stepKey: string;
  serverId: string;
  serverName: string;
  /** Standard output or standard error of the command. */
  @ApiProperty({ enum: ['stdout', 'stderr'] })
  stream: 'stdout' | 'stderr';
  /** Number of the line on this host in this step, from 1, across both streams. */
  @ApiProperty({ type: 'integer' })
  line: number;
  /** Position of the line in the output of the whole run, as in output windows. */
  @ApiProperty({ type: 'integer' })
  position: number;
  /** Time when Runward received the line. */
  at: string;
  /** Part of the line around the first match, at most 1,000 characters. */
  text: string;
  /** Present if `text` is not the whole line. */
  @ApiProperty({ type: Boolean, required: false, enum: [true] })
  truncated?: true;
  /**
   * First text that the regular expression matched, at most 1,000 characters. Absent if finding it took too long.
   * @example "ORA-01017"
   */
  match?: string;
  /** Lines before the hit. Fewer than requested, or none, if the lines are very long. */
  @ApiProperty({ type: [OutputContextLineView], maxItems: 5 })
  before: OutputContextLineView[];
  /** Lines after the hit. */
  @ApiProperty({ type: [OutputContextLineView], maxItems: 5 })
  after: OutputContextLineView[];
}

class OutputScanView {
  /**
   * Position to continue from, now or when the run has written more; null = the run has finished and all output was
   * searched. A line that was written in parts can be a hit again after this position.
   */
  @ApiProperty({ type: String, nullable: true })
  nextAfter: string | null;
  /** Percentage of the stored output that was searched. 100: all of it; an unfinished run can write more. */
  @ApiProperty({ type: 'integer', minimum: 0, maximum: 100 })
  readPercent: number;
}

export class OutputHitsView extends OutputScanView {
  /** Hits after the position `after`, in the order of storage. Possibly none, although more follow. */
  @ApiProperty({ type: [OutputHitView], maxItems: 200 })
  items: OutputHitView[];
}

/** Hits of a step on a host. */
export class OutputHitCountView {
  stepKey: string;
  serverId: string;
  serverName: string;
  /** Number of lines that contain the text. */
  @ApiProperty({ type: 'integer' })
  hits: number;
}

export class OutputHitCountsView extends OutputScanView {
  /** Steps and hosts with hits in the searched part, in the order of their first hits. */
  @ApiProperty({ type: [OutputHitCountView], maxItems: 1000 })
  items: OutputHitCountView[];
  /** Number of hits in the searched part: the sum of `items`. */
  @ApiProperty({ type: 'integer' })
  hits: number;
}
