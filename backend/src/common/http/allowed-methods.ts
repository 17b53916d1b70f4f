import type { Request } from 'express';

/** What Express keeps of a registered route, as far as it is needed here. */
interface Layer {
  route?: { methods: Record<string, boolean> };
  match(path: string): unknown;
}

/**
 * The methods that the path of a request takes, sorted; none when no route has this path. Asks the routes that are
 * registered themselves, so that it can't differ from what they do: HEAD goes where GET does, OPTIONS to every path.
 */
export function allowedMethods(request: Request): string[] {
  const { stack } = request.app.router as unknown as { stack: Layer[] };
  const methods = stack.flatMap((layer) =>
    layer.route && matches(layer, request.path) ? Object.keys(layer.route.methods) : [],
  );
  if (methods.length === 0) return [];
  const further = methods.includes('get') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
  return [...new Set([...methods.map((method) => method.toUpperCase()), ...further])].sort();
}

function matches(layer: Layer, path: string): boolean {
  try {
    return Boolean(layer.match(path));
  } catch {
    // The path holds a percent sign that encodes nothing: it is none of ours.
    return false;
  }
}
