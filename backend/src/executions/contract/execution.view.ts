import { UserReference } from '../../common/http/user-reference.view.js';
import { Reason } from '../../common/http/reason.view.js';
import { ExecutionPinView } from './retention-rule.view.js';
import { ProtectionOverrideView } from '../../environments/protection/protection-changes.view.js';
import { ApiProperty } from '@nestjs/swagger';
import { VALUE_SCHEMA } from '../../variables/value-schema.js';
import type { VariableValue } from '../../variables/variable-value.js';
import { OverlapConflictView } from '../../common/http/problem.view.js';
import { STEP_TYPES } from '../../plans/steps/types/step-types.js';
import { LABEL_MAP_SCHEMA } from './run-labels.js';
import { InheritedView } from './inherited.view.js';
import { COUNTS_SCHEMA, type HostCounts, RunSummaryView } from './run-summary.view.js';
import {
  DECISION_ACTIONS,
  type DecisionAction,
  EXECUTION_MODES,
  EXECUTION_STATUSES,
  type ExecutionMode,
  type ExecutionStatus,
  HOST_STATUSES,
  type HostStatus,
  OVERLAP_ACTIONS,
  type OverlapAction,
  PAUSE_REASONS,
  type PauseReason,
  QUEUE_REASONS,
  type QueueReason,
  STEP_STATUSES,
  type StepStatus,
} from '../lifecycle/statuses.js';
import { ForecastView } from './forecast.view.js';
import { UnknownHostView } from './unknown-host.view.js';

/** Pause in which the run waits for a person. */
export class PauseView {
  /** Kind of the pause; it decides who can end it and how. */
  @ApiProperty({ enum: PAUSE_REASONS })
  reason: PauseReason;
  /** Explanation; null = none. */
  @ApiProperty({ type: String, nullable: true })
  text: string | null;
  since: string;
  /** Time at which the run ends as EXPIRED without an answer. */
  expiresAt: string;
  /** Step that the run waits before, or in after a failure; null for an approval. */
  @ApiProperty({ type: String, nullable: true })
  stepKey: string | null;
  /** Actions that `POST …/decisions` accepts now; empty for an approval, which has its own routes. */
  @ApiProperty({ enum: DECISION_ACTIONS, isArray: true })
  choices: DecisionAction[];
}

export class ApprovalDecisionView {
  user: UserReference;
  /** `approved`, or `rejected`: one rejection ends the run. */
  @ApiProperty({ enum: ['approved', 'rejected'] })
  decision: 'approved' | 'rejected';
  @ApiProperty({ type: String, nullable: true })
  comment: string | null;
  /** Time of the decision, in UTC. */
  at: string;
}

const APPROVAL_STATES = ['pending', 'approved', 'rejected', 'expired', 'cancelled', 'superseded'] as const;

/** Approval of a run in a protected environment. */
export class ApprovalView {
  /** Always true; a run that needs no approval has no approval record. */
  required: boolean;
  /** `superseded`: the content changed and needs a new approval. `cancelled`: the run ended before a decision. */
  @ApiProperty({ enum: APPROVAL_STATES })
  state: (typeof APPROVAL_STATES)[number];
  /** Number of members who must approve. */
  requiredApprovals: number;
  requestedBy: UserReference;
  requestedAt: string;
  /** Time at which the run ends as EXPIRED without a decision, in UTC. */
  expiresAt: string;
  /** Reason why approval is required again; null = first time. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  /** Decisions in their order. */
  @ApiProperty({ type: [ApprovalDecisionView] })
  decisions: ApprovalDecisionView[];
  /** Whether you can approve or reject it now. */
  currentUserCanDecide: boolean;
  /**
   * Reason why you cannot approve: `grant_required`, `already_decided`, or `self_approval` with what you started or
   * wrote; null = you can, or no approval is pending.
   */
  @ApiProperty({ type: Reason, nullable: true })
  currentUserObstacle: Reason | null;
}

