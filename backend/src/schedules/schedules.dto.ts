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
import { OptionalLabels } from '../executions/contract/run-labels.js';
import { EXECUTION_MODES, type ExecutionMode } from '../executions/lifecycle/statuses.js';
import { ON_OVERLAP, type OnOverlap } from './records/schedule.entity.js';
import { MaybeCron } from './timing/cron-field.js';
import { ON_MISSED, type OnMissed } from './timing/due-work.js';

/** A minute and a year. */
const MIN_INTERVAL_SECONDS = 60;
const MAX_INTERVAL_SECONDS = 31_536_000;
const EVERY_ADVICE = {
  message: `everySeconds must be a whole number of seconds from ${MIN_INTERVAL_SECONDS} to ${MAX_INTERVAL_SECONDS}`,
};
const MAX_JITTER_SECONDS = 3_600;
const JITTER_ADVICE = { message: `jitterSeconds must be a whole number of seconds from 0 to ${MAX_JITTER_SECONDS}` };

/** Times of a schedule. */
export class TimingRequest {
  /**
   * Five fields: minute, hour, day of the month, month, day of the week. Instead of `everySeconds`. If both days are
   * restricted, either matches.
   */
  @MaybeCron()
  cron?: string;

  /**
   * Interval in seconds, counted from the save. Instead of `cron`.
   * @example 3600
   */
  @ApiProperty({ type: 'integer', required: false, minimum: MIN_INTERVAL_SECONDS, maximum: MAX_INTERVAL_SECONDS })
  @Maybe()
  @IsInt(EVERY_ADVICE)
  @Min(MIN_INTERVAL_SECONDS, EVERY_ADVICE)
  @Max(MAX_INTERVAL_SECONDS, EVERY_ADVICE)
  everySeconds?: number;

  /** Time zone of `cron`; required with it. */
  @Maybe()
  @TimeZone()
  @ApiProperty({ required: false })
  timeZone?: string;
}

export class CreateScheduleRequest extends TimingRequest {
  /** @example "Nightly restart" */
  @Text(100)
  name: string;

  /** Note, shown with the schedule and its runs. */
  @Maybe()
  @FreeText(2000)
  note?: string;

  @RecordId()
  planId: string;

  /** Environment; default: the plan's own. */
  @Maybe()
  @RecordId()
  environmentId?: string;

  /** @example "auto" */
  @OneOf(EXECUTION_MODES)
  execution_mode: ExecutionMode;

  /**
   * Values for the plan's variables, by name. A secret is stored encrypted and returned as `‹secret NAME›`; send that
   * text back to keep it.
   */
  @ApiPropertyOptional({ type: 'object', additionalProperties: VALUE_SCHEMA, example: { RELEASE: '2.4.1' } })
  @Maybe()
  @IsVariableMap()
  variables?: Record<string, VariableValue>;

  /**
   * Selector that further narrows the plan's hosts.
   * @example "name=web-1"
   */
  @Maybe()
  @FreeText(1000)
  targets?: string;

  /** Labels of its runs: up to 20 keys with a text each. */
  @OptionalLabels()
  labels?: Record<string, string>;

  /**
   * Maximum delay of its starts, in seconds, to spread schedules with the same time. The delay of one schedule is
   * always the same.
   * @example 120
   */
  @ApiProperty({ type: 'integer', required: false, minimum: 0, maximum: MAX_JITTER_SECONDS })
  @Maybe()
  @IsInt(JITTER_ADVICE)
  @Min(0, JITTER_ADVICE)
  @Max(MAX_JITTER_SECONDS, JITTER_ADVICE)
  jitterSeconds?: number;

  /** When another run conflicts: `skip` (default) omits this time, `queue` lets one run wait in the queue. */
  @MaybeOneOf(ON_OVERLAP)
  onOverlap?: OnOverlap;

  /** When no worker was available at a time: `skip` (default) omits it, `once` starts one run for all missed times. */
  @MaybeOneOf(ON_MISSED)
  onMissed?: OnMissed;

  /** False = paused. */
  @YesNo()
  enabled?: boolean;

  /**
   * Reason of the pause; only with `enabled: false`.
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

  /** Member whose rights its runs use. */
  @QueryId()
  ownerId?: string;

  @QueryYesNo()
  enabled?: boolean;
}

export class ListFiresQuery extends PageQuery {}
