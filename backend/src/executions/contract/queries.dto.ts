import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import {
  MaybeInstant,
  Maybe,
  MaybeOneOf,
  QueryInt,
  QueryList,
  QueryText,
  QueryYesNo,
} from '../../common/http/fields.js';
import { QueryId, SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import {
  EXECUTION_MODES,
  EXECUTION_STATUSES,
  type ExecutionMode,
  type ExecutionStatus,
  HOST_STATUSES,
  type HostStatus,
} from '../lifecycle/statuses.js';
import { QueryLabels } from './run-labels.js';
import { MOST_RUN_KEY } from './execution.dto.js';

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

  /** Only runs with this label, as `key=value`; may be given several times, for runs that have all of them. */
  @QueryLabels()
  label?: string[];

  /** May be given several times. */
  @QueryList(EXECUTION_STATUSES)
  status?: ExecutionStatus[];

  @MaybeOneOf(EXECUTION_MODES)
  execution_mode?: ExecutionMode;

  /** Only runs that are, or are not, under a legal hold. */
  @QueryYesNo()
  legalHold?: boolean;

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
