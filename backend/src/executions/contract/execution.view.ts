import { ExecutionPinView } from './retention-rule.view.js';
import { ProtectionOverrideView } from '../../environments/protection/protection-changes.view.js';
import { ApiProperty } from '@nestjs/swagger';
import { VALUE_SCHEMA } from '../../common/variables/value-schema.js';
import type { VariableValue } from '../../common/variables/variable-value.js';
import { OverlapConflictView } from '../../common/http/problem.view.js';
import { STEP_TYPES } from '../../plans/steps/plan-content.js';
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
  ON_OVERLAP,
  type OnOverlap,
  PAUSE_REASONS,
  type PauseReason,
  QUEUE_REASONS,
  type QueueReason,
  STEP_STATUSES,
  type StepStatus,
} from '../lifecycle/statuses.js';
import { ForecastView } from './forecast.view.js';
import { UnknownHostView } from './unknown-host.view.js';

/** Why a run or a step has its status, for people (`text`) and programs (`code`). */
export class StatusReasonView {
  /** @example "host_failed" */
  code: string;
  text: string;
}

export class UserRefView {
  id: string;
  name: string;
}

/** The run waits for a person. */
export class PauseView {
  @ApiProperty({ enum: PAUSE_REASONS })
  reason: PauseReason;
  /** In words, where there is more to say. */
  @ApiProperty({ type: String, nullable: true })
  text: string | null;
  since: string;
  /** When the run ends as EXPIRED unless somebody answers. */
  expiresAt: string;
  /** The step that it waits before, or in after a failure; null for an approval. */
  @ApiProperty({ type: String, nullable: true })
  stepKey: string | null;
  /** What `POST decisions` takes now; empty for an approval, which has routes of its own. */
  @ApiProperty({ enum: DECISION_ACTIONS, isArray: true })
  choices: DecisionAction[];
}

export class ApprovalDecisionView {
  user: UserRefView;
  @ApiProperty({ enum: ['approved', 'rejected'] })
  decision: 'approved' | 'rejected';
  @ApiProperty({ type: String, nullable: true })
  comment: string | null;
  at: string;
}

const APPROVAL_STATES = ['pending', 'approved', 'rejected', 'expired', 'cancelled', 'superseded'] as const;

/** How a run comes into a protected environment. */
export class ApprovalView {
  required: boolean;
  @ApiProperty({ enum: APPROVAL_STATES })
  state: (typeof APPROVAL_STATES)[number];
  requiredApprovals: number;
  requestedBy: UserRefView;
  requestedAt: string;
  expiresAt: string;
  /** Why it is asked for again; null: for the first time. */
  @ApiProperty({ type: StatusReasonView, nullable: true })
  reason: StatusReasonView | null;
  @ApiProperty({ type: [ApprovalDecisionView] })
  decisions: ApprovalDecisionView[];
  currentUserCanDecide: boolean;
  /** Why not: `grant_required`, `self_approval`, `already_decided`; null when they can or nothing is asked. */
  @ApiProperty({ type: String, nullable: true, enum: ['grant_required', 'self_approval', 'already_decided'] })
  currentUserObstacle: 'grant_required' | 'self_approval' | 'already_decided' | null;
  /** The same as a sentence: of `self_approval` what they started or wrote. */
  @ApiProperty({ type: String, nullable: true })
  currentUserObstacleText: string | null;
}

export class ExecutionLinksView {
  self: string;
  stream: string;
  results: string;
  output: string;
}

/** A call of a plan or an item of a list that a step stands in. */
export class StepPartView {
  /**
   * Of the step that calls or goes through the list, in its own plan.
   * @example "deploy"
   */
  key: string;
  /** Null: it only goes through a list. */
  @ApiProperty({ type: String, nullable: true })
  planId: string | null;
  @ApiProperty({ type: String, nullable: true })
  planName: string | null;
  @ApiProperty({ type: Number, nullable: true })
  planRevision: number | null;
  /** Null: it only calls. */
  @ApiProperty({ type: String, nullable: true })
  item: string | null;
  /** Of the item, from 0. */
  @ApiProperty({ type: Number, nullable: true })
  index: number | null;
}

