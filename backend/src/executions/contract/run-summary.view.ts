import { ApiProperty } from '@nestjs/swagger';
import { STEP_TYPES } from '../../plans/steps/plan-content.js';
import { HOST_STATUSES, type HostStatus, type StepStatus, type Verdict, VERDICTS } from '../lifecycle/statuses.js';

/** Hosts by their status; a status that no host has is left out. */
export const COUNTS_SCHEMA = {
  type: 'object' as const,
  additionalProperties: { type: 'number' as const },
  example: { SUCCEEDED: 3, FAILED: 1 },
};
export type HostCounts = Partial<Record<HostStatus, number>>;

/** Steps by their status; a status that no step has is left out. */
const STEP_COUNTS_SCHEMA = { ...COUNTS_SCHEMA, example: { SUCCEEDED: 2, FAILED: 1, SKIPPED: 1 } };
export type StepCounts = Partial<Record<StepStatus, number>>;

/** Hosts by verdict; one that no host has is 0. */
const VERDICT_COUNTS_SCHEMA = {
  type: 'object' as const,
  additionalProperties: { type: 'number' as const },
  example: { WOULD_RUN: 2, WOULD_CHANGE: 1, NO_CHANGE: 0, WOULD_SKIP: 0, CANNOT_PREDICT: 0, BLOCKED: 0 },
};

/** What a dry run found out about one step. */
export class StepSummaryView {
  /** @example "restart" */
  key: string;
  @ApiProperty({ enum: STEP_TYPES })
  type: string;
  /** The gravest of its hosts' verdicts; null: nothing was found out, or it has no hosts. */
  @ApiProperty({ enum: VERDICTS, nullable: true })
  verdict: Verdict | null;
  /** Why, in words, on one of these hosts. */
  @ApiProperty({ type: String, nullable: true })
  reason: string | null;
  @ApiProperty(VERDICT_COUNTS_SCHEMA)
  verdicts: Record<Verdict, number>;
}

/** The first thing that went wrong on a host, by the time at which it ended there. */
export class FirstFailureView {
  serverId: string;
  /** @example "web-1" */
  serverName: string;
  stepKey: string;
  @ApiProperty({ enum: HOST_STATUSES })
  status: HostStatus;
  @ApiProperty({ type: Number, nullable: true })
  exitCode: number | null;
  /** Why, and what to do. */
  @ApiProperty({ type: String, nullable: true })
  message: string | null;
  /** The end of what the command wrote there, masked, each line cut to 500 characters; at most 5 lines. */
  lastLines: string[];
}

/** What became of a run, for programs that only want to know that. */
export class RunSummaryView {
  @ApiProperty(COUNTS_SCHEMA)
  hostCounts: HostCounts;
  @ApiProperty(STEP_COUNTS_SCHEMA)
  stepCounts: StepCounts;
  /** From when a worker began it to its end; null until then. In milliseconds. */
  @ApiProperty({ type: Number, nullable: true })
  durationMs: number | null;
  /** Null: nothing went wrong on any host so far. */
  @ApiProperty({ type: FirstFailureView, nullable: true })
  firstFailure: FirstFailureView | null;
  /** Of a dry run: of all steps and hosts together; null for any other run, as what follows. */
  @ApiProperty({ ...VERDICT_COUNTS_SCHEMA, nullable: true })
  verdicts: Record<Verdict, number> | null;
  /** Hosts on which something would change. */
  @ApiProperty({ type: Number, nullable: true })
  changingHosts: number | null;
  /** Hosts on which a step is BLOCKED. */
  @ApiProperty({ type: Number, nullable: true })
  blockedHosts: number | null;
  @ApiProperty({ type: [StepSummaryView], nullable: true })
  steps: StepSummaryView[] | null;
}
