import { randomUUID } from 'node:crypto';
import { constants } from 'node:zlib';
import compression from 'compression';
import type { NextFunction, Request, Response } from 'express';
import { NotFoundException } from '@nestjs/common';
import type { RunwardRequest } from '../access/principal.js';
import { Problem } from '../errors/problem.js';
import { PRODUCT_VERSION } from '../product-version.js';

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

/** Smallest answer that is compressed, in bytes: smaller ones fit into one packet anyway. */
const MIN_COMPRESSED_BYTES = 1024;

/**
 * Compresses JSON, with little processor time rather than to the smallest size. Event streams and downloads are not
 * compressed: their lines would wait in the compressor, and their length has no limit.
 */
export const compressJson = compression({
  threshold: MIN_COMPRESSED_BYTES,
  level: 1,
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } },
  filter: (_, response) => /^application\/json\b/.test(String(response.getHeader('Content-Type'))),
});

/**
 * Uses the client's `X-Request-Id` or creates one. Logs, audit entries and problems contain the same ID. Also names the
 * version of Runward.
 */
export function assignRequestId(request: Request & RunwardRequest, response: Response, next: NextFunction): void {
  const requestedId = request.headers['x-request-id'];
  request.requestId =
    typeof requestedId === 'string' && REQUEST_ID_PATTERN.test(requestedId) ? requestedId : randomUUID();
  response.setHeader('X-Request-Id', request.requestId);
  response.setHeader('Runward-Version', PRODUCT_VERSION);
  next();
}

interface RouterLayer {
  route?: { path: string; methods: Record<string, boolean> };
  match(path: string): unknown;
}

/**
 * Returns the methods that the request's path accepts, sorted; empty if no route matches. HEAD is accepted where GET
 * is, OPTIONS everywhere. Reads the registered routes, so that the answer always agrees with them.
 */
export function findAllowedMethods(request: Request): string[] {
  const routes = findMatchingRoutes(request);
  const literal = routes.filter(isLiteralRoute);
  // If a literal path such as `/servers/export` matches, `/servers/{id}` does not count.
  const methods = listMethods(literal.length > 0 ? literal : routes);
  if (methods.length === 0) return [];
  const impliedMethods = methods.includes('get') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
  return [...new Set([...methods.map((method) => method.toUpperCase()), ...impliedMethods])].sort();
}

/** Prevents `/servers/export` from reaching `/servers/{id}` when the literal path does not accept the method. */
export function rejectMethodOfLiteralPath(request: Request, _: Response, next: NextFunction): void {
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
  const taken = findLiteralMethods(request);
  next(taken && !taken.has(method) ? new NotFoundException() : undefined);
}

type Route = NonNullable<RouterLayer['route']>;

const isLiteralRoute = ({ path }: Route) => !/[:*{]/.test(path);
const listMethods = (routes: readonly Route[]) => routes.flatMap(({ methods }) => Object.keys(methods));

const getRouterStack = (request: Request) => (request.app.router as unknown as { stack: RouterLayer[] }).stack;

/** Cache: methods by literal path. Recalculated when the number of routes differs from `routes`. */
const literalMethodsCache = new WeakMap<RouterLayer[], { routes: number; methods: Map<string, Set<string>> }>();

/** Uses an index of the routes, because every request calls it. */
function findLiteralMethods(request: Request): Set<string> | undefined {
  const stack = getRouterStack(request);
  let known = literalMethodsCache.get(stack);
  if (known?.routes !== stack.length) {
    known = { routes: stack.length, methods: new Map() };
    for (const { route } of stack) {
      if (!route || !isLiteralRoute(route)) continue;
      const key = toComparablePath(route.path);
      known.methods.set(key, new Set([...(known.methods.get(key) ?? []), ...listMethods([route])]));
    }
    literalMethodsCache.set(stack, known);
  }
  return known.methods.get(toComparablePath(request.path));
}

/** Express ignores case and a trailing slash. */
const toComparablePath = (path: string) => path.toLowerCase().replace(/\/$/, '');

function findMatchingRoutes(request: Request): Route[] {
  return getRouterStack(request).flatMap((layer) =>
    layer.route && matchesLayer(layer, request.path) ? layer.route : [],
  );
}

function matchesLayer(layer: RouterLayer, path: string): boolean {
  try {
    return Boolean(layer.match(path));
  } catch {
    // Invalid percent-encoding matches no route.
    return false;
  }
}
