import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import type { RunwardRequest } from '../access/principal.js';

const ACCEPTABLE = /^[A-Za-z0-9._-]{1,64}$/;

/** Uses the client's `X-Request-Id` or creates one. The same ID is in logs, audit entries and problems. */
export function assignRequestId(request: Request & RunwardRequest, response: Response, next: NextFunction): void {
  const given = request.headers['x-request-id'];
  request.requestId = typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', request.requestId);
  next();
}
