import { ApiProperty } from '@nestjs/swagger';
import { VALUE_SCHEMA } from '../common/variables/value-schema.js';
import type { VariableValue } from '../common/variables/variable-value.js';
import {
  EXECUTION_MODES,
  EXECUTION_STATUSES,
  type ExecutionMode,
  type ExecutionStatus,
  HOST_STATUSES,
  type HostStatus,
  STEP_STATUSES,
  type StepStatus,
} from './lifecycle/statuses.js';

/** Why a run has its status, for people (`text`) and programs (`code`). */
export class StatusReasonView {
  /** @example "host_failed" */
  code: string;
  text: string;
}

export class UserRefView {
  id: string;
  name: string;
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

export class ExecutionStepView {
  /** @example "restart" */
  key: string;
  name: string;
  @ApiProperty({ enum: ['command'] })
  type: string;
  /** The command as the plan's revision holds it. */
  command: string;
  @ApiProperty({ enum: STEP_STATUSES })
  status: StepStatus;
  /** Why it was skipped or cancelled. */
  @ApiProperty({ type: String, nullable: true })
  reason: string | null;
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
  note: string | null;
  startedBy: UserRefView;
  @ApiProperty({ enum: ['session', 'token'] })
  startedVia: 'session' | 'token';
  @ApiProperty({ type: String, nullable: true })
  tokenPrefix: string | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  hostCount: number;
  version: number;
}

export class ExecutionView extends ExecutionSummaryView {
  /** SHA-256 of the snapshot that the run froze at its start. */
  digest: string;
  /** Values the run started with; secrets are masked. */
  @ApiProperty({ type: 'object', additionalProperties: VALUE_SCHEMA })
  variables: Record<string, VariableValue>;
  /** The selector that the start narrowed the plan's hosts with. */
  targets: string;
  /** The run waits for a person. Null here: this version has no pauses yet. */
  @ApiProperty({ type: 'object', nullable: true, additionalProperties: true })
  pause: null;
  /** How the run came into a protected environment. Null: no approval was needed. */
  @ApiProperty({ type: 'object', nullable: true, additionalProperties: true })
  approval: null;
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
  /** Where to go on, now or when the run has written more; null when the run is finished and everything was read. */
  @ApiProperty({ type: String, nullable: true })
  nextAfter: string | null;
}
