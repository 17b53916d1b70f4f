import { ExecutionPinView } from './retention-rule.view.js';
import { ApiProperty } from '@nestjs/swagger';
import { VALUE_SCHEMA } from '../../common/variables/value-schema.js';
import type { VariableValue } from '../../common/variables/variable-value.js';
import { OverlapConflictView } from '../../common/http/problem.view.js';
import { STEP_TYPES } from '../../plans/steps/plan-content.js';
import { InheritedView } from './inherited.view.js';
import {
  DECISION_ACTIONS,
  type DecisionAction,
  EXECUTION_MODES,
  EXECUTION_STATUSES,
  type ExecutionMode,
  type ExecutionStatus,
  HOST_STATUSES,
  type HostStatus,
  PAUSE_REASONS,
  type PauseReason,
  STEP_STATUSES,
  type StepStatus,
  type Verdict,
  VERDICTS,
} from '../lifecycle/statuses.js';

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

/** Who would have to let a real run into the environment. */
export class ApprovalForecastView {
  requiredApprovals: number;
  /** Names of members who could approve it if the caller started it; the first 20. Empty for viewers. */
  approvers: string[];
  /** How many could, whoever is named. */
  approverCount: number;
}

/** A freeze that a real run would meet. */
export class FreezeForecastView {
  collectionName: string;
  reason: string;
  until: string;
}

export const FORECAST_OBSTACLES = ['approval', 'conflict', 'frozen'] as const;

/** What a real run would meet at this moment; dry runs only. */
export class ForecastView {
  /** What would keep a real run from starting at once; empty: nothing. */
  @ApiProperty({ enum: FORECAST_OBSTACLES, isArray: true })
  obstacles: (typeof FORECAST_OBSTACLES)[number][];
  approvalRequired: boolean;
  /** Null: none is required. */
  @ApiProperty({ type: ApprovalForecastView, nullable: true })
  approval: ApprovalForecastView | null;
  /** Null: the plan lies in no frozen collection. */
  @ApiProperty({ type: FreezeForecastView, nullable: true })
  freeze: FreezeForecastView | null;
  @ApiProperty({ type: [OverlapConflictView] })
  conflicts: OverlapConflictView[];
  /** How many further runs are in the way that the caller may not see. */
  hiddenConflicts: number;
}

/** A host whose result nobody knows: it keeps its guard until a person says what they found. */
/** What a host may tell of a command whose result is unknown. */
export const CHECK_FINDINGS = [
  'succeeded',
  'failed',
  'still_running',
  'never_started',
  'rebooted',
  'journal_gone',
  'not_reached',
  'check_failed',
] as const;

/** The latest time that somebody had a host asked what became of its command. */
export class HostCheckView {
  askedAt: string;
  /** Name of who asked. */
  @ApiProperty({ type: String, nullable: true })
  askedBy: string | null;
  /** The host has not answered yet; what stands below is the answer before. */
  pending: boolean;
  /** When the latest answer came; null: none yet. */
  @ApiProperty({ type: String, nullable: true })
  at: string | null;
  @ApiProperty({ enum: CHECK_FINDINGS, nullable: true })
  finding: (typeof CHECK_FINDINGS)[number] | null;
  /** What was found, and what to do. */
  @ApiProperty({ type: String, nullable: true })
  message: string | null;
}

export class UnknownHostView {
  serverId: string;
  name: string;
  stepKey: string;
  /** Null: nobody had it asked yet. */
  @ApiProperty({ type: HostCheckView, nullable: true })
  check: HostCheckView | null;
}

export class ExecutionLinksView {
  self: string;
  stream: string;
  results: string;
  output: string;
}

/** Hosts by their status; a status that no host has is left out. */
const COUNTS_SCHEMA = {
  type: 'object' as const,
  additionalProperties: { type: 'number' as const },
  example: { SUCCEEDED: 3, FAILED: 1 },
};
export type HostCounts = Partial<Record<HostStatus, number>>;

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

export class ExecutionSummaryView {
  id: string;
  @ApiProperty({ enum: EXECUTION_STATUSES })
  status: ExecutionStatus;
  finished: boolean;
  successful: boolean;
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
  note: string | null;
  /** Why an admin let it begin in spite of a freeze of the plan's collection; null: nobody did. */
  @ApiProperty({ type: String, nullable: true })
  freezeOverride: string | null;
  startedBy: UserRefView;
  @ApiProperty({ enum: ['session', 'token'] })
  startedVia: 'session' | 'token';
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

/** What a dry run found out, for programs to decide by. */
export class DryRunSummaryView {
  /** Of all steps and hosts together. */
  @ApiProperty(VERDICT_COUNTS_SCHEMA)
  verdicts: Record<Verdict, number>;
  /** Hosts on which something would change. */
  changingHosts: number;
  /** Hosts on which a step is BLOCKED. */
  blockedHosts: number;
  @ApiProperty({ type: [StepSummaryView] })
  steps: StepSummaryView[];
}

export class ExecutionView extends ExecutionSummaryView {
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
  /** What it took over from the run that it continues; null: nothing. */
  @ApiProperty({ type: InheritedView, nullable: true })
  inherited: InheritedView | null;
  /** Null but for dry runs. */
  @ApiProperty({ type: ForecastView, nullable: true })
  forecast: ForecastView | null;
  /** Null but for dry runs. */
  @ApiProperty({ type: DryRunSummaryView, nullable: true })
  summary: DryRunSummaryView | null;
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
