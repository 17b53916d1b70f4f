import type { NextFunction, Request, Response } from 'express';

/** Largest request body, in bytes (design: api.md, 413). */
export const MAX_BODY_BYTES = 1024 * 1024;

/** The raw body of a request, read but not yet looked at: guards answer before any of it is parsed. */
export type CapturedBody = { kind: 'bytes'; bytes: Buffer } | { kind: 'too_large' };

const captured = new WeakMap<object, CapturedBody>();

/** The body that `captureBody` kept for this request. */
export const capturedBodyOf = (request: object): CapturedBody =>
  captured.get(request) ?? { kind: 'bytes', bytes: Buffer.alloc(0) };

/**
 * Express middleware: reads the body up to the limit and leaves judging it to the strict-body interceptor,
 * so that 401 and 403 come before 400, 413 and 415 (design: security.md, order of answers).
 */
export function captureBody(request: Request, response: Response, next: NextFunction): void {
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS') return next();
  const parts: Buffer[] = [];
  let size = 0;
  request.on('data', (part: Buffer) => {
    size += part.length;
    if (size <= MAX_BODY_BYTES) parts.push(part);
    else parts.length = 0;
  });
  request.on('end', () => {
    const tooLarge = size > MAX_BODY_BYTES;
    if (tooLarge) response.setHeader('Connection', 'close');
    captured.set(request, tooLarge ? { kind: 'too_large' } : { kind: 'bytes', bytes: Buffer.concat(parts) });
    next();
  });
  request.on('error', next);
}
