import { ApiProperty } from '@nestjs/swagger';

export class OutputHostView {
  serverId: string;
  serverName: string;
}

export class DroppedOutputView {
  /** Number of lines of which nothing was stored. */
  @ApiProperty({ type: 'integer' })
  lines: number;
  /** Size of the output that was not stored, in bytes. */
  @ApiProperty({ type: 'integer' })
  bytes: number;
}

/** Consecutive lines of one stream of a step on a host, received together. */
export class OutputBlockView {
  /** Index in `steps`. */
  @ApiProperty({ type: 'integer' })
  step: number;
  /** Index in `hosts`. */
  @ApiProperty({ type: 'integer' })
  host: number;
  @ApiProperty({ enum: ['stdout', 'stderr'] })
  stream: 'stdout' | 'stderr';
  /** Position of the first line. The next lines have the next positions. */
  @ApiProperty({ type: 'integer' })
  position: number;
  /** Position of the first line in the output of the whole run. Only for a step on a host. */
  @ApiProperty({ type: 'integer', required: false })
  runPosition?: number;
  /** Number of the first line on this host in this step, from 1, across both streams. */
  @ApiProperty({ type: 'integer' })
  line: number;
  /** Time when Runward received the first line. */
  at: string;
  /** Lines without line ends. Invalid UTF-8 is replaced by U+FFFD. */
  @ApiProperty({ type: [String] })
  lines: string[];
  /** Output between the previous line of this host in this step and this block that exceeded the output limit. */
  @ApiProperty({ type: DroppedOutputView, required: false })
  dropped?: DroppedOutputView;
  /** Present if the beginning of the first line was dropped. */
  @ApiProperty({ type: Boolean, required: false, enum: [true] })
  continues?: true;
  /** Present if the last line has no line end, or none yet. */
  @ApiProperty({ type: Boolean, required: false, enum: [true] })
  partial?: true;
  /**
   * Indexes in `lines` of lines that were too long to return completely. A progress bar, which overwrites its line, is
   * shortened to its latest part, any other line to its beginning.
   */
  @ApiProperty({ type: 'array', items: { type: 'integer' }, required: false })
  truncated?: number[];
}

export class OutputWindowView {
  /** Keys of the steps in `blocks`. */
  @ApiProperty({ type: [String] })
  steps: string[];
  /** Hosts in `blocks`. */
  @ApiProperty({ type: [OutputHostView] })
  hosts: OutputHostView[];
  /** In ascending order of positions. */
  @ApiProperty({ type: [OutputBlockView] })
  blocks: OutputBlockView[];
  /** Value of `before` for the preceding lines; null = there are none. */
  @ApiProperty({ type: 'integer', nullable: true })
  previous: number | null;
  /** Value of `from` for the following lines, now or when the run has written more; null = there will be none. */
  @ApiProperty({ type: 'integer', nullable: true })
  next: number | null;
  /** Position of the first line of the step, or of the run; 0 = no output. */
  @ApiProperty({ type: 'integer' })
  first: number;
  /** Position of the last line of the step, or of the run; 0 = no output. */
  @ApiProperty({ type: 'integer' })
  last: number;
}
