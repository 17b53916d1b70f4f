import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { registerDecorator } from 'class-validator';
import { IsOptionalField } from '../../common/http/fields.js';
import { findCronFault, MAX_CRON_LENGTH } from './cron-expression.js';

export const MaybeCron = (): PropertyDecorator =>
  applyDecorators(
    IsOptionalField(),
    ApiProperty({ type: String, required: false, maxLength: MAX_CRON_LENGTH, example: '30 2 * * 1-5' }),
    IsCron(),
  );

function IsCron(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'isCron',
      target: target.constructor,
      propertyName: property as string,
      validator: {
        validate: (value: unknown) => findCronFault(value) === null,
        defaultMessage: (args) => findCronFault(args?.value) ?? 'cron is invalid',
      },
    });
}
