import { ApiProperty } from '@nestjs/swagger';
import { ActiveFreezeView } from '../collections/collections.view.js';
import { UserReference } from '../common/http/user-reference.view.js';
import { ENVIRONMENT_ACCESS, type EnvironmentAccess } from '../environments/grant-policy.js';
import { RunWindowStateView } from '../environments/windows/run-windows.view.js';
import { ExecutionSummaryView } from '../executions/contract/execution.view.js';
import { FailureCauseView } from '../executions/contract/failure-causes.view.js';
import {
  EXECUTION_STATUSES,
  type ExecutionStatus,
  HOST_STATUSES,
  type HostStatus,
} from '../executions/lifecycle/statuses.js';

/** Progress of a run through its steps. */
export class RunProgressView {
  /** Name of the current step; null = no step has begun. */
  @ApiProperty({ type: String, nullable: true })
  stepName: string | null;
  /** Position of the current step, from 1; null = no step has begun. */
  @ApiProperty({ type: 'integer', nullable: true })
  stepNumber: number | null;
  /** All steps of the run, called plans included. */
  stepCount: number;
  /** Number of hosts that have finished the current step. */
  hostsDone: number;
  /** Number of hosts of the current step, or of the run before its first step. */
  hostCount: number;
  /** Share of the finished steps, from 0 to 100. The current step counts by its finished hosts. */
  percent: number;
}

export class RunningRunView {
  /** Unfinished run, as in `GET /api/executions`. */
  run: ExecutionSummaryView;
  /** Its position in the steps and hosts. */
  progress: RunProgressView;
  /** Median duration of the last 20 successful runs of the plan in the environment, in ms; null = no success, or a dry run. */
  @ApiProperty({ type: Number, nullable: true })
  usualDurationMs: number | null;
}

/** Failure of a plan in an environment that no later run has repaired. */
export class OpenFailureView {
  /** Latest failed run. */
  run: ExecutionSummaryView;
  /** Cause in the first failed step, from up to three of its hosts; null = no host failed. */
  @ApiProperty({ type: FailureCauseView, nullable: true })
  cause: FailureCauseView | null;
  /** Name of the first failed step; null = no step failed on a host. */
  @ApiProperty({ type: String, nullable: true })
  stepName: string | null;
  /** Number of hosts that failed in this step. */
  failedHosts: number;
  /**
   * Up to three failed hosts.
   * @example ["web-1"]
   */
  hostNames: string[];
  /** Number of failed runs since the last success, at least 1. */
  failedRuns: number;
  /** Time of the last success; null = none. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  lastSuccessAt: string | null;
}

export class OverviewView {
  /** Unfinished runs that do not wait for you, at most 20. Runs that wait for you: `GET /api/executions?awaiting=me`. */
  running: RunningRunView[];
  /** Number of all unfinished runs that do not wait for you. */
  runningCount: number;
  /**
   * Failures of the last 365 days without a later success of the plan in the environment: the newest 20. Dry runs do not
   * count.
   */
  openFailures: OpenFailureView[];
  /** Total of these failures, listed or not. */
  openFailureCount: number;
  /** Whether there are so many failed runs that older open failures were not counted. */
  openFailuresIncomplete: boolean;
  /** Number of runs that failed in the last 24 hours, repaired or not. */
  failedInLastDay: number;
  /** Number of environments that you can see. */
  environmentCount: number;
  /** Admins who can give you access, at most 5. Empty if you are one, if you can see an environment, or with a limited token. */
  admins: UserReference[];
}

/** Latest run of a plan in an environment. */
export class ExecutionResultView {
  executionId: string;
  planId: string;
  /** Name of the plan when the run started. */
  planName: string;
  planRevision: number;
  /** Status of the run. */
  @ApiProperty({ enum: EXECUTION_STATUSES })
  status: ExecutionStatus;
  startedAt: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  finishedAt: string | null;
}

/** Number of enabled servers by the result of their last check. */
export class HostHealthView {
  /** Servers on which the last check could run a command. */
  reachable: number;
  /** Number of servers whose last check failed. */
  unreachable: number;
  /** Number of servers without a check, or without an accepted host key. */
  unknown: number;
}

export class NextScheduleView {
  id: string;
  name: string;
  /** Next start. */
  nextAt: string;
}

/** Finished runs of a day. */
export class TrendDayView {
  /**
   * Day in UTC.
   * @example "2026-11-28"
   */
  day: string;
  /** Number of runs that succeeded or failed. Cancelled, rejected and expired runs, and dry runs, do not count. */
  runs: number;
  /** Those with the status SUCCEEDED. */
  succeeded: number;
}

/** Active freeze of a collection, seen from an environment. */
export class EnvironmentFreezeView extends ActiveFreezeView {
  /** Number of its plans that belong to the environment, or to none, and cannot start. */
  planCount: number;
}

