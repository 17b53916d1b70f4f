import { openApi, resolved, type Schema } from './openapi.js';

interface FullSchema extends Schema {
  anyOf?: FullSchema[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
}

const FORMATS: Record<string, RegExp> = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
};

/**
 * Returns the positions where a value violates the schema, within the used part of JSON Schema. Unknown fields are
 * violations too.
 */
export function schemaFaults(given: Schema, value: unknown, path = ''): string[] {
  const schema = resolved(given) as FullSchema;
  const branches = schema.oneOf ?? schema.anyOf;
  if (branches) {
    return branches.some((branch) => schemaFaults(branch, value, path).length === 0)
      ? []
      : [`${path}: ${JSON.stringify(value)} is none of the choices`];
  }
  const types = [schema.type].flat().filter((type) => type !== undefined);
  if (types.length > 0 && !types.some((type) => hasType(type, value)))
    return [`${path}: ${JSON.stringify(value)} is not ${types.join(' or ')}`];
  if (schema.enum && !schema.enum.includes(value)) return [`${path}: ${JSON.stringify(value)} is not in the enum`];
  if (typeof value === 'string') return textFaults(schema, value, path);
  if (typeof value === 'number') {
    const { minimum = -Infinity, maximum = Infinity } = schema;
    return value < minimum || value > maximum ? [`${path}: ${value} is out of bounds`] : [];
  }
  if (Array.isArray(value))
    return value.flatMap((item, index) => schemaFaults(schema.items ?? {}, item, `${path}/${index}`));
  return value !== null && typeof value === 'object' ? objectFaults(schema, value, path) : [];
}

function textFaults({ format = '', pattern }: FullSchema, value: string, path: string): string[] {
  if (FORMATS[format]?.test(value) === false) return [`${path}: ${value} is not ${format}`];
  return pattern !== undefined && !new RegExp(pattern).test(value) ? [`${path}: ${value} is not like ${pattern}`] : [];
}

function objectFaults(schema: FullSchema, value: object, path: string): string[] {
  const { properties = {}, required = [], additionalProperties } = schema;
  const missing = required.filter((name) => !(name in value)).map((name) => `${path}/${name} is missing`);
  const further = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  return [
    ...missing,
    ...Object.entries(value).flatMap(([name, item]) => {
      const property = properties[name] ?? further;
      if (property) return schemaFaults(property, item, `${path}/${name}`);
      return additionalProperties === true ? [] : [`${path}/${name} is not known`];
    }),
  ];
}

function hasType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return value !== null && typeof value === 'object' && !Array.isArray(value);
  return typeof value === type;
}

export function schemaNamed(name: string): Schema {
  const schema = openApi.components.schemas[name];
  if (!schema) throw new Error(`The document has no schema ${name}.`);
  return schema;
}
