import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn } from 'class-validator';
import { ApiProperty } from '@nestjs/swagger';
import {
  IsOptionalField,
  OptionalInstant,
  IsOneOf,
  RequiredMultilineText,
  RecordId,
  RequiredTextLine,
} from '../../common/http/fields.js';
import {
  CANCELLABLE_STATUSES,
  DECISION_ACTIONS,
  type DecisionAction,
  EXECUTION_MODES,
  EXECUTION_STATUSES,
  type ExecutionMode,
  type ExecutionStatus,
} from '../lifecycle/statuses.js';
import { MAX_RUN_KEY_LENGTH, IsRunDigest, OptionalServerIds } from './execution.dto.js';
import { OptionalLabels } from './run-labels.js';

export class OverrideFreezeRequest {
  /**
   * Why the run must start despite the freeze; recorded in the audit trail.
   * @example "Hotfix for the outage, agreed with the release team"
   */
  @RequiredMultilineText(500)
  reason: string;
}

export class OverrideWindowRequest {
  /**
   * Why the run must start outside the run windows; recorded in the audit trail.
   * @example "Agreed with the owner of the service"
   */
  @RequiredMultilineText(500)
  reason: string;
}

export class CancelExecutionRequest {
  /**
   * Reason, shown with the run; absent = none.
   * @example "wrong release"
   */
  @IsOptionalField()
  @RequiredMultilineText(2000)
  reason?: string;
}

/**
 * Filter of the unfinished runs to cancel; a run must match all fields. At least one field besides `status` is
 * required.
 */
export class CancelExecutionsRequest {
  /** Only runs in this environment; absent = all environments. */
  @IsOptionalField()
  @RecordId()
  environmentId?: string;

  /** Only runs of this plan; absent = all plans. */
  @IsOptionalField()
  @RecordId()
  planId?: string;

  /** Member who started the runs. */
  @IsOptionalField()
  @RecordId()
  startedById?: string;

  /** Runs that have all of these labels. */
  @OptionalLabels()
  labels?: Record<string, string>;

  /** Absent = all statuses. `PAUSED` includes runs that wait for approval. */
  @ApiProperty({ enum: CANCELLABLE_STATUSES, isArray: true, required: false })
  @IsOptionalField()
  @IsArray({ message: 'status must be a list' })
  @ArrayMinSize(1, { message: 'status must name at least one status, or be left out' })
  @ArrayMaxSize(CANCELLABLE_STATUSES.length, {
    message: `status may hold at most ${CANCELLABLE_STATUSES.length} items`,
  })
  @IsIn(CANCELLABLE_STATUSES, { each: true, message: `status can contain only ${CANCELLABLE_STATUSES.join(', ')}` })
  status?: ExecutionStatus[];

  /**
   * Reason, shown with the cancelled runs; absent = none.
   * @example "The release was withdrawn"
   */
  @IsOptionalField()
  @RequiredMultilineText(2000)
  reason?: string;
}

export class CancelledExecution {
  id: string;
  planName: string;
  environmentName: string;
  /** `CANCELLED`, or `CANCELLING` while its commands are being stopped. */
  @ApiProperty({ enum: EXECUTION_STATUSES })
  status: ExecutionStatus;
}

export class CancelExecutionsView {
  /** At most 100. */
  cancelled: CancelledExecution[];
  /** True when further runs match: send the same request again. */
  more: boolean;
}

export class ApproveExecutionRequest {
  /** Comment, shown with the approval; absent = none. */
  @IsOptionalField()
  @RequiredMultilineText(2000)
  comment?: string;

  /**
   * Reviewed digest. The request is refused when the run has another digest now.
   * @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
   */
  @IsRunDigest()
  digest: string;
}

export class RejectExecutionRequest {
  /**
   * Reason, for the requester.
   * @example "not before the backup is done"
   */
  @RequiredMultilineText(2000)
  comment: string;

  /** Reviewed digest. The request is refused when the run has another digest now. */
  @IsOptionalField()
  @IsRunDigest()
  digest?: string;
}

export class DecideExecutionRequest {
  /**
   * Step that the run waits before or in.
   * @example "restart"
   */
  @RequiredTextLine(MAX_RUN_KEY_LENGTH)
  stepKey: string;

  /**
   * One of the pause's `choices`.
   * @example "proceed"
   */
  @IsOneOf(DECISION_ACTIONS)
  action: DecisionAction;

  /**
   * `pause.since` of the pause that you answer. The request is refused when the run is in another pause now, even at
   * the same step.
   * @example "2026-03-14T02:00:00.000Z"
   */
  @OptionalInstant()
  pauseSince?: string;

  /** Hosts of the action; absent = failed hosts, or all hosts for `retry`. */
  @OptionalServerIds()
  serverIds?: string[];

  /** Comment, shown with the decision; absent = none. */
  @IsOptionalField()
  @RequiredMultilineText(2000)
  comment?: string;
}

export class SwitchModeRequest {
  /** @example "auto" */
  @IsOneOf(EXECUTION_MODES)
  execution_mode: ExecutionMode;
}

export const RESOLVE_ACTIONS = ['check', 'mark_succeeded', 'mark_failed', 'skip', 'run_again'] as const;

export type ResolveAction = (typeof RESOLVE_ACTIONS)[number];

export class ResolveHostRequest {
  /** The step whose result on this host is unknown. */
  @RequiredTextLine(MAX_RUN_KEY_LENGTH)
  stepKey: string;

  /**
   * `check` asks the host again. `mark_succeeded`, `mark_failed` and `skip` record what a person found or decided.
   * `run_again` starts a new run with the same content on this host from that step.
   * @example "check"
   */
  @IsOneOf(RESOLVE_ACTIONS)
  action: ResolveAction;

  /** What you found, for the audit trail. */
  @IsOptionalField()
  @RequiredMultilineText(2000)
  comment?: string;
}
