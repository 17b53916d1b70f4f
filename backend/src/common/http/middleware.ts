import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import type { RunwardRequest } from '../access/principal.js';
import { Problem } from '../errors/problem.js';

const REQUEST_ID_PATTERN = /^[A-Za-z0-9._-]{1,64}$/;

/** Browser features that the interface does not use. Without the header, embedded pages could use them in its name. */
const DENIED_FEATURES = [
  'camera',
  'microphone',
  'geolocation',
  'payment',
  'usb',
  'serial',
  'bluetooth',
  'display-capture',
];
const PERMISSIONS_POLICY = DENIED_FEATURES.map((feature) => `${feature}=()`).join(', ');

export function denyBrowserFeatures(_: Request, response: Response, next: NextFunction): void {
  response.setHeader('Permissions-Policy', PERMISSIONS_POLICY);
  next();
}

/**
 * Express middleware that refuses a request with two `Host` headers, because a proxy and Node.js may use different
 * ones.
 */
export function requireOneHostHeader({ rawHeaders }: Request, _: Response, next: NextFunction): void {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length < 2) next();
  else next(new Problem('invalid_request', 'The request has more than one Host header. Send exactly one.'));
}

/**
 * Forbids caching of API responses. Each response is the view of one caller, and some parts change without a new
 * version, such as usages of a key. A route can override the header.
 */
export function forbidCaching(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Cache-Control', 'no-store');
  next();
}

/** Uses the client's `X-Request-Id` or creates one. Logs, audit entries and problems contain the same ID. */
export function assignRequestId(request: Request & RunwardRequest, response: Response, next: NextFunction): void {
  const requestedId = request.headers['x-request-id'];
  request.requestId =
    typeof requestedId === 'string' && REQUEST_ID_PATTERN.test(requestedId) ? requestedId : randomUUID();
  response.setHeader('X-Request-Id', request.requestId);
  next();
}
