import { ArrayMaxSize, ArrayMinSize, IsArray, IsString } from 'class-validator';
import { MaybeInstant, Maybe, OneOf, Text } from '../../common/http/fields.js';
import { DECISION_ACTIONS, type DecisionAction, EXECUTION_MODES, type ExecutionMode } from '../lifecycle/statuses.js';
import { MOST_RUN_KEY, Digest } from './execution.dto.js';

export class OverrideFreezeRequest {
  /** @example "Hotfix for the outage, agreed with the release team" */
  @Text(500)
  reason: string;
}

export class OverrideWindowRequest {
  /** @example "Agreed with the owner of the service" */
  @Text(500)
  reason: string;
}

export class CancelExecutionRequest {
  /** @example "wrong release" */
  @Maybe()
  @Text(2000)
  reason?: string;
}

export class ApproveExecutionRequest {
  @Maybe()
  @Text(2000)
  comment?: string;

  /**
   * The digest that was looked at: refused when the run holds another one by now.
   * @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
   */
  @Digest()
  digest: string;
}

export class RejectExecutionRequest {
  /**
   * Why: the one who started the run reads it.
   * @example "not before the backup is done"
   */
  @Text(2000)
  comment: string;

  /** The digest that was looked at: refused when the run holds another one by now. */
  @Maybe()
  @Digest()
  digest?: string;
}

export class DecideExecutionRequest {
  /**
   * The step that the run waits before or in.
   * @example "restart"
   */
  @Text(MOST_RUN_KEY)
  stepKey: string;

  /**
   * One of the pause's `choices`.
   * @example "proceed"
   */
  @OneOf(DECISION_ACTIONS)
  action: DecisionAction;

  /**
   * `pause.since` of the pause that was looked at: refused when the run waits in another one by now, also at the same step.
   * @example "2026-03-14T02:00:00.000Z"
   */
  @MaybeInstant()
  pauseSince?: string;

  /** Hosts that the action is for; absent: those that failed, or all for `retry`. */
  @Maybe()
  @IsArray({ message: 'serverIds must be a list' })
  @ArrayMinSize(1, { message: 'serverIds must name at least one server, or be left out' })
  @ArrayMaxSize(10_000, { message: 'serverIds may hold at most 10000 items' })
  @IsString({ each: true, message: 'serverIds must be ids of servers' })
  serverIds?: string[];

  @Maybe()
  @Text(2000)
  comment?: string;
}

export class SwitchModeRequest {
  /** @example "auto" */
  @OneOf(EXECUTION_MODES)
  execution_mode: ExecutionMode;
}

const RESOLVE_ACTIONS = ['check', 'mark_succeeded', 'mark_failed', 'skip', 'run_again'] as const;

export type ResolveAction = (typeof RESOLVE_ACTIONS)[number];

export class ResolveHostRequest {
  /** The step whose result on this host is unknown. */
  @Text(MOST_RUN_KEY)
  stepKey: string;

  /**
   * `check` asks the host once more; `mark_succeeded`, `mark_failed` and `skip` say what a person found there or made
   * of it; `run_again` starts a new run of the same on this host from that step.
   * @example "check"
   */
  @OneOf(RESOLVE_ACTIONS)
  action: ResolveAction;

  /** What was found, for the trail. */
  @Maybe()
  @Text(2000)
  comment?: string;
}
