import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';

export const IDEMPOTENCY_METADATA_KEY = 'runward:takes-idempotency-key';

/** Marks a route that sends the first response again for a repeated `Idempotency-Key`, without repeating the action. */
export const AcceptsIdempotencyKey = (): MethodDecorator =>
  applyDecorators(
    SetMetadata(IDEMPOTENCY_METADATA_KEY, true),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'The same key and body within 24 hours answers the first answer again and does nothing more (`Idempotency-Replayed: true`).',
    }),
  );
