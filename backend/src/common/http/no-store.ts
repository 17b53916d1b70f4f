import type { NextFunction, Request, Response } from 'express';

/**
 * Forbids caching of API responses. Each response is the view of one caller, and some parts change without a new
 * version, such as usages of a key. A route can override the header.
 */
export function forbidCaching(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Cache-Control', 'no-store');
  next();
}
