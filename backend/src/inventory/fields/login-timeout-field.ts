import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import { IsNullableField } from '../../common/http/fields.js';
import {
  LOGIN_TIMEOUT_RANGE_TEXT,
  MAX_LOGIN_TIMEOUT_SECONDS,
  MIN_LOGIN_TIMEOUT_SECONDS,
} from '../../transport/connection/login-timeout.js';

const LOGIN_TIMEOUT_MESSAGE = {
  message: `loginTimeoutSeconds must be null or a whole number ${LOGIN_TIMEOUT_RANGE_TEXT}`,
};

export const LoginTimeout = () =>
  applyDecorators(
    ApiProperty({
      type: 'integer',
      nullable: true,
      required: false,
      minimum: MIN_LOGIN_TIMEOUT_SECONDS,
      maximum: MAX_LOGIN_TIMEOUT_SECONDS,
    }),
    IsNullableField(),
    IsInt(LOGIN_TIMEOUT_MESSAGE),
    Min(MIN_LOGIN_TIMEOUT_SECONDS, LOGIN_TIMEOUT_MESSAGE),
    Max(MAX_LOGIN_TIMEOUT_SECONDS, LOGIN_TIMEOUT_MESSAGE),
  );
