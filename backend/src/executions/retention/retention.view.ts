import { ApiProperty } from '@nestjs/swagger';
import { KEPT_REASONS, type KeptReason } from './keeping.js';
import { RetentionRuleView } from '../contract/retention-rule.view.js';

export class RetainedEnvironmentView {
  environmentId: string;
  /** Null = the environment was deleted, but its runs are kept. */
  @ApiProperty({ type: String, nullable: true })
  environmentName: string | null;
  /** Number of finished runs. */
  runs: number;
  /** Stored output of the finished runs, in bytes. */
  bytes: number;
  /** Number of runs under a legal hold, including unfinished ones. */
  heldRuns: number;
  /** Start of the oldest run; null = no runs. */
  @ApiProperty({ type: String, nullable: true })
  oldestAt: string | null;
  /** The environment's own rule; null = the default rule applies. */
  @ApiProperty({ type: RetentionRuleView, nullable: true })
  rule: RetentionRuleView | null;
}

export class RetentionPassView {
  /** Earliest start of the next pass; null = none, because no rule has limits. */
  @ApiProperty({ type: String, nullable: true })
  dueAt: string | null;
  /** Start of the current pass; null = none is running. */
  @ApiProperty({ type: String, nullable: true })
  begunAt: string | null;
  /** End of the last pass; null = none yet. The next fields are results of that pass. */
  @ApiProperty({ type: String, nullable: true })
  lastFinishedAt: string | null;
  /** Number of runs that the last pass deleted; null = no pass yet. */
  @ApiProperty({ type: Number, nullable: true })
  lastRuns: number | null;
  /** Output that the last pass deleted, in bytes; null = no pass yet. */
  @ApiProperty({ type: Number, nullable: true })
  lastBytes: number | null;
}

export class RetentionView {
  /** Default rule, for environments without their own; null = such environments keep runs forever. */
  @ApiProperty({ type: RetentionRuleView, nullable: true })
  rule: RetentionRuleView | null;
  /** Number of finished runs in all environments. */
  runs: number;
  /** Stored output of the finished runs, in bytes. */
  bytes: number;
  /** At most 500, those with the most bytes first. */
  @ApiProperty({ type: [RetainedEnvironmentView] })
  environments: RetainedEnvironmentView[];
  /** Number of environments that are not listed. */
  moreEnvironments: number;
  /** Deletion passes; null = no rule has limits, and no pass has ended. */
  @ApiProperty({ type: RetentionPassView, nullable: true })
  pass: RetentionPassView | null;
}

/** Numbers of kept runs by reason; reasons without runs are omitted. */
const KEPT_SCHEMA = {
  type: 'object' as const,
  additionalProperties: { type: 'number' as const },
  description: `Number of due runs that are kept, by reason: ${KEPT_REASONS.join(', ')}.`,
  example: { pinned: 2, last_failed: 1 },
};

export class RetentionForecastView {
  environmentId: string;
  /** Name of the environment; null = it was deleted. */
  @ApiProperty({ type: String, nullable: true })
  environmentName: string | null;
  /** Number of runs that would be deleted. `bytes` is their output, in bytes. */
  runs: number;
  /** Output of these runs, in bytes. */
  bytes: number;
  /** Total number of finished runs. `ofBytes` is their output, in bytes. */
  ofRuns: number;
  ofBytes: number;
  /** Start of the oldest and of the newest run that would be deleted; null = none. */
  @ApiProperty({ type: String, nullable: true })
  from: string | null;
  /** Start of the newest run that would be deleted, in UTC; null = none. */
  @ApiProperty({ type: String, nullable: true })
  to: string | null;
  @ApiProperty(KEPT_SCHEMA)
  kept: Partial<Record<KeptReason, number>>;
  /** True = all runs were scanned; false = the scan ran out of time, so the numbers are lower bounds. */
  complete: boolean;
}

export class RetentionPreviewView {
  /** Total over all affected environments. */
  runs: number;
  /** Output of the runs that would be deleted, in bytes. */
  bytes: number;
  ofRuns: number;
  ofBytes: number;
  /** More than half of the runs or bytes would or could be deleted: saving the rule needs `confirm`. */
  needsConfirmation: boolean;
  /** True = all runs were scanned; false = the scan ran out of time, so the numbers are lower bounds. */
  complete: boolean;
  /** Environments with due runs: at most 500, those that lose the most first. */
  @ApiProperty({ type: [RetentionForecastView] })
  environments: RetentionForecastView[];
}

export class RequestedPassView {
  requestedAt: string;
  /** Number of live workers. 0 = the pass begins when a worker starts. */
  workers: number;
}
