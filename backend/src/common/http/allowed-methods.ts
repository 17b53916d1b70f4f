import { NotFoundException } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

interface Layer {
  route?: { path: string; methods: Record<string, boolean> };
  match(path: string): unknown;
}

/**
 * Returns the methods that the request's path accepts, sorted; empty if no route matches. HEAD is accepted where GET
 * is, OPTIONS everywhere. Reads the registered routes, so that the answer always agrees with them.
 */
export function allowedMethods(request: Request): string[] {
  const routes = routesOf(request);
  const literal = routes.filter(isLiteral);
  // If a literal path such as `/servers/export` matches, `/servers/{id}` does not count.
  const methods = methodsOf(literal.length > 0 ? literal : routes);
  if (methods.length === 0) return [];
  const impliedMethods = methods.includes('get') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
  return [...new Set([...methods.map((method) => method.toUpperCase()), ...impliedMethods])].sort();
}

/** Prevents `/servers/export` from reaching `/servers/{id}` when the literal path does not accept the method. */
export function rejectLiteralMismatch(request: Request, _: Response, next: NextFunction): void {
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
  const taken = literalMethods(request);
  next(taken && !taken.has(method) ? new NotFoundException() : undefined);
}

type Route = NonNullable<Layer['route']>;

const isLiteral = ({ path }: Route) => !/[:*{]/.test(path);
const methodsOf = (routes: readonly Route[]) => routes.flatMap(({ methods }) => Object.keys(methods));

const stackOf = (request: Request) => (request.app.router as unknown as { stack: Layer[] }).stack;

/** Cache: methods by literal path. Recalculated when the number of routes differs from `routes`. */
const literals = new WeakMap<Layer[], { routes: number; methods: Map<string, Set<string>> }>();

/** Uses an index of the routes, because every request calls it. */
function literalMethods(request: Request): Set<string> | undefined {
  const stack = stackOf(request);
  let known = literals.get(stack);
  if (known?.routes !== stack.length) {
    known = { routes: stack.length, methods: new Map() };
    for (const { route } of stack) {
      if (!route || !isLiteral(route)) continue;
      const key = toComparablePath(route.path);
      known.methods.set(key, new Set([...(known.methods.get(key) ?? []), ...methodsOf([route])]));
    }
    literals.set(stack, known);
  }
  return known.methods.get(toComparablePath(request.path));
}

/** Express ignores case and a trailing slash. */
const toComparablePath = (path: string) => path.toLowerCase().replace(/\/$/, '');

function routesOf(request: Request): Route[] {
  return stackOf(request).flatMap((layer) => (layer.route && matches(layer, request.path) ? layer.route : []));
}

function matches(layer: Layer, path: string): boolean {
  try {
    return Boolean(layer.match(path));
  } catch {
    // Invalid percent-encoding matches no route.
    return false;
  }
}
