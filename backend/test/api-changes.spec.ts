import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { breakingChanges, toBaseline } from '../../scripts/lib/api-changes.mjs';

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  [keyword: string]: unknown;
}
interface Document {
  paths: Record<string, Record<string, Record<string, unknown>>>;
  components: { schemas: Record<string, Schema> };
}

const sample = () => ({
  openapi: '3.1.0',
  info: { title: 'Sample', version: '1.0.0' },
  paths: {
    '/api/things': {
      get: {
        operationId: 'listThings',
        parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } } as Record<string, unknown>],
        responses: { 200: json({ type: 'array', items: ref('Thing') }) },
      },
      post: {
        operationId: 'createThing',
        requestBody: json(ref('ThingRequest')),
        responses: { 201: json(ref('Thing')) },
      },
    } as Record<string, Record<string, unknown>>,
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        properties: {
          id: { type: 'string', format: 'uuid' },
          parent: { anyOf: [ref('Thing'), { type: 'null' }] },
          state: { type: 'string', enum: ['open', 'closed'] },
        },
        required: ['id', 'parent', 'state'],
      },
      ThingRequest: {
        type: 'object',
        properties: {
          name: { type: 'string', maxLength: 100 },
          kind: { type: 'string', enum: ['small', 'large'] },
          size: { anyOf: [{ type: 'number' }, { type: 'null' }] },
        },
        required: ['name'],
        additionalProperties: false,
      },
    } as Record<string, Schema>,
  },
});
type Sample = ReturnType<typeof sample>;
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ content: { 'application/json': { schema } } });

function after(change: (document: Sample) => unknown): string[] {
  const document = sample();
  change(document);
  return breakingChanges(sample(), document);
}
const field = ({ components: { schemas } }: Sample, schema: string, name: string): Schema =>
  schemas[schema]?.properties?.[name] ?? {};
const operation = ({ paths }: Sample, method: string) => paths['/api/things'][method] ?? {};

const BREAKING: Record<string, [change: (document: Sample) => unknown, reported: string]> = {
  'a removed operation': [(it) => delete it.paths['/api/things'].post, 'POST /api/things is removed'],
  'a renamed operation': [
    (it) => (operation(it, 'get').operationId = 'findThings'),
    'GET /api/things is renamed from "listThings" to "findThings", a name in generated clients',
  ],
  'a removed parameter': [
    (it) => (operation(it, 'get').parameters = []),
    'GET /api/things no longer takes the parameter "q"',
  ],
  'a new required parameter': [
    (it) =>
      (operation(it, 'post').parameters = [{ name: 'mode', in: 'query', required: true, schema: { type: 'string' } }]),
    'POST /api/things now requires the parameter "mode"',
  ],
  'a body that becomes required': [
    (it) => ((operation(it, 'post').requestBody as Record<string, unknown>).required = true),
    'POST /api/things now requires a body',
  ],
  'another success status': [
    (it) => (operation(it, 'post').responses = { 200: json(ref('Thing')) }),
    'POST /api/things no longer answers 201',
  ],
  'a removed field of an answer': [
    (it) => delete it.components.schemas.Thing?.properties?.state,
    'Thing (received) no longer has the field "state"',
  ],
  'a field of an answer that becomes optional': [
    (it) => it.components.schemas.Thing?.required?.pop(),
    'Thing (received) can lack the field "state"',
  ],
  'a field of an answer that can be null': [
    (it) => (field(it, 'Thing', 'id').type = ['string', 'null']),
    'Thing (received).id can now be null',
  ],
  'another type in an answer': [
    (it) => Object.assign(field(it, 'Thing', 'id'), { type: 'integer', format: undefined }),
    'Thing (received).id can now be integer',
  ],
  'a removed field of a request': [
    (it) => delete it.components.schemas.ThingRequest?.properties?.kind,
    'ThingRequest (sent) no longer has the field "kind"',
  ],
  'a new required field of a request': [
    (it) => it.components.schemas.ThingRequest?.required?.push('kind'),
    'ThingRequest (sent) now requires the field "kind"',
  ],
  'a removed value of a request': [
    (it) => (field(it, 'ThingRequest', 'kind').enum = ['small']),
    'ThingRequest (sent).kind no longer accepts the value large',
  ],
  'null that a request may no longer have': [
    (it) => (field(it, 'ThingRequest', 'size').anyOf = [{ type: 'number' }]),
    'ThingRequest (sent).size no longer accepts null',
  ],
  'a smaller limit': [
    (it) => (field(it, 'ThingRequest', 'name').maxLength = 50),
    'ThingRequest (sent).name has a lower maxLength: 50',
  ],
  'a new pattern': [
    (it) => (field(it, 'ThingRequest', 'name').pattern = '^a'),
    'ThingRequest (sent).name has another pattern: ^a',
  ],
};

const COMPATIBLE: Record<string, (document: Sample) => unknown> = {
  'a new operation': (it) => (it.paths['/api/things'].delete = { operationId: 'deleteThings', responses: {} }),
  'a new optional parameter': (it) =>
    (operation(it, 'post').parameters = [{ name: 'mode', in: 'query', schema: { type: 'string' } }]),
  'a new field of an answer': (it) => Object.assign(it.components.schemas.Thing?.properties ?? {}, { size: {} }),
  'a new value in an answer': (it) => (field(it, 'Thing', 'state').enum as string[]).push('lost'),
  'a new optional field of a request': (it) =>
    Object.assign(it.components.schemas.ThingRequest?.properties ?? {}, { label: { type: 'string' } }),
  'a larger limit': (it) => (field(it, 'ThingRequest', 'name').maxLength = 200),
  'null that a request may have': (it) => (field(it, 'ThingRequest', 'name').type = ['string', 'null']),
  'other texts': (it) => (field(it, 'Thing', 'id').description = 'Other words'),
};

const real = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as Document;

describe('the comparison of API documents', () => {
  it.each(Object.entries(BREAKING))('reports %s', (_, [change, reported]) => {
    expect(after(change)).toEqual(expect.arrayContaining([reported]));
  });

  it.each(Object.entries(COMPATIBLE))('accepts %s', (_, change) => {
    expect(after(change)).toEqual([]);
  });

  it('finds nothing when alternatives become a component', () => {
    const alternatives = { anyOf: [{ type: 'number' }, { type: 'string' }] };
    const named = ({ components: { schemas } }: Sample) => {
      schemas.Size = alternatives;
      field({ components: { schemas } } as Sample, 'ThingRequest', 'size').anyOf = [ref('Size'), { type: 'null' }];
    };
    expect(after(named)).toEqual([]);
  });

  it('finds nothing between the document and its stored form, which contains no texts', () => {
    const stored = toBaseline(real);
    expect(breakingChanges(JSON.parse(stored) as object, real)).toEqual([]);
    expect(breakingChanges(real, JSON.parse(stored) as object)).toEqual([]);
    expect(stored).not.toContain('"description":"');
  });

  it('reports a field that is missing from any component of the document', () => {
    const names = Object.keys(real.components.schemas).filter((name) => real.components.schemas[name]?.properties);
    const unnoticed = names
      .filter((_, index) => index % 30 === 0)
      .filter((name) => {
        const changed = structuredClone(real);
        const properties = changed.components.schemas[name]?.properties ?? {};
        for (const each of Object.keys(properties)) delete properties[each];
        return breakingChanges(real, changed).length === 0;
      });
    expect(unnoticed).toEqual([]);
  });
});
