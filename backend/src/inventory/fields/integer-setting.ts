import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import { IsNullableField } from '../../common/http/fields.js';
import { formatSettingRange, type IntegerSetting, SERVER_SETTINGS } from './server-settings.js';

/** Field of a request with the limits of an integer setting. Null: the default. */
export function IsIntegerSetting(setting: IntegerSetting): PropertyDecorator {
  const { min, max } = SERVER_SETTINGS[setting];
  const message = { message: `${setting} must be ${formatSettingRange(SERVER_SETTINGS[setting])}` };
  return applyDecorators(
    ApiProperty({ type: 'integer', nullable: true, required: false, minimum: min, maximum: max }),
    IsNullableField(),
    IsInt(message),
    Min(min, message),
    Max(max, message),
  );
}
