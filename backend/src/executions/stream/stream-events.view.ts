import { UserReference } from '../../common/http/user-reference.view.js';
import { Reason } from '../../common/http/reason.view.js';
import type { Type } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type OutputLineView, RESOLUTIONS, type ResolutionView } from '../contract/results.view.js';
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
  QUEUE_REASONS,
  type QueueReason,
  STEP_STATUSES,
  type StepStatus,
  type Verdict,
  VERDICTS,
} from '../lifecycle/statuses.js';
import type { RunEventType } from '../../outbox/event-types.js';

/** Common fields of all events of a run's stream. */
class StreamEvent {
  /** Run of the stream. */
  executionId: string;
  /** Time of the event, in UTC. */
  at: string;
}

class StepEvent extends StreamEvent {
  stepKey: string;
}

class HostEvent extends StepEvent {
  serverId: string;
  /** Status of the step on this host. */
  @ApiProperty({ enum: HOST_STATUSES })
  status: HostStatus;
}

@ApiSchema({ description: '`execution.status_changed`' })
export class ExecutionStatusChangedEvent extends StreamEvent {
  /** New status of the run. */
  @ApiProperty({ enum: EXECUTION_STATUSES })
  status: ExecutionStatus;
  /** Status before; null = the run is new. */
  @ApiProperty({ enum: EXECUTION_STATUSES, nullable: true })
  previous: ExecutionStatus | null;
  /** Reason of the status; null = it needs no explanation. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  @ApiProperty({ enum: PAUSE_REASONS, nullable: true, required: false })
  pauseReason?: PauseReason | null;
  /** New mode; absent when it has not changed. */
  @ApiProperty({ enum: EXECUTION_MODES, required: false })
  execution_mode?: ExecutionMode;
  /** What the run waits for in the queue now; null = nothing. Absent when it has not changed. */
  @ApiProperty({ enum: QUEUE_REASONS, nullable: true, required: false })
  waitsFor?: QueueReason | null;
}

@ApiSchema({
  description: '`execution.finished`: the last event of a stream, unless hosts are resolved later',
})
export class ExecutionFinishedEvent extends StreamEvent {
  /** Final status of the run. */
  @ApiProperty({ enum: EXECUTION_STATUSES })
  status: ExecutionStatus;
  /** Reason of the status; null = it needs no explanation. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
}

@ApiSchema({ description: '`step.started`' })
export class StepStartedEvent extends StepEvent {
  /** New status of the step. */
  @ApiProperty({ enum: STEP_STATUSES })
  status: StepStatus;
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
}

@ApiSchema({ description: '`step.finished`' })
export class StepFinishedEvent extends StepEvent {
  /** Final status of the step. */
  @ApiProperty({ enum: STEP_STATUSES })
  status: StepStatus;
  /** Reason why it was skipped or cancelled. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
}

@ApiSchema({ description: '`host.started`' })
export class HostStartedEvent extends HostEvent {}

@ApiSchema({ description: '`host.finished`' })
export class HostFinishedEvent extends HostEvent {
  @ApiProperty({ type: Number, nullable: true })
  exitCode: number | null;
  @ApiProperty({ type: String, nullable: true, required: false })
  signal?: string | null;
  /** Reason why the step did not succeed, or a remark; null = none. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  /** True = the step changed the host; null = unknown. */
  @ApiProperty({ type: Boolean, nullable: true, required: false })
  changed?: boolean | null;
  /** Dry runs only. */
  @ApiProperty({ enum: VERDICTS, required: false })
  verdict?: Verdict;
}

@ApiSchema({ description: '`host.reconnecting`' })
export class HostReconnectingEvent extends HostEvent {
  /** Reason why the connection was lost. */
  reason: Reason;
}

@ApiSchema({ description: '`host.retrying`: the attempt failed and another one follows' })
export class HostRetryingEvent extends HostEvent {
  @ApiProperty({ type: Number, nullable: true })
  exitCode: number | null;
  /** Why the attempt failed; null = none. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  /** Number of the failed attempt. */
  attempt: number;
  /** Delay before the next attempt, in ms. */
  nextInMs: number;
}

