import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import {
  ChangeOf,
  FreeText,
  Maybe,
  MaybeOneOf,
  OneOf,
  Prose,
  QueryYesNo,
  RecordId,
  Text,
  YesNo,
} from '../common/http/fields.js';
import { QueryId } from '../common/http/paging/filters.js';
import { NamedListQuery, PageQuery } from '../common/http/paging/page.dto.js';
import { TimeZone } from '../common/http/time-zone-field.js';
import { VALUE_SCHEMA } from '../common/variables/value-schema.js';
import { IsVariableMap } from '../common/variables/variable-map.js';
import type { VariableValue } from '../common/variables/variable-value.js';
import { MaybeLabels } from '../executions/contract/run-labels.js';
import { EXECUTION_MODES, type ExecutionMode } from '../executions/lifecycle/statuses.js';
import { ON_OVERLAP, type OnOverlap } from './records/schedule.entity.js';
import { MaybeCron } from './timing/cron-field.js';
import { ON_MISSED, type OnMissed } from './timing/due-work.js';

/** Seconds: a minute, and a year. */
const SHORTEST = 60;
const LONGEST = 31_536_000;
const EVERY_ADVICE = { message: `everySeconds must be a whole number of seconds from ${SHORTEST} to ${LONGEST}` };
/** Seconds: an hour. */
const MOST_JITTER = 3_600;
const JITTER_ADVICE = { message: `jitterSeconds must be a whole number of seconds from 0 to ${MOST_JITTER}` };

/** When a schedule starts something. */
export class TimingRequest {
  /**
   * Five fields: minute, hour, day of the month, month, day of the week. Instead of `everySeconds`. Where both days are
   * given, either fits.
   */
  @MaybeCron()
  cron?: string;

  /**
   * Instead of `cron`; counted from when it was saved.
   * @example 3600
   */
  @ApiProperty({ type: 'integer', required: false, minimum: SHORTEST, maximum: LONGEST })
  @Maybe()
  @IsInt(EVERY_ADVICE)
  @Min(SHORTEST, EVERY_ADVICE)
  @Max(LONGEST, EVERY_ADVICE)
  everySeconds?: number;

  /** On whose clocks `cron` is read; needed with it. */
  @Maybe()
  @TimeZone()
  @ApiProperty({ required: false })
  timeZone?: string;
}

export class CreateScheduleRequest extends TimingRequest {
  /** @example "Nightly restart" */
  @Text(100)
  name: string;

  /** Shown at the schedule and at its runs. */
  @Maybe()
  @FreeText(2000)
  note?: string;

  @RecordId()
  planId: string;

  /** Instead of the plan's own environment. */
  @Maybe()
  @RecordId()
  environmentId?: string;

  /** @example "auto" */
  @OneOf(EXECUTION_MODES)
  execution_mode: ExecutionMode;

  /**
   * Values for the plan's variables, by name. A secret one is kept sealed and reads back as `‹secret NAME›`; sent back like
   * that it stays as it is.
   */
  @ApiPropertyOptional({ type: 'object', additionalProperties: VALUE_SCHEMA, example: { RELEASE: '2.4.1' } })
  @Maybe()
  @IsVariableMap()
  variables?: Record<string, VariableValue>;

  /**
   * Selector that narrows the plan's hosts further.
   * @example "name=web-1"
   */
  @Maybe()
  @FreeText(1000)
  targets?: string;

  /** What its runs are labelled with: up to 20 keys with a text each. */
  @MaybeLabels()
  labels?: Record<string, string>;

  /**
   * Spreads schedules of one time: it starts by up to so many seconds later, always by as many.
   * @example 120
   */
  @ApiProperty({ type: 'integer', required: false, minimum: 0, maximum: MOST_JITTER })
  @Maybe()
  @IsInt(JITTER_ADVICE)
  @Min(0, JITTER_ADVICE)
  @Max(MOST_JITTER, JITTER_ADVICE)
  jitterSeconds?: number;

  /** When another run is in the way: `skip` leaves the time out, `queue` has one run wait for its turn. `skip` unless given. */
  @MaybeOneOf(ON_OVERLAP)
  onOverlap?: OnOverlap;

  /** When no worker was there at a time: `skip` leaves it out, `once` makes up for all of them by one run. `skip` unless given. */
  @MaybeOneOf(ON_MISSED)
  onMissed?: OnMissed;

  /** False: it is paused. */
  @YesNo()
  enabled?: boolean;

  /**
   * Why it is paused; only together with `enabled: false`.
   * @example "Until the database has moved"
   */
  @Maybe()
  @Prose(500)
  pausedReason?: string;
}

export class UpdateScheduleRequest extends ChangeOf(CreateScheduleRequest) {}

export class PreviewScheduleRequest extends TimingRequest {}

export class ListSchedulesQuery extends NamedListQuery {
  @QueryId()
  planId?: string;

  @QueryId()
  environmentId?: string;

  /** With whose rights it runs. */
  @QueryId()
  ownerId?: string;

  @QueryYesNo()
  enabled?: boolean;
}

export class ListFiresQuery extends PageQuery {}
