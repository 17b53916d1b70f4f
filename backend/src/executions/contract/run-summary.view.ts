import { Reason } from '../../common/http/reason.view.js';
import { ApiProperty } from '@nestjs/swagger';
import { STEP_TYPES } from '../../plans/steps/types/step-types.js';
import { HOST_STATUSES, type HostStatus, type StepStatus, type Verdict, VERDICTS } from '../lifecycle/statuses.js';

/** Number of hosts by status; statuses without hosts are left out. */
export const COUNTS_SCHEMA = {
  type: 'object' as const,
  additionalProperties: { type: 'number' as const },
  example: { SUCCEEDED: 3, FAILED: 1 },
};
export type HostCounts = Partial<Record<HostStatus, number>>;

/** Number of steps by status; statuses without steps are left out. */
const STEP_COUNTS_SCHEMA = { ...COUNTS_SCHEMA, example: { SUCCEEDED: 2, FAILED: 1, SKIPPED: 1 } };
export type StepCounts = Partial<Record<StepStatus, number>>;

/** Number of hosts by verdict; all verdicts are present. */
const VERDICT_COUNTS_SCHEMA = {
  type: 'object' as const,
  additionalProperties: { type: 'number' as const },
  example: { WOULD_RUN: 2, WOULD_CHANGE: 1, NO_CHANGE: 0, WOULD_SKIP: 0, CANNOT_PREDICT: 0, BLOCKED: 0 },
};

/** Result of a dry run for one step. */
export class StepSummaryView {
  /**
   * Key of the step in the run.
   * @example "restart"
   */
  key: string;
  /** Kind of work of the step. */
  @ApiProperty({ enum: STEP_TYPES })
  type: string;
  /** Most severe verdict of its hosts; null = no verdict, or no hosts. */
  @ApiProperty({ enum: VERDICTS, nullable: true })
  verdict: Verdict | null;
  /** Reason on one of these hosts. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  /** Number of hosts by verdict. */
  @ApiProperty(VERDICT_COUNTS_SCHEMA)
  verdicts: Record<Verdict, number>;
}

/** Failure on a host that ended first. */
export class FirstFailureView {
  serverId: string;
  /** @example "web-1" */
  serverName: string;
  stepKey: string;
  /** Status of the first host that failed. */
  @ApiProperty({ enum: HOST_STATUSES })
  status: HostStatus;
  @ApiProperty({ type: Number, nullable: true })
  exitCode: number | null;
  /** Cause of the failure; null = none recorded. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  /** Last lines of the output, masked, at most 5 lines of 500 characters. */
  lastLines: string[];
}

/** Result of a run, for programs. */
export class RunSummaryView {
  /** Number of hosts by the status of their last step. */
  @ApiProperty(COUNTS_SCHEMA)
  hostCounts: HostCounts;
  /** Number of steps by status. */
  @ApiProperty(STEP_COUNTS_SCHEMA)
  stepCounts: StepCounts;
  /** Time from the start by a worker to the end, in ms; null until then. */
  @ApiProperty({ type: Number, nullable: true })
  durationMs: number | null;
  /** Null = no failure on any host so far. */
  @ApiProperty({ type: FirstFailureView, nullable: true })
  firstFailure: FirstFailureView | null;
  /**
   * Number of verdicts of a dry run over all steps and hosts. This field and the following ones are null for other
   * runs.
   */
  @ApiProperty({ ...VERDICT_COUNTS_SCHEMA, nullable: true })
  verdicts: Record<Verdict, number> | null;
  /** Number of hosts on which something would change. */
  @ApiProperty({ type: Number, nullable: true })
  changingHosts: number | null;
  /** Number of hosts on which a step is BLOCKED. */
  @ApiProperty({ type: Number, nullable: true })
  blockedHosts: number | null;
  /** Predictions by step, in the order of the plan; null = not a dry run. */
  @ApiProperty({ type: [StepSummaryView], nullable: true })
  steps: StepSummaryView[] | null;
}