export class ExecutionStepView {
  /**
   * Within calls and lists with their keys: `deploy/restart`, `install[0]`.
   * @example "restart"
   */
  key: string;
  name: string;
  @ApiProperty({ enum: STEP_TYPES })
  type: string;
  /** The command as the plan's revision holds it; a gate's message; what a wait waits for. */
  command: string;
  /** What it stands in, the outermost first; empty for a step of the run's own plan. */
  path: StepPartView[];
  /** It runs also on hosts that failed before. */
  always: boolean;
  @ApiProperty({ enum: STEP_STATUSES })
  status: StepStatus;
  /** Why it was skipped or cancelled, or went on in spite of failures. */
  @ApiProperty({ type: StatusReasonView, nullable: true })
  reason: StatusReasonView | null;
  startedAt: string | null;
  finishedAt: string | null;
  @ApiProperty(COUNTS_SCHEMA)
  counts: HostCounts;
}

export class ExecutionHostView {
  serverId: string;
  /** @example "web-1" */
  name: string;
  /** @example "10.0.0.5:22" */
  address: string;
  @ApiProperty({ enum: HOST_STATUSES })
  status: HostStatus;
  @ApiProperty({ type: String, nullable: true })
  lastStepKey: string | null;
  /** Keys of the steps whose selector matches the host; null: all steps. */
  @ApiProperty({ type: [String], nullable: true })
  targetedBy: string[] | null;
}

const STARTED_VIA = ['session', 'token', 'schedule'] as const;

export class RunScheduleView {
  id: string;
  name: string;
}

/** The run waits for its time, or for others to let go of what it needs; it begins by itself then. */
export class QueueEntryView {
  /** `start_time`: for `startAt`. `overlap`: for its turn, see `onOverlap`. */
  @ApiProperty({ enum: QUEUE_REASONS })
  reason: QueueReason;
  /**
   * Its place among the runs of the environment that wait for others, in the order in which they came; null: it waits
   * for its time. One that shares nothing with those before it may begin before them.
   */
  @ApiProperty({ type: Number, nullable: true })
  position: number | null;
  since: string;
  @ApiProperty({ type: String, nullable: true })
  startAt: string | null;
  /** When it ends as EXPIRED unless it has begun. */
  @ApiProperty({ type: String, nullable: true })
  expiresAt: string | null;
}

/** The same with what is in its way. */
export class QueueView extends QueueEntryView {
  /** Runs that hold what it needs, or that wait for it longer (`waits`): the first 20 that the caller may see. */
  @ApiProperty({ type: [OverlapConflictView] })
  blockers: OverlapConflictView[];
  /** How many further runs are in the way that are not named here. */
  hiddenBlockers: number;
}

export class ExecutionSummaryView {
  id: string;
  @ApiProperty({ enum: EXECUTION_STATUSES })
  status: ExecutionStatus;
  finished: boolean;
  /** Null until it is finished. */
  @ApiProperty({ type: Boolean, nullable: true })
  successful: boolean | null;
  @ApiProperty({ type: StatusReasonView, nullable: true })
  statusReason: StatusReasonView | null;
  @ApiProperty({ enum: EXECUTION_MODES })
  execution_mode: ExecutionMode;
  planId: string;
  planRevision: number;
  planName: string;
  environmentId: string;
  environmentName: string;
  /** The run that this one repeats; null: none. */
  @ApiProperty({ type: String, nullable: true })
  parentId: string | null;
  /** Why it waits for a person; null: it does not. */
  @ApiProperty({ enum: PAUSE_REASONS, nullable: true })
  pauseReason: PauseReason | null;
  /** It waits for a person, or holds hosts whose result is unknown, and the caller may approve, answer or settle it. */
  awaitsYou: boolean;
  /** It waits for its time or its turn; null: it does not. */
  @ApiProperty({ type: QueueEntryView, nullable: true })
  queue: QueueEntryView | null;
  @ApiProperty({ enum: ON_OVERLAP })
  onOverlap: OnOverlap;
  /** When it was to begin; null: at once. */
  @ApiProperty({ type: String, nullable: true })
  startAt: string | null;
  note: string | null;
  /** What the start was labelled with, by key. */
  @ApiProperty(LABEL_MAP_SCHEMA)
  labels: Record<string, string>;
  /** Why an admin let it begin in spite of a freeze of the plan's collection; null: nobody did. */
  @ApiProperty({ type: String, nullable: true })
  freezeOverride: string | null;
  /** Why an admin let it begin outside of the run windows of the environment; null: nobody did. */
  @ApiProperty({ type: String, nullable: true })
  windowOverride: string | null;
  startedBy: UserRefView;
  @ApiProperty({ enum: STARTED_VIA })
  startedVia: (typeof STARTED_VIA)[number];
  /** The schedule that started it, as it was called then, with the rights of `startedBy`; null: a caller did. */
  @ApiProperty({ type: RunScheduleView, nullable: true })
  schedule: RunScheduleView | null;
  @ApiProperty({ type: String, nullable: true })
  tokenPrefix: string | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  hostCount: number;
  /** Who keeps it from being deleted; null: nobody does. */
  @ApiProperty({ type: ExecutionPinView, nullable: true })
  pin: ExecutionPinView | null;
  version: number;
  /**
   * The run's page in the web interface.
   * @example "https://runward.example.org/executions/01927c5e-7d3a-7cc1-a2b4-8f1d3c5b6a79"
   */
  webUrl: string;
}

