import { resolved, type Schema, typesOf } from './openapi.js';

export interface Place {
  pointer: string;
  steps: (string | number)[];
  schema: Schema;
  value: unknown;
}

/**
 * Returns a body with all fields of the schema, including optional ones.
 * @param values field values by name, at any depth
 */
export function sampleBody(schema: Schema, values: Record<string, unknown> = {}): unknown {
  const plain = resolved(schema);
  if (plain.example !== undefined) return plain.example;
  if (plain.enum) return plain.enum[0];
  if (plain.oneOf?.[0]) return sampleBody(plain.oneOf[0], values);
  switch (typesOf(plain)[0]) {
    case 'string':
      return 'sample';
    case 'number':
    case 'integer':
      return 60;
    case 'boolean':
      return true;
    case 'array':
      return [sampleBody(plain.items ?? {}, values)];
    default:
      return Object.fromEntries(
        Object.entries(plain.properties ?? {}).map(([name, property]) => [
          name,
          name in values ? values[name] : sampleBody(property, values),
        ]),
      );
  }
}

/** Alternatives of a schema, also of those that are alternatives themselves; otherwise the schema. */
const alternativesOf = (schema: Schema): Schema[] => {
  const plain = resolved(schema);
  return plain.oneOf?.flatMap(alternativesOf) ?? [plain];
};

/** Starts with the body itself. */
export function placesIn(schema: Schema, value: unknown, steps: (string | number)[] = []): Place[] {
  const plain = resolved(schema);
  const own: Place = { pointer: steps.map((step) => `/${step}`).join(''), steps, schema: plain, value };
  // Of several alternatives, uses the one with lists, or else the first.
  const kinds = alternativesOf(plain);
  const shape = kinds.find(({ items }) => items !== undefined && Array.isArray(value)) ?? kinds[0] ?? plain;
  if (Array.isArray(value)) {
    return [own, ...value.flatMap((item, index) => placesIn(shape.items ?? {}, item, [...steps, index]))];
  }
  if (value === null || typeof value !== 'object') return [own];
  const map = typeof shape.additionalProperties === 'object' ? shape.additionalProperties : {};
  const inner = Object.entries(value).flatMap(([name, item]) =>
    placesIn(shape.properties?.[name] ?? map, item, [...steps, name]),
  );
  return [own, ...inner];
}

export function replaced(body: unknown, steps: readonly (string | number)[], value: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  const copy = structuredClone(body) as Record<string | number, unknown>;
  copy[step] = replaced(copy[step], rest, value);
  return copy;
}

/** Returns the body as JSON, with an additional field in the object at a position. Works for any field name. */
export function withField(body: unknown, steps: readonly (string | number)[], name: string, value: unknown): string {
  const copy = structuredClone(body);
  let object = copy as Record<string | number, unknown>;
  for (const step of steps) object = object[step] as Record<string | number, unknown>;
  // An assignment to `__proto__` would set the prototype.
  Object.defineProperty(object, name, { value, enumerable: true });
  return JSON.stringify(copy);
}
