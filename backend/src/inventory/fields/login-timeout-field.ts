import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import { MaybeNull } from '../../common/http/fields.js';
import {
  LOGIN_TIMEOUT_RANGE,
  LONGEST_LOGIN_TIMEOUT,
  SHORTEST_LOGIN_TIMEOUT,
} from '../../transport/connection/login-timeout.js';

const ADVICE = { message: `loginTimeoutSeconds must be null or a whole number ${LOGIN_TIMEOUT_RANGE}` };

export const LoginTimeout = () =>
  applyDecorators(
    ApiProperty({
      type: 'integer',
      nullable: true,
      required: false,
      minimum: SHORTEST_LOGIN_TIMEOUT,
      maximum: LONGEST_LOGIN_TIMEOUT,
    }),
    MaybeNull(),
    IsInt(ADVICE),
    Min(SHORTEST_LOGIN_TIMEOUT, ADVICE),
    Max(LONGEST_LOGIN_TIMEOUT, ADVICE),
  );
