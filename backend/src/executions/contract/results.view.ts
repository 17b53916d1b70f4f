import { UserReference } from '../../common/http/user-reference.view.js';
import { Reason } from '../../common/http/reason.view.js';
import { ApiProperty } from '@nestjs/swagger';
import { HOST_STATUSES, type HostStatus, type Verdict, VERDICTS } from '../lifecycle/statuses.js';
import { HostCheckView } from './unknown-host.view.js';

export const RESOLUTIONS = [
  'found_succeeded',
  'found_failed',
  'marked_succeeded',
  'marked_failed',
  'skipped',
  'run_again',
] as const;

/** Resolution of an unknown result, by asking the host or by a person. */
export class ResolutionView {
  /** `found_…`: the host reported the result. `marked_…`, `skipped`, `run_again`: a person decided. */
  @ApiProperty({ enum: RESOLUTIONS })
  kind: (typeof RESOLUTIONS)[number];
  @ApiProperty({ type: String, nullable: true })
  comment: string | null;
  /** Member who decided; null = the host reported the result. */
  @ApiProperty({ type: UserReference, nullable: true })
  by: UserReference | null;
  /** Time of the resolution, in UTC. */
  @ApiProperty({ type: String, nullable: true })
  at: string | null;
}

/** Result of one step on one host, as observed. */
export class HostResultView {
  stepKey: string;
  serverId: string;
  /** @example "web-1" */
  serverName: string;
  /** Outcome of the step on the host. `UNKNOWN`: the connection was lost before the command ended. */
  @ApiProperty({ enum: HOST_STATUSES })
  status: HostStatus;
  /** @example 0 */
  @ApiProperty({ type: Number, nullable: true })
  exitCode: number | null;
  @ApiProperty({ type: String, nullable: true })
  signal: string | null;
  /** Number of attempts. */
  attempts: number;
  /** Time of the first connection for the step. */
  @ApiProperty({ type: String, nullable: true })
  startedAt: string | null;
  /**
   * Time when the begin of the command of the last attempt was stored; null = it never began, or the step runs no
   * command. Begin and end of a short command are stored together.
   */
  @ApiProperty({ type: String, nullable: true })
  commandStartedAt: string | null;
  finishedAt: string | null;
  /** Reason why the step did not succeed, or a remark; null = none. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  /** True when the step changed the host; null = unknown. */
  @ApiProperty({ type: Boolean, nullable: true })
  changed: boolean | null;
  /** Outputs that the command set for later steps. */
  @ApiProperty({ type: 'object', nullable: true, additionalProperties: { type: 'string' } })
  outputs: Record<string, string> | null;
  /** Prediction of a dry run; `reason` explains it. */
  @ApiProperty({ enum: VERDICTS, nullable: true })
  verdict: Verdict | null;
  /**
   * Diff of the file of a template step against the previous file; in a dry run, of the predicted change. Masked, at
   * most about 16 KiB.
   */
  @ApiProperty({ type: String, nullable: true })
  diff: string | null;
  /** Resolution of an unknown result; null = not resolved yet, or never unknown. */
  @ApiProperty({ type: ResolutionView, nullable: true })
  resolution: ResolutionView | null;
  /** Null = the result was never unknown, or the host was not asked again. */
  @ApiProperty({ type: HostCheckView, nullable: true })
  check: HostCheckView | null;
  /** Number of stored output lines. */
  outputLines: number;
  /** Size of the stored output, in bytes. */
  outputBytes: number;
  /** Number of lines beyond the limit per host and step, which were not stored. */
  droppedLines: number;
  /** Size of output beyond the limit, which was not stored, in bytes. */
  droppedBytes: number;
  /** Number of the last line before the dropped output; null = nothing was dropped. */
  @ApiProperty({ type: 'integer', nullable: true })
  droppedAfterLine: number | null;
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
  /** Standard output or standard error of the command. */
  @ApiProperty({ enum: ['stdout', 'stderr'] })
  stream: 'stdout' | 'stderr';
  /** Number of the line on this host in this step, from 1, across both streams. */
  line: number;
  text: string;
  /** The line continues in a later item with the same number. */
  partial: boolean;
  /** Continuation of a line that began in an earlier item. */
  continues: boolean;
  /** Time when Runward received the output. */
  at: string;
}

export class OutputView {
  /** Lines after the position `after`, in their order. */
  @ApiProperty({ type: [OutputLineView] })
  items: OutputLineView[];
  /**
   * Position to continue from, now or when the run has written more; null = the run has finished and everything was
   * read. A request reads a limited part of the output, so it can return fewer lines than `limit`, or none, although
   * more follow: see `readPercent`.
   */
  @ApiProperty({ type: String, nullable: true })
  nextAfter: string | null;
  /**
   * Percentage of the stored output before `nextAfter`. Below 100: continue with `nextAfter` at once. 100: everything
   * was read; an unfinished run can write more.
   */
  @ApiProperty({ type: 'integer', minimum: 0, maximum: 100 })
  readPercent: number;
}