export class ExecutionLinksView {
  /**
   * Path of this record.
   * @example "/api/executions/01927c5e-7d3a-7cc1-a2b4-8f1d3c5b6a79"
   */
  self: string;
  /**
   * Path of its events (`text/event-stream`).
   * @example "/api/executions/01927c5e-7d3a-7cc1-a2b4-8f1d3c5b6a79/stream"
   */
  stream: string;
  /**
   * Path of its results by step and host.
   * @example "/api/executions/01927c5e-7d3a-7cc1-a2b4-8f1d3c5b6a79/results"
   */
  results: string;
  /**
   * Path of its output.
   * @example "/api/executions/01927c5e-7d3a-7cc1-a2b4-8f1d3c5b6a79/output"
   */
  output: string;
}

/** A plan call or list item that contains a step. */
export class StepPartView {
  /**
   * Key of the calling or looping step, in its own plan.
   * @example "deploy"
   */
  key: string;
  /** Called plan; null = the part is only a loop. */
  @ApiProperty({ type: String, nullable: true })
  planId: string | null;
  @ApiProperty({ type: String, nullable: true })
  planName: string | null;
  @ApiProperty({ type: Number, nullable: true })
  planRevision: number | null;
  /** Item of the list; null = the part is only a call. */
  @ApiProperty({ type: String, nullable: true })
  item: string | null;
  /** Position of the item, from 0. */
  @ApiProperty({ type: Number, nullable: true })
  index: number | null;
}

export class ExecutionStepView {
  /**
   * Key, including the keys of calls and loops: `deploy/restart`, `install[0]`.
   * @example "restart"
   */
  key: string;
  /** Title of the step; empty = none, use `key`. */
  name: string;
  /** Kind of work of the step. */
  @ApiProperty({ enum: STEP_TYPES })
  type: string;
  /** Command in the plan's revision, message of a gate, or condition of a wait. */
  command: string;
  /** Calls and list items that contain the step, the outermost first; empty for a step of the run's own plan. */
  path: StepPartView[];
  /** Also runs the step on hosts that failed before. */
  always: boolean;
  /**
   * Whether `changed` of its results was observed, or derived from exit codes. False: Runward assumes a change after
   * each success, unless the step is read-only.
   */
  reportsChange: boolean;
  /** Progress of the step over all of its hosts. */
  @ApiProperty({ enum: STEP_STATUSES })
  status: StepStatus;
  /** Reason why the step was skipped or cancelled, or continued despite failures. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  startedAt: string | null;
  finishedAt: string | null;
  /** Number of hosts by status; statuses without hosts are absent or 0. */
  @ApiProperty(COUNTS_SCHEMA)
  counts: HostCounts;
}

export class ExecutionHostView {
  serverId: string;
  /**
   * Name of the server when the run started.
   * @example "web-1"
   */
  name: string;
  /**
   * Host name or IP address with the SSH port when the run started.
   * @example "10.0.0.5:22"
   */
  address: string;
  /** Status of the host in the run. */
  @ApiProperty({ enum: HOST_STATUSES })
  status: HostStatus;
  /** Key of the last step that the host began; null = none. */
  @ApiProperty({ type: String, nullable: true })
  lastStepKey: string | null;
  /** Keys of the steps whose selector matches the host; null = all steps. */
  @ApiProperty({ type: [String], nullable: true })
  targetedBy: string[] | null;
  /**
   * Tags of the server when the run started.
   * @example { "role": "web" }
   */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  tags: Record<string, string>;
}

export const RUN_VARIABLE_SOURCES = ['plan', 'environment', 'start', 'schedule', 'rerun'] as const;
export type RunVariableSource = (typeof RUN_VARIABLE_SOURCES)[number];
const STARTED_VIA = ['session', 'token', 'schedule'] as const;

export class RunScheduleView {
  id: string;
  /** Name of the schedule when the run started. */
  name: string;
}

/** The run waits for its start time or for guard keys, and then begins automatically. */
export class QueueEntryView {
  /** `start_time`: waits for `startAt`. `overlap`: waits in the queue (see `onOverlap`). */
  @ApiProperty({ enum: QUEUE_REASONS })
  waitsFor: QueueReason;
  /**
   * Position in the queue of the environment, in order of arrival; null = waits for its start time. A run that
   * conflicts with none of the earlier runs can begin before them.
   */
  @ApiProperty({ type: Number, nullable: true })
  position: number | null;
  since: string;
  @ApiProperty({ type: String, nullable: true })
  startAt: string | null;
  /** Time at which the run ends as EXPIRED if it has not begun. */
  @ApiProperty({ type: String, nullable: true })
  expiresAt: string | null;
}