/** A file of a git source whose content a run took. */
export class RunGitContentView {
  /** @example "script deploy" */
  usedAs: string;
  gitSourceId: string;
  /** As it was called when the run started. */
  sourceName: string;
  /** @example "deploy/restart.sh" */
  path: string;
  /** Null: the branch of the source. */
  @ApiProperty({ type: String, nullable: true })
  ref: string | null;
  /** @example "0b9c2625dc21ef05f6ad4ddf47c5f203837aa32c" */
  commit: string;
  /** Of the content. */
  sha256: string;
}

/** What a run will meet on its hosts, as far as it is known before it begins. */
export class RunWarningView {
  /** `no_commands`: Runward signs in to these hosts, but the login can run no command. */
  @ApiProperty({ enum: ['no_commands'] })
  code: 'no_commands';
  message: string;
  /** Names of the first 20 hosts. */
  hosts: string[];
  hostCount: number;
}

export class ExecutionView extends ExecutionSummaryView {
  /** It waits for its time or its turn, and what is in its way; null: it does not. */
  @ApiProperty({ type: QueueView, nullable: true })
  override queue: QueueView | null;
  /** What it took from git sources when it started: it runs that, whatever comes to stand there. */
  @ApiProperty({ type: [RunGitContentView] })
  gitContent: RunGitContentView[];
  /** SHA-256 of the snapshot that the run froze at its start. */
  digest: string;
  /** Values the run started with; secrets are masked. */
  @ApiProperty({ type: 'object', additionalProperties: VALUE_SCHEMA })
  variables: Record<string, VariableValue>;
  /** The selector that the start narrowed the plan's hosts with. */
  targets: string;
  /** The run waits for a person; null: it does not. */
  @ApiProperty({ type: PauseView, nullable: true })
  pause: PauseView | null;
  /** Name of who asked for a pause that comes at the next step boundary; null: nobody did. */
  @ApiProperty({ type: String, nullable: true })
  pauseRequestedBy: string | null;
  /** Null: no approval was needed. */
  @ApiProperty({ type: ApprovalView, nullable: true })
  approval: ApprovalView | null;
  /** The last emergency override of the protection of its environment, from seven days before it was accepted until it ended. */
  @ApiProperty({ type: ProtectionOverrideView, nullable: true })
  protectionOverride: ProtectionOverrideView | null;
  /** What it took over from the run that it continues; null: nothing. */
  @ApiProperty({ type: InheritedView, nullable: true })
  inherited: InheritedView | null;
  /** Null but for dry runs. */
  @ApiProperty({ type: ForecastView, nullable: true })
  forecast: ForecastView | null;
  summary: RunSummaryView;
  /** Empty once the run has begun; a dry run keeps them. */
  @ApiProperty({ type: [RunWarningView] })
  warnings: RunWarningView[];
  /** The first 100. */
  @ApiProperty({ type: [UnknownHostView] })
  unknownHosts: UnknownHostView[];
  /** When the run ends by itself. */
  @ApiProperty({ type: String, nullable: true })
  expiresAt: string | null;
  /** Id of the latest event in the run's stream: `?after=` goes on from this answer. */
  lastEventId: number;
  @ApiProperty({ type: [ExecutionStepView] })
  steps: ExecutionStepView[];
  /** The first 500 hosts. */
  @ApiProperty({ type: [ExecutionHostView] })
  hosts: ExecutionHostView[];
  @ApiProperty({ type: String, nullable: true })
  hostsNextCursor: string | null;
  links: ExecutionLinksView;
}

export class ExecutionListView {
  @ApiProperty({ type: [ExecutionSummaryView] })
  items: ExecutionSummaryView[];
  nextCursor: string | null;
}
