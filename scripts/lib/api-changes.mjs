/**
 * Finds differences between two OpenAPI documents that break clients, by the rules of docs/compatibility.md. Pure.
 *
 * Direction of a schema: `sent` by clients (parameters, request bodies) or `received` by them (responses).
 */

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];
/** Keywords that do not change what a schema accepts. */
const TEXT_KEYWORDS = new Set(['description', 'summary', 'title', 'example', 'examples', 'externalDocs', 'tags']);
/** Keywords whose larger value refuses more requests, and keywords whose smaller value does. */
const LOWER_BOUNDS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const UPPER_BOUNDS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];

/**
 * @param {object} before OpenAPI document of the last release
 * @param {object} after OpenAPI document of this version
 * @returns {string[]} one line per breaking change: place and fault
 */
export function breakingChanges(before, after) {
  const comparison = new Comparison(before, after);
  for (const [path, item] of Object.entries(before.paths ?? {}))
    for (const method of METHODS.filter((each) => each in item))
      comparison.compareOperation(`${method.toUpperCase()} ${path}`, item[method], after.paths?.[path]?.[method]);
  for (const [name, item] of Object.entries(before.webhooks ?? {}))
    comparison.compareWebhook(`webhook ${name}`, item.post, after.webhooks?.[name]?.post);
  return [...comparison.found];
}

