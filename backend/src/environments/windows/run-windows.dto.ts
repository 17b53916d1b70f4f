import { ApiProperty } from '@nestjs/swagger';
import { ArrayMinSize, ArrayUnique, IsArray, IsIn, Matches, registerDecorator } from 'class-validator';
import { IsOptionalField, NestedObjectList, RequiredMultilineText, TimeZone } from '../../common/http/fields.js';
import { isInstant } from '../../common/time/instant.js';
import { WEEKDAYS, type Weekday } from './run-windows.js';

/** Maximum number of spans per environment, and also of blackouts. */
export const MAX_OPEN_SPANS = 20;
export const MAX_BLACKOUTS = 100;

const DAYS_ADVICE = { message: `days must be a list of ${WEEKDAYS.join(', ')}, each once` };
const LOCAL_TIME_ADVICE = {
  message: '$property must be a local date and time in timeZone, without a UTC offset: 2026-12-24T18:00',
};

/** Local date and time of day that exists, within supported years and without a time zone. */
const LOCAL_TIME_PATTERN = /^2[01]\d\d-\d\d-\d\dT\d\d:\d\d$/;

function IsLocalTime(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'matches',
      target: target.constructor,
      propertyName: property as string,
      options: LOCAL_TIME_ADVICE,
      validator: {
        validate: (value: unknown) =>
          typeof value === 'string' && LOCAL_TIME_PATTERN.test(value) && isInstant(`${value}:00Z`),
      },
    });
}

export class OpenSpanRequest {
  /** Weekdays on which the span begins. */
  @ApiProperty({
    enum: WEEKDAYS,
    isArray: true,
    minItems: 1,
    maxItems: WEEKDAYS.length,
    uniqueItems: true,
    example: ['mon', 'tue'],
  })
  @IsIn(WEEKDAYS, { each: true, ...DAYS_ADVICE })
  @ArrayUnique(DAYS_ADVICE)
  @ArrayMinSize(1, { message: 'days must name at least one day' })
  @IsArray(DAYS_ADVICE)
  days: Weekday[];

  /**
   * Start, as local time of day from `00:00` to `23:59`.
   * @example "20:00"
   */
  @Matches(/^([01]\d|2[0-3]):[0-5]\d$/, { message: 'from must be a time of day from 00:00 to 23:59, such as 20:00' })
  from: string;

  /**
   * End (exclusive). Before `from` = on the next day. `24:00` is the end of the day.
   * @example "06:00"
   */
  @Matches(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, {
    message: 'to must be a time of day from 00:00 to 24:00, such as 06:00',
  })
  to: string;
}

export class BlackoutRequest {
  /**
   * Local time in `timeZone`.
   * @example "2026-12-24T00:00"
   */
  @ApiProperty({ pattern: LOCAL_TIME_PATTERN.source })
  @IsLocalTime()
  from: string;

  /**
   * End (exclusive).
   * @example "2026-12-27T00:00"
   */
  @ApiProperty({ pattern: LOCAL_TIME_PATTERN.source })
  @IsLocalTime()
  to: string;

  /**
   * Reason of the blackout, shown to members whose start is refused.
   * @example "Christmas"
   */
  @RequiredMultilineText(200)
  reason: string;
}

export class RunWindowsRequest {
  /** Time zone of all times below. */
  @TimeZone()
  timeZone: string;

  /** Times in which runs may begin. A span beyond midnight belongs to the day on which it begins. */
  @NestedObjectList(() => OpenSpanRequest, MAX_OPEN_SPANS)
  @ArrayMinSize(1, {
    message: 'open must contain at least one span; to use only blackouts, send all days from 00:00 to 24:00',
  })
  open: OpenSpanRequest[];

  /** Periods in which no run may begin, regardless of `open`. */
  @IsOptionalField()
  @NestedObjectList(() => BlackoutRequest, MAX_BLACKOUTS)
  blackouts?: BlackoutRequest[];
}
