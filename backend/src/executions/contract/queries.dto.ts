import { ApiProperty } from '@nestjs/swagger';
import { IsIn, Matches } from 'class-validator';
import { IsOptionalField, IsText, QueryBoolean, QueryInteger, QueryList, QueryText } from '../../common/http/fields.js';
import { QueryId } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { HOST_STATUSES, type HostStatus, type Verdict, VERDICTS } from '../lifecycle/statuses.js';
import { MAX_RUN_KEY_LENGTH } from './execution.dto.js';

/** Values of `until` in a GET of a run. */
const WAIT_CONDITIONS = ['settled', 'finished', 'change'] as const;

export type WaitUntil = (typeof WAIT_CONDITIONS)[number];

export class GetExecutionQuery {
  /** Maximum time to wait for `until`, in seconds. */
  @QueryInteger(0, 55)
  wait?: number;

  /**
   * `settled`: the run has finished or is paused. `finished`: the run has finished, regardless of pauses. `change`: the
   * run is newer than `version`; new output alone is not a change.
   */
  @ApiProperty({ enum: WAIT_CONDITIONS, required: false })
  @IsOptionalField()
  @IsIn(WAIT_CONDITIONS, { message: 'until must be settled, finished or change' })
  until?: WaitUntil;

  @QueryInteger(0, 999_999_999)
  version?: number;

  /** `hostsNextCursor` of the previous answer. */
  @QueryText(500)
  hostsCursor?: string;
}

export const RESULT_SORTS = ['serverName', '-serverName', 'durationMs', '-durationMs'] as const;
export type ResultSort = (typeof RESULT_SORTS)[number];

export class ListResultsQuery extends PageQuery {
  @QueryText(MAX_RUN_KEY_LENGTH)
  stepKey?: string;

  @QueryId()
  serverId?: string;

  @QueryList(HOST_STATUSES)
  status?: HostStatus[];

  /**
   * Only with `stepKey` or `serverId`. Results without a duration count as the shortest. Default: in the order of steps
   * and hosts. A JUnit report ignores it.
   */
  @IsOptionalField()
  @IsIn(RESULT_SORTS, { message: `$property must be one of ${RESULT_SORTS.join(', ')}` })
  @ApiProperty({ required: false, enum: RESULT_SORTS })
  sort?: ResultSort;
}

export class ListPredictionsQuery extends PageQuery {
  @QueryText(MAX_RUN_KEY_LENGTH)
  stepKey?: string;

  /** Only predictions with one of these verdicts. */
  @QueryList(VERDICTS)
  verdict?: Verdict[];
}

export class ResultGridQuery {
  /** Position of the first host, from 0. Default: 0. */
  @QueryInteger(0, 999_999)
  fromHost?: number;

  /** Maximum number of hosts. Default: as many as an answer of 300,000 results can have. */
  @QueryInteger(1, 10_000)
  limit?: number;
}

/** Selects a part of the output; without parameters, that of the whole run. */
class OutputPartQuery {
  @QueryText(MAX_RUN_KEY_LENGTH)
  stepKey?: string;

  @QueryId()
  serverId?: string;

  @ApiProperty({ enum: ['stdout', 'stderr'], required: false })
  @IsOptionalField()
  @IsIn(['stdout', 'stderr'], { message: 'stream must be stdout or stderr' })
  stream?: 'stdout' | 'stderr';
}

export class ListOutputQuery extends OutputPartQuery {
  /**
   * Only lines that contain this text, not case-sensitive. A long line, or one that was written slowly, is returned
   * in parts. Each part is searched separately; if the text begins at the end of a part, the next part is returned
   * too.
   */
  @QueryText(200)
  q?: string;

  /** `nextAfter` of the previous answer. */
  @QueryText(500)
  after?: string;

  /** Maximum number of lines; fewer if lines are very long. */
  @QueryInteger(1, 5000)
  limit?: number;
}

export class CountOutputHitsQuery extends OutputPartQuery {
  /** Text to find in lines, or a regular expression. Terminal colours are part of a line. */
  @Matches(/^[^]/, { message: 'q must not be empty' })
  @Matches(/^[^\n\r]*$/, { message: 'q must not contain line breaks: each line is searched separately' })
  @IsText(200)
  q: string;

  /**
   * Whether `q` is a regular expression in RE2 syntax, without lookaround and backreferences. A long line, or
   * one that was written slowly, is searched in parts, each with up to 1 KB of the part before: `^` and `$` also match
   * at their ends. Default: false.
   */
  @QueryBoolean()
  regex?: boolean;

  /** Whether upper and lower case differ. Default: false. */
  @QueryBoolean()
  matchCase?: boolean;

  /** `nextAfter` of the previous answer. */
  @QueryText(500)
  after?: string;
}

export class SearchOutputQuery extends CountOutputHitsQuery {
  /** Number of lines to return before and after each hit, from the same host and step. Default: 1. */
  @QueryInteger(0, 5)
  context?: number;

  /** Maximum number of hits. Default: 50. */
  @QueryInteger(1, 200)
  limit?: number;
}

/** Largest position of a line in the output of a run. */
const MAX_POSITION = 9_999_999_999;

export class OutputWindowQuery extends OutputPartQuery {
  /** Lines from this position on. Default: 1. */
  @QueryInteger(1, MAX_POSITION)
  from?: number;

  /** Last position; only with `from`. */
  @QueryInteger(1, MAX_POSITION)
  to?: number;

  /** Lines before this position. */
  @QueryInteger(1, MAX_POSITION)
  before?: number;

  /** Lines before and after this position, which is in the second half. */
  @QueryInteger(1, MAX_POSITION)
  around?: number;

  /** The last lines: this number of them. */
  @QueryInteger(1, 2000)
  tail?: number;

  /** Maximum number of lines; fewer if lines are very long. Default: 500. */
  @QueryInteger(1, 2000)
  limit?: number;
}

export class StreamQuery {
  /** ID of the last received event; the header `Last-Event-ID` overrides it. */
  @QueryInteger(0, 999_999_999)
  after?: number;
}
