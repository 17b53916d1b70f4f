import { NotFoundException } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

/** What Express keeps of a registered route, as far as it is needed here. */
interface Layer {
  route?: { path: string; methods: Record<string, boolean> };
  match(path: string): unknown;
}

/**
 * The methods that the path of a request takes, sorted; none when no route has this path. Asks the routes that are
 * registered themselves, so that it can't differ from what they do: HEAD goes where GET does, OPTIONS to every path.
 */
export function allowedMethods(request: Request): string[] {
  const routes = routesOf(request);
  const literal = routes.filter(isLiteral);
  // `/servers/export` is no `/servers/{id}`.
  const methods = methodsOf(literal.length > 0 ? literal : routes);
  if (methods.length === 0) return [];
  const further = methods.includes('get') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
  return [...new Set([...methods.map((method) => method.toUpperCase()), ...further])].sort();
}

/**
 * Keeps requests for a path that is written out, such as `/servers/export`, from the route whose placeholder would take
 * its last word for an id, where the path itself does not take the method.
 */
export function keepFromPlaceholders(request: Request, _: Response, next: NextFunction): void {
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
  const taken = literalMethods(request);
  next(taken && !taken.has(method) ? new NotFoundException() : undefined);
}

type Route = NonNullable<Layer['route']>;

const isLiteral = ({ path }: Route) => !/[:*{]/.test(path);
const methodsOf = (routes: readonly Route[]) => routes.flatMap(({ methods }) => Object.keys(methods));

const stackOf = (request: Request) => (request.app.router as unknown as { stack: Layer[] }).stack;

/** Methods by path, of the routes whose path is written out; for so many routes as there were. */
const literals = new WeakMap<Layer[], { routes: number; methods: Map<string, Set<string>> }>();

/** Every request is asked for this, so it does not go through all routes. */
function literalMethods(request: Request): Set<string> | undefined {
  const stack = stackOf(request);
  let known = literals.get(stack);
  if (known?.routes !== stack.length) {
    known = { routes: stack.length, methods: new Map() };
    for (const { route } of stack) {
      if (!route || !isLiteral(route)) continue;
      const key = asCompared(route.path);
      known.methods.set(key, new Set([...(known.methods.get(key) ?? []), ...methodsOf([route])]));
    }
    literals.set(stack, known);
  }
  return known.methods.get(asCompared(request.path));
}

/** Express takes paths without regard to case, with or without a slash at the end. */
const asCompared = (path: string) => path.toLowerCase().replace(/\/$/, '');

function routesOf(request: Request): Route[] {
  return stackOf(request).flatMap((layer) => (layer.route && matches(layer, request.path) ? layer.route : []));
}

function matches(layer: Layer, path: string): boolean {
  try {
    return Boolean(layer.match(path));
  } catch {
    // The path holds a percent sign that encodes nothing: it is none of ours.
    return false;
  }
}
