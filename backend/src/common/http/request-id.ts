import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import type { RunwardRequest } from '../access/principal.js';

const REQUEST_ID_PATTERN = /^[A-Za-z0-9._-]{1,64}$/;

/** Uses the client's `X-Request-Id` or creates one. Logs, audit entries and problems contain the same ID. */
export function assignRequestId(request: Request & RunwardRequest, response: Response, next: NextFunction): void {
  const requestedId = request.headers['x-request-id'];
  request.requestId =
    typeof requestedId === 'string' && REQUEST_ID_PATTERN.test(requestedId) ? requestedId : randomUUID();
  response.setHeader('X-Request-Id', request.requestId);
  next();
}
