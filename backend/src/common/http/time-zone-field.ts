import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { registerDecorator } from 'class-validator';
import { MAX_ZONE_LENGTH, findTimeZoneFault } from '../time/time-zone.js';

export const TimeZone = (): PropertyDecorator =>
  applyDecorators(ApiProperty({ type: String, maxLength: MAX_ZONE_LENGTH, example: 'Europe/Berlin' }), IsTimeZone());

function IsTimeZone(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'isTimeZone',
      target: target.constructor,
      propertyName: property as string,
      validator: {
        validate: (value: unknown) => findTimeZoneFault(value) === null,
        defaultMessage: (args) => findTimeZoneFault(args?.value) ?? 'timeZone is invalid',
      },
    });
}
