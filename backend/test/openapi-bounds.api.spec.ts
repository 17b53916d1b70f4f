import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProblemBody } from './support/hostile/measured-api.js';
import { SERIAL_PLACEHOLDER, validBodies } from './support/hostile/valid-bodies.js';
import { type Installation, startInstallation, type TestMember } from './support/installation.js';
import { fillPath, makeOneOfEach, type OneOfEach } from './support/one-of-each.js';
import { bodyLimitOf, openApi, type Operation, operations, type Schema, typesOf } from './support/openapi.js';
import { type Place, placesIn, replaced } from './support/sample-body.js';

/** Codes of values beyond a bound. */
const BOUND_CODES = [
  ...['out_of_range', 'invalid_timeout', 'invalid_exit_code', 'wrong_length'],
  ...['too_long', 'too_short', 'too_many', 'too_few'],
];

interface BoundedSchema extends Schema {
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
}

interface Probe {
  value: unknown;
  beyond: boolean;
}

let runward: Installation;
let admin: TestMember;
let records: OneOfEach;
let serial = 0;

beforeAll(async () => {
  runward = await startInstallation({ RUNWARD_RATE_LIMIT_PER_MINUTE: '10000000' });
  admin = await runward.tenant('acme');
  records = await makeOneOfEach(admin, 'granite');
});
afterAll(() => runward.close());

const times = <T>(count: number, item: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));

/** Returns values at the bounds of the schema and one beyond each. Other rules may refuse the former. */
function probesOf(schema: BoundedSchema, value: unknown): Probe[] {
  const { minimum, maximum, minLength, maxLength, pattern, minItems, maxItems, maxProperties } = schema;
  const probes: Probe[] = [];
  const around = (bound: number | undefined, step: 1 | -1, make: (size: number) => unknown) => {
    if (bound === undefined || bound + step < 0) return;
    probes.push({ value: make(bound), beyond: false }, { value: make(bound + step), beyond: true });
  };
  const types = typesOf(schema);
  if (types.includes('integer')) {
    around(minimum, -1, (number) => number);
    around(maximum, 1, (number) => number);
  }
  if (typeof value === 'string' && types.includes('string')) {
    around(minLength, -1, (size) => 'a'.repeat(size));
    around(maxLength, 1, (size) => 'a'.repeat(size));
    if (pattern !== undefined && !new RegExp(pattern).test(' ')) probes.push({ value: ' ', beyond: true });
  }
  if (Array.isArray(value)) {
    around(minItems, -1, (size) => times(size, () => value[0] as unknown));
    around(maxItems, 1, (size) => times(size, () => value[0] as unknown));
  }
  if (maxProperties !== undefined && value !== null && typeof value === 'object') {
    const [example = 'x'] = Object.values(value as Record<string, unknown>);
    around(maxProperties, 1, (size) => Object.fromEntries(times(size, (index) => [`n${index}`, example])));
  }
  return probes;
}

async function send(operation: Operation, body: unknown) {
  serial += 1;
  const text = JSON.stringify(body).replaceAll(SERIAL_PLACEHOLDER, String(serial));
  if (text.length > bodyLimitOf(operation)) return [];
  const path = fillPath(operation.path, records);
  const { status, body: problem } = await admin.api.raw<ProblemBody | undefined>(operation.method, path, text, {
    'content-type': 'application/json',
  });
  expect({ path, status, isKnown: status < 500 && status !== 429 }).toEqual({ path, status, isKnown: true });
  return problem?.errors ?? [];
}

/** Faults of the items of a list or map are reported at the list or map. */
const isAtOrAround = (path: string, pointer: string): boolean =>
  path.startsWith(pointer) || (path !== '' && pointer.startsWith(`${path}/`));

const visited = new Set<Schema>();
const isBounded = ({ schema, value }: Place) => probesOf(schema, value).length > 0 && !visited.has(schema);

describe.each(
  operations
    .filter(({ body, security }) => body && security?.length !== 0)
    .map((operation): [string, Operation] => [operation.operationId, operation]),
)('the bounds of %s in the document', (_, operation) => {
  it('are those of the service', async () => {
    const faults: string[] = [];
    let unsent = 0;
    for (const body of validBodies(operation, records)) {
      for (const place of placesIn(operation.body ?? {}, body).filter(isBounded)) {
        visited.add(place.schema);
        for (const { value, beyond } of probesOf(place.schema, place.value)) {
          const changed = replaced(body, place.steps, value);
          if (JSON.stringify(changed).length > bodyLimitOf(operation)) {
            unsent += 1;
            continue;
          }
          const errors = (await send(operation, changed)).filter(({ path }) => isAtOrAround(path, place.pointer));
          const refused = beyond ? errors.length > 0 : errors.some(({ code }) => BOUND_CODES.includes(code));
          if (refused !== beyond)
            faults.push(
              `${place.pointer} ${JSON.stringify(value).slice(0, 60)}: ${refused ? 'refused' : 'accepted'} ${JSON.stringify(errors).slice(0, 200)}`,
            );
        }
      }
    }
    expect({ faults, tooLarge: unsent > 4 }).toEqual({ faults: [], tooLarge: false });
  });
});

/** Values of request bodies whose size the schema does not limit. */
const UNBOUNDED: Readonly<Record<string, string>> = { 'VariableValue number': 'Any number of double precision.' };

/** Returns the texts, lists, maps and numbers in a schema that have no upper limit. */
function findUnbounded(schema: BoundedSchema, name: string, seen: Set<string>): string[] {
  const reference = schema.$ref?.split('/').at(-1);
  if (reference !== undefined) {
    if (seen.has(reference)) return [];
    seen.add(reference);
    return findUnbounded(openApi.components.schemas[reference] ?? {}, reference, seen);
  }
  const { properties, additionalProperties, items, maximum, minimum, maxLength, maxItems, maxProperties } = schema;
  const isListed = schema.enum !== undefined || ['uuid', 'date-time'].includes(schema.format ?? '');
  const types = [schema.type ?? []].flat();
  const found = types.filter((type) => {
    if (type === 'integer' || type === 'number') return !isListed && (minimum === undefined || maximum === undefined);
    if (type === 'string') return !isListed && maxLength === undefined && !isFinitePattern(schema.pattern);
    if (type === 'array') return maxItems === undefined;
    return type === 'object' && !properties && maxProperties === undefined;
  });
  return [
    ...found.map((type) => `${name} ${type}`),
    ...Object.entries(properties ?? {}).flatMap(([field, each]) => findUnbounded(each, `${name}.${field}`, seen)),
    ...[items, typeof additionalProperties === 'object' ? additionalProperties : undefined]
      .concat(schema.oneOf, schema.anyOf, schema.allOf)
      .flatMap((each) => (each ? findUnbounded(each, name, seen) : [])),
  ];
}

/** Whether only texts of limited length match the pattern. */
const isFinitePattern = (pattern = ''): boolean =>
  /^\^.*\$$/.test(pattern) && !/[*+]|\{\d+,\}/.test(pattern.replaceAll(/\[[^\]]*\]/g, ''));

describe('request bodies', () => {
  it('limit each text, list, map and number', () => {
    const seen = new Set<string>();
    const found = operations.flatMap(({ body, operationId }) =>
      body ? findUnbounded(body as BoundedSchema, operationId, seen) : [],
    );
    expect([...new Set(found)].sort()).toEqual(Object.keys(UNBOUNDED));
    expect(seen.size).toBeGreaterThan(50);
  });
});

describe('these bounds', () => {
  it('were tested at many places', () => {
    expect(visited.size).toBeGreaterThan(150);
  });
});
