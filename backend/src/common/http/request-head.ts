import type { NextFunction, Request, Response } from 'express';
import { Problem } from '../errors/problem.js';

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
