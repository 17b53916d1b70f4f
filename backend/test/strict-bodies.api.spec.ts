import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from './support/api-client.js';
import { type Installation, startInstallation, type TestMember } from './support/installation.js';
import { fillPath, makeOneOfEach, type OneOfEach } from './support/one-of-each.js';
import { bodyLimitOf, type Operation, operations, typesOf } from './support/openapi.js';
import { placesIn, replaced, sampleBody, withField } from './support/sample-body.js';
import { tableContents } from './support/table-contents.js';

interface ProblemBody {
  code: string;
  errors?: { path: string; code: string }[];
}

const NAMES = ['unknown', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
const JSON_TYPE = { 'content-type': 'application/json' };
const withBody = operations.filter((operation) => operation.body);
/** Accepts any body and verifies only its signature. See git-sources.api.spec.ts. */
const OPERATIONS_WITH_ANY_BODY = ['receiveGitCall'];
const withoutBody = operations.filter(
  ({ body, method, operationId }) => !body && method !== 'GET' && !OPERATIONS_WITH_ANY_BODY.includes(operationId),
);
/** Operations whose body has only boolean fields. */
const OPERATIONS_WITHOUT_TEXT = ['rotateWebhookSecret', 'setServerProtection'];
const cases = withBody.map((operation): [string, Operation] => [operation.operationId, operation]);

/** Fields that accept any character: contents, values, credentials, search terms, and names that are only looked up. */
const FIELDS_WITH_ANY_CHARACTERS =
  /^(content|base|command|arguments|unless|check|validate|value|variables|environment|default|choices|forEach|password|currentPassword|newPassword|secret|token|privateKey|passphrase|certificate|publicKey|hostKeys|removeTags|q|email|tenant)$/;
/** Fields with an additional rule of their own. It is tested in check-step.spec.ts and reported-host.spec.ts. */
const FIELDS_WITH_OWN_PATTERN = /^(batch|become|locks|onlyIfChanged|outputs|outputsFrom|addresses)$/;
const MULTILINE_FIELDS =
  /^(description|reason|comment|note|message|pausedReason|freezeOverride|windowOverride|targets|selector|when|pattern)$/;
/** Returns the field name of a place, or of the list or map that contains it. */
const nameOf = (steps: readonly (string | number)[]): string =>
  String(steps.findLast((step) => typeof step === 'string'));

let runward: Installation;
let admin: TestMember;
let records: OneOfEach;
let before: Record<string, string>;
let ran = 0;
const visited = new Set<string>();

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  records = await makeOneOfEach(admin, 'granite');
  before = await tableContents(runward.database);
});
afterAll(() => runward.close());

function send(operation: Operation, body: string | Buffer, headers: Record<string, string> = JSON_TYPE) {
  ran += 1;
  visited.add(operation.operationId);
  return admin.api.raw<ProblemBody>(operation.method, fillPath(operation.path, records), body, headers);
}

const sampleOf = (operation: Operation, values: object = {}): Record<string, unknown> =>
  sampleBody(operation.body ?? {}, { ...records, ...values }) as Record<string, unknown>;

/** Returns status and pointers of the faults, and the actual response for the message of a failed test. */
const refusal = ({ status, body }: Answer<ProblemBody>) => ({
  status,
  paths: body.errors?.map((item) => item.path) ?? [],
});

