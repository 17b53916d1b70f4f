import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsString, Matches } from 'class-validator';
import {
  FreeText,
  MaybeInstant,
  Maybe,
  MaybeOneOf,
  OneOf,
  QueryInt,
  QueryList,
  QueryText,
  RecordId,
  Text,
  YesNo,
} from '../../common/http/fields.js';
import { QueryId, SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { VALUE_SCHEMA } from '../../common/variables/value-schema.js';
import type { VariableValue } from '../../common/variables/variable-value.js';
import {
  DECISION_ACTIONS,
  type DecisionAction,
  EXECUTION_MODES,
  EXECUTION_STATUSES,
  type ExecutionMode,
  type ExecutionStatus,
  HOST_STATUSES,
  type HostStatus,
} from '../lifecycle/statuses.js';
import { IsVariableMap } from '../../common/variables/variable-map.js';

/** Keys of steps within calls and lists hold those of what they stand in. */
const MOST_RUN_KEY = 1000;

/** A digest as runs show it. */
const Digest = () =>
  Matches(/^[0-9a-f]{64}$/, { message: '$property must be the digest of a run: 64 hexadecimal characters' });

/** The start of a run (spec, Execution start request fields). */
export class StartExecutionRequest {
  @RecordId()
  planId: string;

  /** @example "auto" */
  @OneOf(EXECUTION_MODES)
  execution_mode: ExecutionMode;

  /** Values for the plan's variables, by name. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: VALUE_SCHEMA, example: { RELEASE: '2.4.1' } })
  @Maybe()
  @IsVariableMap()
  variables?: Record<string, VariableValue>;

  /** Instead of the plan's own environment. */
  @Maybe()
  @RecordId()
  environmentId?: string;

  /**
   * Selector that narrows the plan's hosts further.
   * @example "name=web-1"
   */
  @Maybe()
  @FreeText(1000)
  targets?: string;

  /**
   * Digest of a dry run or of an earlier run: the start is refused when anything that would run differs from it now.
   * @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
   */
  @Maybe()
  @Digest()
  expectedDigest?: string;

  /** Why this run: shown in lists. */
  @Maybe()
  @FreeText(2000)
  note?: string;

  /**
   * Starts it in spite of a freeze of the plan's collection, with this reason. Only admins may send it.
   * @example "Hotfix for the outage, agreed with the release team"
   */
  @Maybe()
  @Text(500)
  freezeOverride?: string;
}

export class OverrideFreezeRequest {
  /** @example "Hotfix for the outage, agreed with the release team" */
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

const RERUN_HOSTS = ['all', 'failed', 'unfinished'] as const;

export class RerunExecutionRequest {
  /**
   * All hosts of the run; those that failed; or those that failed or have steps that never ran. `unfinished` without
   * `fromStepKey` runs on each host what it lacks, and nothing that it has done.
   * @example "unfinished"
   */
  @OneOf(RERUN_HOSTS)
  hosts: (typeof RERUN_HOSTS)[number];

  /** Leaves out the steps before this one; what they came to is taken over from the run. */
  @Maybe()
  @Text(MOST_RUN_KEY)
  fromStepKey?: string;

  /** `same`: exactly what the run froze. `current`: the plan, variables and servers as they are now. */
  @ApiProperty({ enum: ['same', 'current'], example: 'same' })
  @IsIn(['same', 'current'], { message: 'snapshot must be same or current' })
  snapshot: 'same' | 'current';

  /** Absent: that of the run. */
  @MaybeOneOf(EXECUTION_MODES)
  execution_mode?: ExecutionMode;

  /** Starts it also where steps would look for results in vain that the run does not have. */
  @YesNo()
  acceptGaps?: boolean;

  /** Why this run: shown in lists. */
  @Maybe()
  @FreeText(2000)
  note?: string;

  /**
   * Starts it in spite of a freeze of the plan's collection, with this reason. Only admins may send it.
   * @example "Hotfix for the outage, agreed with the release team"
   */
  @Maybe()
  @Text(500)
  freezeOverride?: string;
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

export class ListExecutionsQuery extends PageQuery {
  @SortBy(['createdAt'])
  sort?: string;

  @QueryId()
  planId?: string;

  @QueryId()
  environmentId?: string;

  @QueryId()
  serverId?: string;

  @QueryId()
  startedById?: string;

  /** Only runs that repeat this one. */
  @QueryId()
  parentId?: string;

  /** `me`: only runs that wait for something that the caller may do; `awaitsYou` is true for each of them. */
  @ApiProperty({ enum: ['me'], required: false })
  @Maybe()
  @IsIn(['me'], { message: 'awaiting must be me' })
  awaiting?: 'me';

  /** May be given several times. */
  @QueryList(EXECUTION_STATUSES)
  status?: ExecutionStatus[];

  @MaybeOneOf(EXECUTION_MODES)
  execution_mode?: ExecutionMode;

  /** Started at or after. */
  @MaybeInstant()
  from?: string;

  /** Started before. */
  @MaybeInstant()
  to?: string;
}

/** What a GET of a run can wait for. */
const WAIT_UNTIL = ['settled', 'finished', 'change'] as const;
export type WaitUntil = (typeof WAIT_UNTIL)[number];

export class GetExecutionQuery {
  /** Wait up to so many seconds for what `until` names, then answer. */
  @QueryInt(0, 55)
  wait?: number;

  /**
   * `settled`: the run is finished or paused. `finished`: it is finished, however often it pauses before. `change`: what
   * this record shows is newer than `version`; output alone does not count.
   */
  @ApiProperty({ enum: WAIT_UNTIL, required: false })
  @Maybe()
  @IsIn(WAIT_UNTIL, { message: 'until must be settled, finished or change' })
  until?: WaitUntil;

  @QueryInt(0, 999_999_999)
  version?: number;

  /** Where to go on in the hosts: `hostsNextCursor` of the answer before. */
  @QueryText(500)
  hostsCursor?: string;
}

export class ListResultsQuery extends PageQuery {
  @QueryText(MOST_RUN_KEY)
  stepKey?: string;

  @QueryId()
  serverId?: string;

  @QueryList(HOST_STATUSES)
  status?: HostStatus[];
}

export class ListOutputQuery {
  @QueryText(MOST_RUN_KEY)
  stepKey?: string;

  @QueryId()
  serverId?: string;

  @ApiProperty({ enum: ['stdout', 'stderr'], required: false })
  @Maybe()
  @IsIn(['stdout', 'stderr'], { message: 'stream must be stdout or stderr' })
  stream?: 'stdout' | 'stderr';

  /**
   * Only lines that hold this text, upper and lower case alike. A long line, and one that was written little by little,
   * comes in parts: each is found by itself, and where the text begins at the end of a part, the part after it.
   */
  @QueryText(200)
  q?: string;

  /** Where to go on: the `nextAfter` of the answer before. */
  @QueryText(500)
  after?: string;

  /** How many lines at the most; of very long lines fewer. */
  @QueryInt(1, 5000)
  limit?: number;
}

export class StreamQuery {
  /** Id of the last event that was seen; the header `Last-Event-ID` goes before it. */
  @QueryInt(0, 999_999_999)
  after?: number;
}
