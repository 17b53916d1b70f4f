import { ApiProperty } from '@nestjs/swagger';
import { HOST_STATUSES, type HostStatus, type Verdict, VERDICTS } from '../lifecycle/statuses.js';
import { UserRefView } from './execution.view.js';
import { HostCheckView } from './unknown-host.view.js';

export const RESOLUTIONS = [
  'found_succeeded',
  'found_failed',
  'marked_succeeded',
  'marked_failed',
  'skipped',
  'run_again',
] as const;

/** What was found out about a host whose result was unknown: by asking the host, or by a person. */
export class ResolutionView {
  @ApiProperty({ enum: RESOLUTIONS })
  kind: (typeof RESOLUTIONS)[number];
  @ApiProperty({ type: String, nullable: true })
  comment: string | null;
  @ApiProperty({ type: UserRefView, nullable: true })
  by: UserRefView | null;
  @ApiProperty({ type: String, nullable: true })
  at: string | null;
}

/** What became of one step on one host. Only what was observed is told. */
export class HostResultView {
  stepKey: string;
  serverId: string;
  /** @example "web-1" */
  serverName: string;
  @ApiProperty({ enum: HOST_STATUSES })
  status: HostStatus;
  /** @example 0 */
  @ApiProperty({ type: Number, nullable: true })
  exitCode: number | null;
  @ApiProperty({ type: String, nullable: true })
  signal: string | null;
  /** How often the command was started. */
  attempts: number;
  startedAt: string | null;
  finishedAt: string | null;
  /** Why it did not succeed: stable name. */
  @ApiProperty({ type: String, nullable: true, example: 'connection_refused' })
  code: string | null;
  /** Why it did not succeed, and what to do. */
  @ApiProperty({ type: String, nullable: true })
  message: string | null;
  /** Whether it changed the host; null: that is not known. */
  @ApiProperty({ type: Boolean, nullable: true })
  changed: boolean | null;
  /** Values that the command set for later steps. */
  @ApiProperty({ type: 'object', nullable: true, additionalProperties: { type: 'string' } })
  outputs: Record<string, string> | null;
  /** What a dry run predicts; `message` tells why. */
  @ApiProperty({ enum: VERDICTS, nullable: true })
  verdict: Verdict | null;
  /** How the file of a template step differs from the one before; in a dry run what would change. Masked, at most about 16 KiB. */
  @ApiProperty({ type: String, nullable: true })
  diff: string | null;
  /** What was found out about a result that was unknown; null: nothing yet, or it never was. */
  @ApiProperty({ type: ResolutionView, nullable: true })
  resolution: ResolutionView | null;
  /** Null: the result was never unknown, or nobody had the host asked. */
  @ApiProperty({ type: HostCheckView, nullable: true })
  check: HostCheckView | null;
  outputLines: number;
  outputBytes: number;
  /** What went beyond the limit per host and step; counted, not kept. */
  droppedLines: number;
  droppedBytes: number;
}

export class HostResultListView {
  @ApiProperty({ type: [HostResultView] })
  items: HostResultView[];
  nextCursor: string | null;
}

export class OutputLineView {
  stepKey: string;
  serverId: string;
  serverName: string;
  @ApiProperty({ enum: ['stdout', 'stderr'] })
  stream: 'stdout' | 'stderr';
  /** Number of the line on this host in this step, from 1, over both streams. */
  line: number;
  text: string;
  /** The line goes on in a later item with the same number: its end has not been seen yet. */
  partial: boolean;
  /** This is the rest of a line whose beginning stands in an earlier item. */
  continues: boolean;
  /** When the output arrived. */
  at: string;
}

export class OutputView {
  @ApiProperty({ type: [OutputLineView] })
  items: OutputLineView[];
  /**
   * Where to go on, now or when the run has written more; null when the run is finished and everything was read. One
   * request looks at a bounded part of the output, so there may be fewer lines than `limit`, or none, and still more to
   * read or to find: `readPercent` tells.
   */
  @ApiProperty({ type: String, nullable: true })
  nextAfter: string | null;
  /**
   * How much of the run's output that is stored now lies before `nextAfter`, in percent. Below 100: go on with `nextAfter`
   * at once. 100: everything that there is has been looked at; an unfinished run may write more.
   */
  @ApiProperty({ type: 'integer', minimum: 0, maximum: 100 })
  readPercent: number;
}