@ApiSchema({ description: '`host.resolved`: a person or the host resolved an unknown result' })
export class HostResolvedEvent extends StepEvent {
  serverId: string;
  /** `found_…`: the host reported the result. Otherwise a person decided. */
  @ApiProperty({ enum: RESOLUTIONS })
  resolution: ResolutionView['kind'];
  /** Comment of the member; null = none. */
  @ApiProperty({ type: String, nullable: true })
  comment: string | null;
  /** Member who decided; null = the host reported the result. */
  @ApiProperty({ type: UserReference, nullable: true })
  user: UserReference | null;
}

/** Output line in the stream. The run contains the name of its server. */
export class StreamLineView {
  stepKey: string;
  serverId: string;
  @ApiProperty({ enum: ['stdout', 'stderr'] })
  stream: OutputLineView['stream'];
  /** Number of the line on this host in this step, from 1, across both streams. */
  line: number;
  text: string;
  /** True = the line continues in a later item with the same number. */
  partial: boolean;
  /** True = continuation of a line that began in an earlier item. */
  continues: boolean;
  /** Time when Runward received the output, in UTC. */
  at: string;
}

@ApiSchema({ description: '`output.appended`' })
export class OutputAppendedEvent extends StreamEvent {
  /** New lines in the order of arrival. */
  @ApiProperty({ type: [StreamLineView] })
  lines: StreamLineView[];
}

@ApiSchema({ description: '`approval.requested`' })
export class ApprovalRequestedEvent extends StreamEvent {
  digest: string;
  /** Number of members who must approve. */
  requiredApprovals: number;
  /** Reason why approval is required again; null = first time. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
}

@ApiSchema({ description: '`approval.decided`' })
export class ApprovalDecidedEvent extends StreamEvent {
  /** Decision of the member. `withdrawn` takes back an approval. */
  @ApiProperty({ enum: ['approved', 'rejected', 'withdrawn'] })
  decision: 'approved' | 'rejected' | 'withdrawn';
  @ApiProperty({ type: String, nullable: true, required: false })
  comment?: string | null;
  user: UserReference;
}

@ApiSchema({ description: '`decision.requested`' })
export class DecisionRequestedEvent extends StreamEvent {
  @ApiProperty({ enum: PAUSE_REASONS })
  pauseReason: PauseReason;
  /** Step that the run waits before, or in after a failure; null = none. */
  @ApiProperty({ type: String, nullable: true })
  stepKey: string | null;
  /** Actions that `POST …/decisions` accepts now. */
  @ApiProperty({ enum: DECISION_ACTIONS, isArray: true })
  choices: DecisionAction[];
}

@ApiSchema({ description: '`decision.made`' })
export class DecisionMadeEvent extends StepEvent {
  @ApiProperty({ enum: PAUSE_REASONS, nullable: true })
  pauseReason: PauseReason | null;
  /** Action that the member chose. */
  @ApiProperty({ enum: DECISION_ACTIONS })
  action: DecisionAction;
  /** Null = the default hosts of the action. */
  @ApiProperty({ type: [String], nullable: true })
  serverIds: string[] | null;
  @ApiProperty({ type: String, nullable: true })
  comment: string | null;
  user: UserReference;
}

const BY_TYPE: Record<RunEventType, Type<unknown>> = {
  'execution.status_changed': ExecutionStatusChangedEvent,
  'step.started': StepStartedEvent,
  'step.finished': StepFinishedEvent,
  'host.started': HostStartedEvent,
  'host.finished': HostFinishedEvent,
  'output.appended': OutputAppendedEvent,
  'approval.requested': ApprovalRequestedEvent,
  'approval.decided': ApprovalDecidedEvent,
  'decision.requested': DecisionRequestedEvent,
  'decision.made': DecisionMadeEvent,
  'host.resolved': HostResolvedEvent,
  'host.retrying': HostRetryingEvent,
  'host.reconnecting': HostReconnectingEvent,
  'execution.finished': ExecutionFinishedEvent,
};

export const STREAM_EVENTS: readonly Type<unknown>[] = Object.values(BY_TYPE);
export const STREAM_EVENT_SCHEMAS: Record<string, string> = Object.fromEntries(
  Object.entries(BY_TYPE).map(([type, schema]) => [type, schema.name]),
);
