import { ApiProperty } from '@nestjs/swagger';
import { ArrayMinSize, ArrayUnique, IsArray, IsIn, Matches, registerDecorator } from 'class-validator';
import { Maybe, NestedList, Prose } from '../../common/http/fields.js';
import { isInstant } from '../../common/http/instant.js';
import { TimeZone } from '../../common/http/time-zone-field.js';
import { WEEKDAYS, type Weekday } from './run-windows.js';

/** Spans and blackouts of one environment. */
export const MOST_SPANS = 20;
export const MOST_BLACKOUTS = 100;

const DAYS_ADVICE = { message: `days must be a list of ${WEEKDAYS.join(', ')}, each once` };
const LOCAL_ADVICE = {
  message: '$property must be a date and time on the clocks of timeZone, without a zone of its own: 2026-12-24T18:00',
};

/** A date and time of day that exist, in these centuries and without a zone. */
function LocalTime(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'matches',
      target: target.constructor,
      propertyName: property as string,
      options: LOCAL_ADVICE,
      validator: {
        validate: (value: unknown) =>
          typeof value === 'string' && /^2[01]\d\d-\d\d-\d\dT\d\d:\d\d$/.test(value) && isInstant(`${value}:00Z`),
      },
    });
}

export class OpenSpanRequest {
  /** The days on which it begins. */
  @ApiProperty({ enum: WEEKDAYS, isArray: true, minItems: 1, uniqueItems: true, example: ['mon', 'tue'] })
  @IsIn(WEEKDAYS, { each: true, ...DAYS_ADVICE })
  @ArrayUnique(DAYS_ADVICE)
  @ArrayMinSize(1, { message: 'days must name at least one day' })
  @IsArray(DAYS_ADVICE)
  days: Weekday[];

  /** @example "20:00" */
  @Matches(/^([01]\d|2[0-3]):[0-5]\d$/, { message: 'from must be a time of day from 00:00 to 23:59, such as 20:00' })
  from: string;

  /**
   * The first moment after it. Earlier than `from`: on the next day. `24:00` is the end of the day.
   * @example "06:00"
   */
  @Matches(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, {
    message: 'to must be a time of day from 00:00 to 24:00, such as 06:00',
  })
  to: string;
}

export class BlackoutRequest {
  /**
   * On the clocks of `timeZone`.
   * @example "2026-12-24T00:00"
   */
  @LocalTime()
  from: string;

  /**
   * The first moment after it.
   * @example "2026-12-27T00:00"
   */
  @LocalTime()
  to: string;

  /** @example "Christmas" */
  @Prose(200)
  reason: string;
}

export class RunWindowsRequest {
  /** On whose clocks all times of it are. */
  @TimeZone()
  timeZone: string;

  /** When runs may begin. A span that goes beyond midnight belongs to the day on which it begins. */
  @NestedList(() => OpenSpanRequest, MOST_SPANS)
  @ArrayMinSize(1, {
    message: 'open must hold at least one span; all days from 00:00 to 24:00 leaves the blackouts only',
  })
  open: OpenSpanRequest[];

  /** When none begin, whatever the hours say. */
  @Maybe()
  @NestedList(() => BlackoutRequest, MOST_BLACKOUTS)
  blackouts?: BlackoutRequest[];
}
