import { NotFoundException } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

interface Layer {
  route?: { path: string; methods: Record<string, boolean> };
  match(path: string): unknown;
}

/**
 * Methods that the request's path accepts, sorted; empty if no route matches. Reads the registered routes, so that it
 * always agrees with them: HEAD is accepted where GET is, OPTIONS everywhere.
 */
export function allowedMethods(request: Request): string[] {
  const routes = routesOf(request);
  const literal = routes.filter(isLiteral);
  // A literal path such as `/servers/export` is not a `/servers/{id}`.
  const methods = methodsOf(literal.length > 0 ? literal : routes);
  if (methods.length === 0) return [];
  const impliedMethods = methods.includes('get') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
  return [...new Set([...methods.map((method) => method.toUpperCase()), ...impliedMethods])].sort();
}

/** Prevents `/servers/export` from matching `/servers/{id}` when the literal path does not accept the method. */
export function rejectLiteralMismatch(request: Request, _: Response, next: NextFunction): void {
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
  const taken = literalMethods(request);
  next(taken && !taken.has(method) ? new NotFoundException() : undefined);
}

type Route = NonNullable<Layer['route']>;

const isLiteral = ({ path }: Route) => !/[:*{]/.test(path);
const methodsOf = (routes: readonly Route[]) => routes.flatMap(({ methods }) => Object.keys(methods));

const stackOf = (request: Request) => (request.app.router as unknown as { stack: Layer[] }).stack;

/** Methods of literal paths; valid for the stored number of routes. */
const literals = new WeakMap<Layer[], { routes: number; methods: Map<string, Set<string>> }>();

/** Called for every request, so it uses an index of the routes. */
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
    // Invalid percent-encoding: no route matches.
    return false;
  }
}
