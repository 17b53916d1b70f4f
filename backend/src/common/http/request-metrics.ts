import type { NextFunction, Request, Response } from 'express';
import { countRequest, httpSeconds } from '../metrics/metrics.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Express middleware that counts and times each request, by the template of its route. */
export function measureRequests(request: Request, response: Response, next: NextFunction): void {
  const startedAt = performance.now();
  response.once('close', () => {
    const status = response.writableFinished || response.headersSent ? toStatusClass(response.statusCode) : 'aborted';
    countRequest(getRouteTemplate(request), status);
    if (isStream(response)) return;
    const method = METHODS.has(request.method) ? request.method : 'other';
    httpSeconds.observe({ method, status }, (performance.now() - startedAt) / 1000);
  });
  next();
}

const toStatusClass = (status: number): string => `${Math.floor(status / 100)}xx`;

/** Returns method and path with parameters such as `:id`. All other paths share one value: clients choose them. */
export function getRouteTemplate({ route, method, originalUrl }: Request): string {
  const { path } = (route ?? {}) as { path?: unknown };
  if (typeof path === 'string' && path.startsWith('/api/')) return `${method} ${path}`;
  return originalUrl.startsWith('/api') ? 'unknown' : 'dashboard';
}

/** A stream is open as long as its client wants. */
export const isStream = (response: Response): boolean =>
  String(response.getHeader('Content-Type')).startsWith('text/event-stream');
