import { ApiProperty } from '@nestjs/swagger';
import { QueryBoolean, QueryText } from '../../common/http/fields.js';
import { QueryId } from '../../common/http/paging/filters.js';
import { DifferenceView } from '../../common/http/problem.view.js';
import {
  EXECUTION_MODES,
  EXECUTION_STATUSES,
  type ExecutionMode,
  type ExecutionStatus,
  HOST_STATUSES,
  type HostStatus,
  STEP_STATUSES,
  type StepStatus,
} from '../lifecycle/statuses.js';
import { MAX_RUN_KEY_LENGTH } from './execution.dto.js';
import { COUNTS_SCHEMA, type HostCounts } from './run-summary.view.js';

export class CompareExecutionQuery {
  /** ID of the earlier run. Default: the last successful run of the plan in the environment before this run. */
  @QueryId()
  with?: string;

  /** Whether differences have the texts `before` and `after`. Default: true. */
  @QueryBoolean()
  texts?: boolean;
}

export class CompareHostsQuery {
  /** ID of the earlier run. Default: the last successful run of the plan in the environment before this run. */
  @QueryId()
  with?: string;

  /** Compares only the results of this step. */
  @QueryText(MAX_RUN_KEY_LENGTH)
  stepKey?: string;

  /** Only hosts whose name contains this text, not case-sensitive. */
  @QueryText(200)
  q?: string;
}

export class UsualStepDurationQuery {
  /** Step of the run. Default: the whole run. */
  @QueryText(MAX_RUN_KEY_LENGTH)
  stepKey?: string;
}

/** One of two compared runs. */
export class RunInComparisonView {
  id: string;
  planId: string;
  planName: string;
  planRevision: number;
  environmentId: string;
  environmentName: string;
  /** Status of the run at the time of the request. */
  @ApiProperty({ enum: EXECUTION_STATUSES })
  status: ExecutionStatus;
  @ApiProperty({ enum: EXECUTION_MODES })
  execution_mode: ExecutionMode;
  hostCount: number;
  createdAt: string;
  @ApiProperty({ type: String, nullable: true })
  startedAt: string | null;
  @ApiProperty({ type: String, nullable: true })
  finishedAt: string | null;
  /** Time from the start by a worker to the end, in ms; null until then. */
  @ApiProperty({ type: Number, nullable: true })
  durationMs: number | null;
}

/** Number of differences of a kind. */
export class DifferenceCountView {
  /** Kind of the parts that differ. */
  @ApiProperty({ enum: ['step', 'script', 'template', 'variable', 'secret', 'host', 'setting'] })
  kind: DifferenceView['kind'];
  /** `added` and `removed` compare this run with the earlier one. */
  @ApiProperty({ enum: ['added', 'removed', 'changed'] })
  change: DifferenceView['change'];
  /** Number of such differences. */
  count: number;
}

/** A step in one of two compared runs. */
export class StepInRunView {
  /** Status of the step in the run. */
  @ApiProperty({ enum: STEP_STATUSES })
  status: StepStatus;
  /** Time from the start of the step to its end, in ms; null until then. */
  @ApiProperty({ type: Number, nullable: true })
  durationMs: number | null;
  /** Number of hosts by their status in the step. */
  @ApiProperty(COUNTS_SCHEMA)
  counts: HostCounts;
}

/** A step in both compared runs. Steps with the same key are the same step. */
export class ComparedStepView {
  /** Key of the step in the run. */
  key: string;
  /** Title of the step in this run, else in the earlier one; empty = none, use `key`. */
  name: string;
  /** Null: the earlier run does not have the step. */
  @ApiProperty({ type: StepInRunView, nullable: true })
  before: StepInRunView | null;
  /** Null: this run does not have the step. */
  @ApiProperty({ type: StepInRunView, nullable: true })
  after: StepInRunView | null;
}

/** Duration of earlier successful runs. */
export class UsualDurationView {
  /** Median duration in ms. */
  medianMs: number;
  /** Number of runs in the median, at most 20. */
  runs: number;
}

/** Time that a step took on a host, or that the whole run took, in earlier successful runs. */
export class UsualStepDurationView {
  /** Median in ms; null = no earlier success, or a dry run. */
  @ApiProperty({ type: Number, nullable: true })
  medianMs: number | null;
  /** Number of durations in the median: at most 200 hosts for each run. */
  results: number;
  /** Number of runs in the median, at most 20. */
  runs: number;
}

/** What a run did differently from an earlier one. */
export class RunComparisonView {
  /** The run in the path. */
  run: RunInComparisonView;
  /** The earlier run. Null: `with` was not sent, and no earlier run of the plan succeeded in the environment. */
  @ApiProperty({ type: RunInComparisonView, nullable: true })
  comparedTo: RunInComparisonView | null;
  /** The first 200. Values of secrets are never included. */
  @ApiProperty({ type: [DifferenceView] })
  differences: DifferenceView[];
  /** Number of differences that are not listed. */
  moreDifferences: number;
  /** Number of all differences by kind and change, including those that are not listed. */
  @ApiProperty({ type: [DifferenceCountView] })
  differenceCounts: DifferenceCountView[];
  /** Steps of both runs in the order of this run, then those that only the earlier run has. */
  @ApiProperty({ type: [ComparedStepView] })
  steps: ComparedStepView[];
  /** Of the last successful runs of the plan in the environment before this run; null = none, or a dry run. */
  @ApiProperty({ type: UsualDurationView, nullable: true })
  usualDuration: UsualDurationView | null;
}

/** A host in one of two compared runs. */
export class HostInRunView {
  /** Status of the host, or of the requested step on it. */
  @ApiProperty({ enum: HOST_STATUSES })
  status: HostStatus;
  /** Sum of the durations of its steps, or the duration of the requested step, in ms; null = nothing ran. */
  @ApiProperty({ type: Number, nullable: true })
  durationMs: number | null;
}

/** A host in both compared runs. Results on the same server are the same host. */
export class ComparedHostView {
  serverId: string;
  /**
   * Name of the server when this run started, else when the earlier one started.
   * @example "web-1"
   */
  serverName: string;
  /** Null: the earlier run does not have the host, or no result of the requested step on it. */
  @ApiProperty({ type: HostInRunView, nullable: true })
  before: HostInRunView | null;
  /** Null: this run does not have the host, or no result of the requested step on it. */
  @ApiProperty({ type: HostInRunView, nullable: true })
  after: HostInRunView | null;
}

export class ComparedHostsView {
  /**
   * The first 200: hosts with a different status first, then those that became slower, with the largest change first.
   */
  @ApiProperty({ type: [ComparedHostView] })
  items: ComparedHostView[];
  /** Number of matching hosts. */
  total: number;
  /** Number of matching hosts whose status differs, or that only one of the runs has. */
  changedStatus: number;
}