export class OverviewEnvironmentView {
  id: string;
  name: string;
  /** `open`: visible to every member. `restricted`: visible to members with a grant, and admins. */
  @ApiProperty({ enum: ENVIRONMENT_ACCESS })
  access: EnvironmentAccess;
  /** Runs need approval before any host is touched. */
  protected: boolean;
  /** Whether runs may begin now; null = no run windows. */
  @ApiProperty({ type: RunWindowStateView, nullable: true })
  runWindowState: RunWindowStateView | null;
  /** Active freezes of collections with plans for the environment. Freezes that end first come first. */
  freezes: EnvironmentFreezeView[];
  /** Counts of its servers by reachability. */
  hosts: HostHealthView;
  /** Latest runs by plan, newest first, at most 5. */
  results: ExecutionResultView[];
  /** Number of open failures. */
  openFailures: number;
  /** Next starts by schedules, at most 3. */
  schedules: NextScheduleView[];
  /** Last 30 days, oldest first. Counts the newest 2,000 runs. */
  trend: TrendDayView[];
}

/** State of one environment. `results` has at most 50 plans of its latest 1,000 runs, `schedules` at most 10. */
export class EnvironmentOverviewView extends OverviewEnvironmentView {
  /** Whether more plans ran. */
  moreResults: boolean;
  /** Open failures: the newest 20. */
  failures: OpenFailureView[];
  /** Whether older open failures were not counted. */
  openFailuresIncomplete: boolean;
  /** Unfinished runs, at most 20, also those that wait for you. */
  running: RunningRunView[];
  /** Number of all unfinished runs. */
  runningCount: number;
}

/** Latest run of a plan on a server. */
export class ServerResultView extends ExecutionResultView {
  environmentId: string;
  /** Name of the environment when the run started. */
  environmentName: string;
  /** Result on this server. */
  @ApiProperty({ enum: HOST_STATUSES })
  hostStatus: HostStatus;
}

/** Runs on a server that began on a day, by their result on this server. */
export class ServerDayView {
  /**
   * Day in UTC.
   * @example "2026-11-28"
   */
  day: string;
  /** Runs that succeeded on this server. */
  succeeded: number;
  /** Runs that failed on this server. */
  failed: number;
  /** Runs that are not finished, or were skipped or cancelled on this server. */
  other: number;
}

/** Change of the state or of a fact of a server. */
export class ServerChangeView {
  /** Time of the check or run that noticed it. */
  at: string;
  /**
   * `state`, or the name of a fact.
   * @example "kernelVersion"
   */
  name: string;
  /** Previous value; null = none. */
  @ApiProperty({ type: String, nullable: true })
  before: string | null;
  /** New value; null = none. */
  @ApiProperty({ type: String, nullable: true })
  after: string | null;
}

export class ServerOverviewView {
  /** Last 30 days, oldest first. Counts the latest 1,000 runs. */
  days: ServerDayView[];
  /** Latest run of each plan on the server, newest first, at most 50 plans of its latest 1,000 runs. */
  results: ServerResultView[];
  /** Whether more plans ran. */
  moreResults: boolean;
  /** Latest 200 changes of its state and facts, newest first. */
  changes: ServerChangeView[];
}

export class OverviewEnvironmentsView {
  /** Environments with open failures first, then by latest run. */
  items: OverviewEnvironmentView[];
  /** Number of all matching environments. */
  total: number;
}

export class MatrixEnvironmentView {
  id: string;
  name: string;
}

export class MatrixPlanView {
  id: string;
  name: string;
  /** Latest result in each environment, in the order of `environments`; null = never run there. */
  @ApiProperty({
    type: 'array',
    items: { nullable: true, allOf: [{ $ref: '#/components/schemas/ExecutionResultView' }] },
  })
  results: (ExecutionResultView | null)[];
}

export class OverviewMatrixView {
  /** Environments by name, at most 12: with open failures first, then those used last. */
  environments: MatrixEnvironmentView[];
  /** Number of environments that are not listed. */
  moreEnvironments: number;
  /** Plans with open failures first, then by latest run, then by name. */
  plans: MatrixPlanView[];
  /** Whether more plans match. */
  more: boolean;
}

/** Number and durations of finished runs. */
export class RunTotalView {
  /** Number of runs that succeeded or failed. Cancelled, rejected and expired runs, and dry runs, do not count. */
  runs: number;
  /** Those with the status SUCCEEDED. */
  succeeded: number;
  /** Median duration of the successful runs, in ms; null = none. */
  @ApiProperty({ type: Number, nullable: true })
  medianMs: number | null;
  /** Duration that 95 % of the successful runs do not exceed, in ms; null = none. */
  @ApiProperty({ type: Number, nullable: true })
  p95Ms: number | null;
}

export class DurationDayView extends RunTotalView {
  /**
   * Day in UTC.
   * @example "2026-11-28"
   */
  day: string;
}

export class OverviewTrendsView {
  /** Days with runs, oldest first. */
  items: DurationDayView[];
  /** All days together. */
  total: RunTotalView;
  /** Whether older runs were not counted, because there are more than 20,000. */
  incomplete: boolean;
}
