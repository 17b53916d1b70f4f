import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import { MaybeNull } from '../../common/http/fields.js';
import { LOGIN_TIMEOUT_RANGE, MAX_LOGIN_TIMEOUT, MIN_LOGIN_TIMEOUT } from '../../transport/connection/login-timeout.js';

const RANGE_MESSAGE = { message: `loginTimeoutSeconds must be null or a whole number ${LOGIN_TIMEOUT_RANGE}` };

export const LoginTimeout = () =>
  applyDecorators(
    ApiProperty({
      type: 'integer',
      nullable: true,
      required: false,
      minimum: MIN_LOGIN_TIMEOUT,
      maximum: MAX_LOGIN_TIMEOUT,
    }),
    MaybeNull(),
    IsInt(RANGE_MESSAGE),
    Min(MIN_LOGIN_TIMEOUT, RANGE_MESSAGE),
    Max(MAX_LOGIN_TIMEOUT, RANGE_MESSAGE),
  );
