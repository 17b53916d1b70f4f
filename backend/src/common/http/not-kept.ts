import type { NextFunction, Request, Response } from 'express';

/**
 * No answer of the API may be kept by browsers or proxies: each is one caller's view, and parts of a record change without
 * its version, such as what uses a key. A route that knows better sets the header itself.
 */
export function keepNoAnswer(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Cache-Control', 'no-store');
  next();
}