/** Returns the parts of a document that {@link breakingChanges} reads: no texts, one entry per line. */
export function toBaseline({ openapi, info, paths, webhooks = {}, components }) {
  const section = (entries) =>
    `{\n${Object.entries(entries)
      .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(withoutTexts(value))}`)
      .join(',\n')}\n}`;
  const parts = Object.entries(components)
    .filter(([name]) => name !== 'securitySchemes')
    .map(([name, entries]) => `${JSON.stringify(name)}: ${section(entries)}`);
  return `{
"openapi": ${JSON.stringify(openapi)},
"info": ${JSON.stringify({ version: info.version })},
"paths": ${section(paths)},
"webhooks": ${section(webhooks)},
"components": {\n${parts.join(',\n')}\n}
}
`;
}

function withoutTexts(value, namesFields = false) {
  if (Array.isArray(value)) return value.map((each) => withoutTexts(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => namesFields || !(TEXT_KEYWORDS.has(key) || key.startsWith('x-')))
      .map(([key, each]) => [key, withoutTexts(each, key === 'properties')]),
  );
}

class Comparison {
  found = new Set();
  /** Pairs of schemas that are compared already, because schemas can contain themselves. */
  #visited = new Set();

  constructor(before, after) {
    this.before = before;
    this.after = after;
  }

  compareOperation(where, old, now) {
    if (!now) return void this.#report(where, 'is removed');
    if (old.operationId !== now.operationId)
      this.#report(where, `is renamed from "${old.operationId}" to "${now.operationId}", a name in generated clients`);
    this.#compareParameters(where, this.#all(this.before, old.parameters), this.#all(this.after, now.parameters));
    this.#compareBody(where, resolve(this.before, old.requestBody), resolve(this.after, now.requestBody));
    for (const [status, answer] of Object.entries(old.responses ?? {})) {
      const [then, given] = [resolve(this.before, answer), resolve(this.after, now.responses?.[status])];
      if (!given) {
        if (status < 400) this.#report(where, `no longer answers ${status}`);
      } else this.#compareContent(`${where} ${status}`, 'received', then.content, given.content);
    }
  }

  compareWebhook(where, old, now) {
    if (!now) return void this.#report(where, 'is removed');
    const [then, given] = [resolve(this.before, old.requestBody), resolve(this.after, now.requestBody)];
    this.#compareContent(where, 'received', then?.content, given?.content);
  }

  #compareParameters(where, old, now) {
    const key = ({ in: place, name }) => `${place} ${name}`;
    const known = new Map(now.map((each) => [key(each), each]));
    for (const parameter of old) {
      const given = known.get(key(parameter));
      // A path names its parameters by position, so their names can change.
      if (!given && parameter.in !== 'path') this.#report(where, `no longer takes the parameter "${parameter.name}"`);
      if (!given) continue;
      if (given.required && !parameter.required) this.#report(where, `now requires the parameter "${parameter.name}"`);
      this.#compareSchema(`${where} ?${parameter.name}`, 'sent', parameter.schema, given.schema);
    }
    const names = new Set(old.map(key));
    for (const parameter of now)
      if (parameter.required && parameter.in !== 'path' && !names.has(key(parameter)))
        this.#report(where, `now requires the parameter "${parameter.name}"`);
  }

  #compareBody(where, old, now) {
    if (now?.required && !old?.required) this.#report(where, 'now requires a body');
    if (old && !now) return void this.#report(where, 'no longer takes a body');
    if (old) this.#compareContent(`${where} body`, 'sent', old.content, now.content);
  }

  #compareContent(where, direction, old = {}, now = {}) {
    for (const [type, { schema }] of Object.entries(old)) {
      if (now[type]) this.#compareSchema(where, direction, schema, now[type].schema);
      else this.#report(where, `no longer has the media type ${type}`);
    }
  }

  #compareSchema(where, direction, oldSchema, newSchema) {
    if (!oldSchema || !newSchema) return;
    const names = [oldSchema.$ref, newSchema.$ref];
    if (names.every(Boolean)) {
      const pair = `${direction} ${names.join(' ')}`;
      if (this.#visited.has(pair)) return;
      this.#visited.add(pair);
    }
    const place = oldSchema.$ref ? `${oldSchema.$ref.split('/').at(-1)} (${direction})` : where;
    const [old, now] = [merge(this.before, oldSchema), merge(this.after, newSchema)];
    this.#compareTypes(place, direction, old, now);
    this.#compareEnums(place, direction, old, now);
    this.#compareFields(place, direction, old, now);
    this.#compareAlternatives(place, direction, old, now);
    if (old.items && now.items) this.#compareSchema(`${place}[]`, direction, old.items, now.items);
    if (typeof old.additionalProperties === 'object' && typeof now.additionalProperties === 'object')
      this.#compareSchema(`${place}.*`, direction, old.additionalProperties, now.additionalProperties);
    if (old.contentSchema && now.contentSchema)
      this.#compareSchema(`${place} (content)`, direction, old.contentSchema, now.contentSchema);
    if (direction === 'sent') this.#compareBounds(place, old, now);
  }

  #compareTypes(where, direction, old, now) {
    const [oldTypes, newTypes] = [typesOf(this.before, old), typesOf(this.after, now)];
    if (!oldTypes || !newTypes) return;
    const accepts = (types, type) => types.has(type) || (type === 'integer' && types.has('number'));
    if (direction === 'sent') {
      const lost = [...oldTypes].filter((type) => !accepts(newTypes, type));
      if (lost.length > 0) this.#report(where, `no longer accepts ${lost.join(', ')}`);
    } else {
      const added = [...newTypes].filter((type) => !accepts(oldTypes, type));
      if (added.length > 0) this.#report(where, `can now be ${added.join(', ')}`);
    }
    if (old.format && old.format !== now.format && direction === 'received')
      this.#report(where, `no longer has the format ${old.format}`);
  }

  #compareEnums(where, direction, old, now) {
    if (direction === 'received' || !now.enum) return;
    if (!old.enum) return void this.#report(where, 'now accepts listed values only');
    const lost = old.enum.filter((value) => !now.enum.includes(value));
    if (lost.length > 0) this.#report(where, `no longer accepts the value ${lost.join(', ')}`);
  }

  #compareFields(where, direction, old, now) {
    const [oldFields, newFields] = [old.properties ?? {}, now.properties ?? {}];
    const [oldRequired, newRequired] = [new Set(old.required), new Set(now.required)];
    for (const [name, schema] of Object.entries(oldFields)) {
      if (name in newFields) this.#compareSchema(`${where}.${name}`, direction, schema, newFields[name]);
      else this.#report(where, `no longer has the field "${name}"`);
    }
    const [strict, lenient] = direction === 'sent' ? [newRequired, oldRequired] : [oldRequired, newRequired];
    for (const name of strict) {
      if (lenient.has(name) || !(name in newFields)) continue;
      this.#report(where, direction === 'sent' ? `now requires the field "${name}"` : `can lack the field "${name}"`);
    }
    if (direction === 'sent' && now.additionalProperties === false && old.additionalProperties !== false)
      this.#report(where, 'now refuses further fields');
  }

  /** Compares alternatives of the same component or the same type. Clients must accept new ones. */
  #compareAlternatives(where, direction, old, now) {
    const given = this.#alternatives(this.before, old);
    const possible = this.#alternatives(this.after, now);
    if (!given && !possible) return;
    for (const schema of given ?? [old]) {
      const name = nameOf(schema);
      const match = (possible ?? [now]).find(
        (each) => nameOf(each) === name || (!(each.$ref && schema.$ref) && this.#haveSameType(schema, each)),
      );
      if (match) this.#compareSchema(`${where} (${name})`, direction, schema, match);
      else if (direction === 'sent') this.#report(where, `no longer accepts ${name}`);
    }
  }

  /** Alternatives of a schema. A component that consists of alternatives counts as these. */
  #alternatives(document, schema) {
    return (schema.oneOf ?? schema.anyOf)?.flatMap((each) => {
      const named = each.$ref ? resolve(document, each) : {};
      return named.discriminator ? [each] : (this.#alternatives(document, named) ?? [each]);
    });
  }

  #haveSameType(old, now) {
    const types = [typesOf(this.before, merge(this.before, old)), typesOf(this.after, merge(this.after, now))];
    return types.map((each) => [...(each ?? ['any'])].join()).every((each, _, [first]) => each === first);
  }

  #compareBounds(where, old, now) {
    for (const bound of LOWER_BOUNDS)
      if (now[bound] > (old[bound] ?? -Infinity)) this.#report(where, `has a higher ${bound}: ${now[bound]}`);
    for (const bound of UPPER_BOUNDS)
      if (now[bound] < (old[bound] ?? Infinity)) this.#report(where, `has a lower ${bound}: ${now[bound]}`);
    if (now.pattern && now.pattern !== old.pattern) this.#report(where, `has another pattern: ${now.pattern}`);
    if (now.format && now.format !== old.format) this.#report(where, `now needs the format ${now.format}`);
    if (now.uniqueItems && !old.uniqueItems) this.#report(where, 'now refuses repeated items');
  }

  #all(document, list = []) {
    return list.map((each) => resolve(document, each));
  }

  #report(where, fault) {
    this.found.add(`${where} ${fault}`);
  }
}

function resolve(document, value) {
  if (!value?.$ref) return value;
  return resolve(
    document,
    value.$ref
      .split('/')
      .slice(1)
      .reduce((part, key) => part?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document),
  );
}

/** Resolves a schema and merges its `allOf`. */
function merge(document, schema) {
  const { allOf = [], ...own } = resolve(document, schema) ?? {};
  const parts = [...allOf.map((part) => merge(document, part)), own];
  return {
    ...Object.assign({}, ...parts),
    ...(parts.some((part) => part.properties) && {
      properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    }),
    ...(parts.some((part) => part.required) && { required: parts.flatMap(({ required = [] }) => required) }),
  };
}

/** Returns the JSON types of a schema; null = any. */
function typesOf(document, schema) {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) {
    const each = alternatives.map((part) => typesOf(document, merge(document, part)));
    return each.includes(null) ? null : new Set(each.flatMap((types) => [...types]));
  }
  if (schema.type === undefined) return schema.properties ? new Set(['object']) : null;
  return new Set([schema.type, schema.nullable ? 'null' : []].flat());
}

const nameOf = (schema) => schema.$ref?.split('/').at(-1) ?? schema.type ?? 'a value';