/** Queue entry with the conflicting runs. */
export class QueueView extends QueueEntryView {
  /** Runs that hold guard keys of this run, or wait for them before it (`waits`): the first 20 that you can see. */
  @ApiProperty({ type: [OverlapConflictView] })
  blockers: OverlapConflictView[];
  /** Number of conflicting runs that are not listed. */
  hiddenBlockers: number;
}

export class ExecutionSummaryView {
  /** UUID of the run; its last 8 characters find it in lists. */
  id: string;
  /** Progress of the run. `finished` and `successful` interpret it; more statuses can be added. */
  @ApiProperty({ enum: EXECUTION_STATUSES })
  status: ExecutionStatus;
  /** True = the status never changes again. */
  finished: boolean;
  /** Null until the run has finished. */
  @ApiProperty({ type: Boolean, nullable: true })
  successful: boolean | null;
  /** Reason of the status; null = it needs no explanation. */
  @ApiProperty({ type: Reason, nullable: true })
  statusReason: Reason | null;
  @ApiProperty({ enum: EXECUTION_MODES })
  execution_mode: ExecutionMode;
  planId: string;
  planRevision: number;
  /** Name of the plan when the run started. */
  planName: string;
  /** Environment of the hosts, as in `GET /api/environments/{id}`. */
  environmentId: string;
  environmentName: string;
  /** Original run of this rerun; null = not a rerun. */
  @ApiProperty({ type: String, nullable: true })
  parentId: string | null;
  /** Reason of the pause; null = not paused. */
  @ApiProperty({ enum: PAUSE_REASONS, nullable: true })
  pauseReason: PauseReason | null;
  /**
   * True when the run waits for a person or holds hosts with unknown results, and you may approve, answer or resolve
   * it.
   */
  awaitsYou: boolean;
  /** Queue entry; null = the run does not wait in the queue. */
  @ApiProperty({ type: QueueEntryView, nullable: true })
  queue: QueueEntryView | null;
  @ApiProperty({ enum: OVERLAP_ACTIONS })
  onOverlap: OverlapAction;
  /** Requested start time; null = at once. */
  @ApiProperty({ type: String, nullable: true })
  startAt: string | null;
  note: string | null;
  /** Labels of the start, by key. */
  @ApiProperty(LABEL_MAP_SCHEMA)
  labels: Record<string, string>;
  /** Override by an admin of a freeze of the plan's collection; null = none. */
  @ApiProperty({ type: String, nullable: true })
  freezeOverride: string | null;
  /** Override by an admin of the run windows of the environment; null = none. */
  @ApiProperty({ type: String, nullable: true })
  windowOverride: string | null;
  startedBy: UserReference;
  /** Credential of the start, or `schedule`. */
  @ApiProperty({ enum: STARTED_VIA })
  startedVia: (typeof STARTED_VIA)[number];
  /**
   * Schedule that started the run, with its name and the rights of `startedBy` at that time; null = not started by a
   * schedule.
   */
  @ApiProperty({ type: RunScheduleView, nullable: true })
  schedule: RunScheduleView | null;
  /** Visible first characters of the token that started the run; null = not started with a token. */
  @ApiProperty({ type: String, nullable: true })
  tokenPrefix: string | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  /** Time of the last change of the record, such as its status. Output alone is not a change. */
  updatedAt: string;
  hostCount: number;
  /** Pin that protects the run from deletion; null = not pinned. */
  @ApiProperty({ type: ExecutionPinView, nullable: true })
  pin: ExecutionPinView | null;
  version: number;
  /**
   * Page of the run in the dashboard.
   * @example "https://runward.example.org/executions/01927c5e-7d3a-7cc1-a2b4-8f1d3c5b6a79"
   */
  webUrl: string;
}

