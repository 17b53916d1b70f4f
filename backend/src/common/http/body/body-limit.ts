import { SetMetadata } from '@nestjs/common';

/** Metadata key of the largest body that a route takes. */
export const BODY_LIMIT = 'runward:body-limit';

/** Lets a route take larger bodies than others. @param bytes measured: reading so many must not hold up the process */
export const BodyLimit = (bytes: number): MethodDecorator => SetMetadata(BODY_LIMIT, bytes);
