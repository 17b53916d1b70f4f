import { ApiProperty } from '@nestjs/swagger';
import { KEPT_REASONS, type KeptReason } from './keeping.js';
import { RetentionRuleView } from '../contract/retention-rule.view.js';

export class RetainedEnvironmentView {
  environmentId: string;
  /** Null: the environment was deleted, its runs were not. */
  @ApiProperty({ type: String, nullable: true })
  environmentName: string | null;
  /** Finished runs. */
  runs: number;
  /** Bytes of output that they stored. */
  bytes: number;
  /** Runs under a legal hold, unfinished ones included. */
  heldRuns: number;
  /** Start of the oldest run; null: there is none. */
  @ApiProperty({ type: String, nullable: true })
  oldestAt: string | null;
  /** The environment's own rule; null: that of the tenant holds. */
  @ApiProperty({ type: RetentionRuleView, nullable: true })
  rule: RetentionRuleView | null;
}

export class RetentionPassView {
  /** When the next one begins at the earliest; null: never, as no rule limits anything. */
  @ApiProperty({ type: String, nullable: true })
  dueAt: string | null;
  /** Since when one goes on; null: none does. */
  @ApiProperty({ type: String, nullable: true })
  begunAt: string | null;
  /** When the latest one ended, and how much it removed; null: there was none. */
  @ApiProperty({ type: String, nullable: true })
  lastEndedAt: string | null;
  @ApiProperty({ type: Number, nullable: true })
  lastRuns: number | null;
  @ApiProperty({ type: Number, nullable: true })
  lastBytes: number | null;
}

export class RetentionView {
  /** Where an environment has no rule of its own; null: runs are kept for ever there. */
  @ApiProperty({ type: RetentionRuleView, nullable: true })
  rule: RetentionRuleView | null;
  /** Finished runs of all environments. */
  runs: number;
  /** Bytes of output that they stored. */
  bytes: number;
  /** Those that store most first, at most 500. */
  @ApiProperty({ type: [RetainedEnvironmentView] })
  environments: RetainedEnvironmentView[];
  /** How many further environments there are. */
  moreEnvironments: number;
  @ApiProperty({ type: RetentionPassView, nullable: true })
  pass: RetentionPassView | null;
}

/** Runs by why they stay; a reason that none has is left out. */
const KEPT_SCHEMA = {
  type: 'object' as const,
  additionalProperties: { type: 'number' as const },
  description: `Due runs that stay, by the reason: ${KEPT_REASONS.join(', ')}.`,
  example: { pinned: 2, last_failed: 1 },
};

export class RetentionForecastView {
  environmentId: string;
  @ApiProperty({ type: String, nullable: true })
  environmentName: string | null;
  /** Runs that would go, and bytes of output with them. */
  runs: number;
  bytes: number;
  /** Of so many finished runs and bytes. */
  ofRuns: number;
  ofBytes: number;
  /** Starts of the oldest and newest run that would go; null: none would. */
  @ApiProperty({ type: String, nullable: true })
  from: string | null;
  @ApiProperty({ type: String, nullable: true })
  to: string | null;
  @ApiProperty(KEPT_SCHEMA)
  kept: Partial<Record<KeptReason, number>>;
  /** False: there was no time to look at all; at least so many would go. */
  complete: boolean;
}

export class RetentionPreviewView {
  /** Of all environments that it is about. */
  runs: number;
  bytes: number;
  ofRuns: number;
  ofBytes: number;
  /** More than half of the runs or bytes would go, or may: saving the rule asks for `confirm`. */
  needsConfirmation: boolean;
  /** False: there was no time to look at all; at least so many would go. */
  complete: boolean;
  /** Environments of which something is due, those that lose most first, at most 500. */
  @ApiProperty({ type: [RetentionForecastView] })
  environments: RetentionForecastView[];
}

export class RequestedPassView {
  requestedAt: string;
  /** Workers that live. 0: nothing happens before one starts. */
  workers: number;
}