/** File of a git source that the run uses. */
export class RunGitContentView {
  /**
   * Kind and name of the script or template; `file` = content of a step of type `file`.
   * @example "script deploy"
   */
  usedAs: string;
  gitSourceId: string;
  /** Name of the source when the run started. */
  sourceName: string;
  /** @example "deploy/restart.sh" */
  path: string;
  /** Null = the branch of the source. */
  @ApiProperty({ type: String, nullable: true })
  ref: string | null;
  /** @example "0b9c2625dc21ef05f6ad4ddf47c5f203837aa32c" */
  commit: string;
  /** SHA-256 of the content. */
  sha256: string;
}

/** Known problem that the run will meet on its hosts. */
export class RunWarningView {
  /** `no_commands`: Runward signs in to these hosts, but the login cannot run commands. */
  reason: Reason;
  /** Names of the first 20 hosts. */
  hosts: string[];
  hostCount: number;
}

export class ExecutionView extends ExecutionSummaryView {
  /** Queue entry and conflicting runs; null = the run does not wait in the queue. */
  @ApiProperty({ type: QueueView, nullable: true })
  override queue: QueueView | null;
  /** Content of git sources at its start. Later commits do not change the run. */
  @ApiProperty({ type: [RunGitContentView] })
  gitContent: RunGitContentView[];
  /** SHA-256 of the snapshot. */
  digest: string;
  /** Values at the start of the run; secrets are masked. */
  @ApiProperty({ type: 'object', additionalProperties: VALUE_SCHEMA })
  variables: Record<string, VariableValue>;
  /**
   * Source of each value of `variables`, by name. `plan`: the default of the plan; `start`: the start request;
   * `schedule`: the schedule that started the run; `rerun`: the start of the original run. A server's own value overrides
   * it on its host. Runs of older versions lack sources of `plan` and `environment`.
   */
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', enum: [...RUN_VARIABLE_SOURCES] },
    example: { RELEASE: 'start', REGION: 'environment' },
  })
  variableSources: Record<string, RunVariableSource>;
  /** Selector of the start that narrowed the plan's hosts. */
  targets: string;
  /** Current pause; null = not paused. */
  @ApiProperty({ type: PauseView, nullable: true })
  pause: PauseView | null;
  /** Name of the member who requested a pause at the next step boundary; null = none. */
  @ApiProperty({ type: UserReference, nullable: true })
  pauseRequestedBy: UserReference | null;
  /** Null = no approval was required. */
  @ApiProperty({ type: ApprovalView, nullable: true })
  approval: ApprovalView | null;
  /**
   * Last emergency override of the environment's protection, from seven days before the run was accepted until the run
   * ended; null = none.
   */
  @ApiProperty({ type: ProtectionOverrideView, nullable: true })
  protectionOverride: ProtectionOverrideView | null;
  /** Results inherited from the original run; null = none. */
  @ApiProperty({ type: InheritedView, nullable: true })
  inherited: InheritedView | null;
  /** Only for dry runs; null otherwise. */
  @ApiProperty({ type: ForecastView, nullable: true })
  forecast: ForecastView | null;
  /** Counts, duration and first failure of the run. */
  summary: RunSummaryView;
  /** Empty once the run has begun; a dry run keeps them. */
  @ApiProperty({ type: [RunWarningView] })
  warnings: RunWarningView[];
  /** The first 100. */
  @ApiProperty({ type: [UnknownHostView] })
  unknownHosts: UnknownHostView[];
  /** Deadline at which the run ends. */
  @ApiProperty({ type: String, nullable: true })
  expiresAt: string | null;
  /** ID of the latest event in the run's stream: `?after=` continues from this answer. */
  lastEventId: number;
  /** Steps of the run with those of called plans and loops, in order. */
  @ApiProperty({ type: [ExecutionStepView] })
  steps: ExecutionStepView[];
  /** The first 500 hosts. */
  @ApiProperty({ type: [ExecutionHostView] })
  hosts: ExecutionHostView[];
  /** Value of `hostsCursor` for the next hosts; null = no further hosts. */
  @ApiProperty({ type: String, nullable: true })
  hostsNextCursor: string | null;
  /** Paths of further data of the run. */
  links: ExecutionLinksView;
}

export class ExecutionListView {
  @ApiProperty({ type: [ExecutionSummaryView] })
  items: ExecutionSummaryView[];
  nextCursor: string | null;
}
