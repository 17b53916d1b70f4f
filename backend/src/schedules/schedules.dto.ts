import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import {
  OptionalInstant,
  PartialUpdateOf,
  MultilineText,
  IsOptionalField,
  OptionalOneOf,
  IsOneOf,
  RequiredMultilineText,
  QueryBoolean,
  QueryText,
  RecordId,
  RequiredTextLine,
  OptionalBoolean,
  TimeZone,
} from '../common/http/fields.js';
import { QueryId } from '../common/http/paging/filters.js';
import { NamedListQuery, PageQuery } from '../common/http/paging/page.dto.js';
import { VALUE_SCHEMA } from '../variables/value-schema.js';
import { IsVariableMap } from '../variables/variable-map.js';
import type { VariableValue } from '../variables/variable-value.js';
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
  @IsOptionalField()
  @IsInt(EVERY_ADVICE)
  @Min(MIN_INTERVAL_SECONDS, EVERY_ADVICE)
  @Max(MAX_INTERVAL_SECONDS, EVERY_ADVICE)
  everySeconds?: number;

  /** Time zone of `cron`; required with it. */
  @IsOptionalField()
  @TimeZone()
  @ApiProperty({ required: false })
  timeZone?: string;
}

export class CreateScheduleRequest extends TimingRequest {
  /** @example "Nightly restart" */
  @RequiredTextLine(100)
  name: string;

  /** Note, shown with the schedule and its runs. */
  @IsOptionalField()
  @MultilineText(2000)
  note?: string;

  /** Plan to start, as in `GET /api/plans/{id}`. */
  @RecordId()
  planId: string;

  /** Environment; default: the plan's own. */
  @IsOptionalField()
  @RecordId()
  environmentId?: string;

  /** @example "auto" */
  @IsOneOf(EXECUTION_MODES)
  execution_mode: ExecutionMode;

  /**
   * Values for the plan's variables, by name. A secret is stored encrypted and returned as `‹secret NAME›`; send that
   * text back to keep it.
   */
  @ApiPropertyOptional({ type: 'object', additionalProperties: VALUE_SCHEMA, example: { RELEASE: '2.4.1' } })
  @IsOptionalField()
  @IsVariableMap()
  variables?: Record<string, VariableValue>;

  /**
   * Selector that further narrows the plan's hosts.
   * @example "name=web-1"
   */
  @IsOptionalField()
  @MultilineText(1000)
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
  @IsOptionalField()
  @IsInt(JITTER_ADVICE)
  @Min(0, JITTER_ADVICE)
  @Max(MAX_JITTER_SECONDS, JITTER_ADVICE)
  jitterSeconds?: number;

  /** When another run conflicts: `skip` (default) omits this time, `queue` lets one run wait in the queue. */
  @OptionalOneOf(ON_OVERLAP)
  onOverlap?: OnOverlap;

  /** When no worker was available at a time: `skip` (default) omits it, `once` starts one run for all missed times. */
  @OptionalOneOf(ON_MISSED)
  onMissed?: OnMissed;

  /** False = paused. */
  @OptionalBoolean()
  enabled?: boolean;

  /**
   * Reason of the pause; only with `enabled: false`.
   * @example "Until the database has moved"
   */
  @IsOptionalField()
  @RequiredMultilineText(500)
  pausedReason?: string;
}

export class UpdateScheduleRequest extends PartialUpdateOf(CreateScheduleRequest) {}

export class PreviewScheduleRequest extends TimingRequest {}

export class ListSchedulesQuery extends NamedListQuery {
  @QueryId()
  planId?: string;

  @QueryId()
  environmentId?: string;

  /** Member whose rights its runs use. */
  @QueryId()
  ownerId?: string;

  @QueryBoolean()
  enabled?: boolean;
}

export class ListFiresQuery extends PageQuery {}

export class ListOccurrencesQuery {
  /** Earliest time, inclusive. Default: now. */
  @OptionalInstant()
  from?: string;

  /** Latest time, exclusive: at most 45 days after `from`. Default: 30 days after `from`. */
  @OptionalInstant()
  to?: string;

  /** Text that the name of the schedule contains. */
  @QueryText()
  q?: string;

  @QueryId()
  planId?: string;

  @QueryId()
  environmentId?: string;
}