describe.each(cases)('the body of %s', (_, operation) => {
  it('is refused with an unknown field, at every level and with any name', async () => {
    const sample = sampleOf(operation);
    const objects = placesIn(operation.body ?? {}, sample).filter(
      ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value),
    );
    for (const { pointer, steps, schema } of objects) {
      const isMap = typeof schema.additionalProperties === 'object';
      for (const name of NAMES) {
        // Maps allow all names except those that every object inherits.
        if (isMap && name === 'unknown') continue;
        for (const value of ['x', { nested: 1 }]) {
          const answer = refusal(await send(operation, withField(sample, steps, name, value)));
          expect(answer).toEqual({ status: 400, paths: expect.arrayContaining([`${pointer}/${name}`]) });
        }
      }
    }
  });

  it('is refused with a value of another type, which is never converted', async () => {
    const whole = sampleOf(operation);
    // The default of a variable is validated only if its choices match its type. There are no steps, because a response
    // lists at most 20 faults.
    const bodyWithoutChoice = sampleOf(operation, { choices: [], steps: [] });
    for (const { pointer, steps, schema } of placesIn(operation.body ?? {}, whole).slice(1)) {
      const sample = pointer.endsWith('/default') ? bodyWithoutChoice : whole;
      const allowed = typesOf(schema);
      const wrong = [
        ...(allowed.includes('string') ? [] : ['22', 'true', '']),
        ...(allowed.includes('number') || allowed.includes('integer') ? [] : [22]),
        ...(allowed.includes('boolean') ? [] : [true]),
        ...(allowed.includes('array') ? [] : [['x']]),
        ...(allowed.includes('object') ? [] : [{}]),
        ...(allowed.includes('null') ? [] : [null]),
      ];
      for (const value of wrong) {
        const { status, paths } = refusal(await send(operation, JSON.stringify(replaced(sample, steps, value))));
        const named = paths.some((path) => path !== '' && (pointer === path || pointer.startsWith(`${path}/`)));
        expect({ pointer, value, status, named, paths }).toMatchObject({ status: 400, named: true });
      }
    }
  });

  it('may have null in each optional field', async () => {
    const sample = sampleOf(operation);
    for (const { pointer, steps, schema, value } of placesIn(operation.body ?? {}, sample)) {
      const fields = Object.keys(schema.properties ?? {}).filter((name) => !schema.required?.includes(name));
      if (fields.length === 0 || value === null) continue;
      const nulls = Object.fromEntries(fields.map((name) => [name, null]));
      const body = replaced(sample, steps, { ...(value as object), ...nulls });
      // The unknown field ensures that the request has no effect.
      const answer = refusal(await send(operation, withField(body, steps, 'unknown', 1)));
      expect(answer).toEqual({ status: 400, paths: [`${pointer}/unknown`] });
    }
  });

  it('is refused as a list, null, text or number', async () => {
    for (const text of ['[]', '[{}]', 'null', '"name"', '22', 'true']) {
      expect({ text, ...refusal(await send(operation, text)) }).toEqual({ text, status: 400, paths: [''] });
    }
  });

  it('is refused with a duplicate field', async () => {
    const sample = sampleOf(operation);
    const [name = ''] = Object.keys(sample);
    const text = `{${JSON.stringify(name)}:${JSON.stringify(sample[name])},${JSON.stringify(sample).slice(1)}`;
    const answer = await send(operation, text);
    expect(answer.body.errors).toEqual([expect.objectContaining({ path: `/${name}`, code: 'duplicate_field' })]);
    expect(answer.status).toBe(400);
  });

  it('is refused with NUL, half a character, invalid UTF-8, or invalid JSON', async () => {
    const sample = sampleOf(operation);
    const texts = placesIn(operation.body ?? {}, sample).filter(({ value }) => typeof value === 'string');
    expect(texts.length > 0).toBe(!OPERATIONS_WITHOUT_TEXT.includes(operation.operationId));
    for (const { steps, pointer } of texts) {
      for (const character of ['\u0000', '\ud800', '\udc00x']) {
        const answer = await send(operation, JSON.stringify(replaced(sample, steps, `a${character}`)));
        expect(answer.body.errors).toEqual([expect.objectContaining({ path: pointer, code: 'forbidden_character' })]);
        expect(answer.status).toBe(400);
      }
    }
    const text = JSON.stringify(sample);
    for (const broken of [
      Buffer.from([0x7b, 0x22, 0xff, 0x22]),
      text.slice(1),
      `${text}x`,
      `/**/${text}`,
      `\ufeff${text}`,
      ' ',
    ]) {
      const answer = await send(operation, broken);
      expect(answer.body.errors).toEqual([expect.objectContaining({ code: 'invalid_json' })]);
      expect(answer.status).toBe(400);
    }
  });

  it('is refused with invisible characters in names and descriptions', async () => {
    const sample = sampleOf(operation);
    const texts = placesIn(operation.body ?? {}, sample).filter(
      ({ schema, value, steps }) =>
        typeof value === 'string' &&
        !schema.enum &&
        schema.format !== 'uuid' &&
        !steps.some(
          (step) => FIELDS_WITH_ANY_CHARACTERS.test(String(step)) || FIELDS_WITH_OWN_PATTERN.test(String(step)),
        ),
    );
    for (const { steps, pointer } of texts) {
      const several = MULTILINE_FIELDS.test(nameOf(steps));
      for (const character of ['\u202e', '\n']) {
        const allowed = several && character === '\n';
        const changed = replaced(sample, steps, `a${character}b`);
        // An unknown field makes the request fail, so that allowed characters change nothing either.
        const text = allowed ? withField(changed, [], 'unknown', 1) : JSON.stringify(changed);
        const { body, status } = await send(operation, text);
        const faults = (body.errors ?? []).filter(({ path }) => path === pointer || pointer.startsWith(`${path}/`));
        const codes = faults.map(({ code }) => code);
        if (allowed) expect(codes).not.toContain('forbidden_character');
        else
          expect({ pointer, character, status, fault: codes.length > 0 }).toMatchObject({ status: 400, fault: true });
      }
    }
  });

  it('is refused when it is nested too deeply', async () => {
    for (const [open, close] of [
      ['{"a":', '}'],
      ['[', ']'],
    ] as const) {
      const answer = await send(operation, `{"a":${open.repeat(2000)}1${close.repeat(2000)}}`);
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toEqual([expect.objectContaining({ code: 'too_deep' })]);
    }
  });

  it('is refused with 415 unless its type is JSON', async () => {
    const text = JSON.stringify(sampleOf(operation));
    const types = [
      'application/x-www-form-urlencoded',
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/json; charset=utf-16',
      '',
    ];
    for (const type of types) {
      expect((await send(operation, Buffer.from(text), { 'content-type': type })).status).toBe(415);
    }
    const form = await send(operation, 'name=x&generate[type]=rsa', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(form.status).toBe(415);
    expect(form.body.code).toBe('unsupported_media_type');
    expect((await send(operation, text, { ...JSON_TYPE, 'content-encoding': 'gzip' })).status).toBe(415);
  });

  it('is refused with 413 beyond the documented limit, or beyond 16 KiB on routes without authentication', async () => {
    const limit = bodyLimitOf(operation);
    const refused = withField({}, [], 'unknown', 1).padEnd(limit);
    expect((await send(operation, refused)).status).toBe(400);
    const answer = await send(operation, `${refused} `);
    expect(answer.status).toBe(413);
    expect(answer.body.code).toBe('body_too_large');
  });
});

describe('routes without a body', () => {
  it('refuse a body with a field', async () => {
    for (const operation of withoutBody) {
      for (const name of NAMES) {
        const answer = refusal(await send(operation, withField({}, [], name, 1)));
        expect({ id: operation.operationId, ...answer }).toEqual({
          id: operation.operationId,
          status: 400,
          paths: [`/${name}`],
        });
      }
      expect((await send(operation, '[]')).status).toBe(400);
    }
  });
});

describe('all of these refusals', () => {
  it('changed no row of any table', async () => {
    expect(await tableContents(runward.database)).toEqual(before);
  });

  it('occurred on every route with a body, in large numbers', () => {
    expect([...visited].sort()).toEqual([...withBody, ...withoutBody].map((operation) => operation.operationId).sort());
    expect(withBody.length).toBeGreaterThanOrEqual(20);
    expect(ran).toBeGreaterThan(1800);
  });
});
