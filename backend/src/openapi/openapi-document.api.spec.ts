import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation } from '../../test/support/installation.js';
import { openApi, type Operation, operations, resolved, type Schema, typesOf } from '../../test/support/openapi.js';
import { EVENT_TYPES, RUN_EVENTS } from '../outbox/event-types.js';
import { schemaFaults } from '../../test/support/schema-faults.js';

let runward: Installation;

beforeAll(async () => {
  runward = await startInstallation();
});
afterAll(() => runward.close());

describe('document of the running application', () => {
  it('is public, with the paths and operations of the committed document', async () => {
    const { status, headers, body } = await runward.anonymous.get<typeof openApi>('/api/openapi.json');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body.openapi).toBe('3.1.0');
    const calls = (document: typeof openApi) =>
      Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
      );
    expect(calls(body).sort()).toEqual(calls(openApi).sort());
  });
});

const cases = operations.map((operation): [string, Operation] => [`${operation.method} ${operation.path}`, operation]);
const PUBLIC = [
  ...['login', 'setPassword', 'exchangeIdentityToken', 'getLiveness', 'getReadiness', 'getInstallation'],
  ...['getCommandLine', 'getCommandLineFile', 'getCommandLineChecksum'],
  ...['getTypeScriptClient', 'getTypeScriptClientFile'],
  ...['listProblems', 'getPlanSchema', 'getEnrolmentScript', 'enrolHost', 'verifyEnrolledHost', 'receiveGitCall'],
];

/** Returns the fields whose value is only their name. */
function namesAsValues(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return value !== '' && [name, name.replace(/s$/, '')].includes(value) ? [name] : [];
  if (Array.isArray(value)) return value.flatMap((each) => namesAsValues(each, name));
  return Object.entries(value ?? {}).flatMap(([field, each]) => namesAsValues(each, field));
}

describe('committed document', () => {
  it('is OpenAPI 3.1 with tokens and sessions', () => {
    expect(openApi.openapi).toMatch(/^3\.1\./);
    expect(Object.keys(openApi.components.securitySchemes).sort()).toEqual(['session', 'token']);
    expect(openApi.security).toEqual([{ token: [] }, { session: [] }]);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });

  it.each(cases)('describes purpose, responses and authorisation of %s', (_, operation) => {
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
    expect(operation.summary).toMatch(/\S/);
    expect(operation.description).toMatch(/\S/);
    expect(operation.security).toEqual(PUBLIC.includes(operation.operationId) ? [] : undefined);
    const statuses = Object.keys(operation.responses).map(Number);
    const expected = [503];
    if (!PUBLIC.includes(operation.operationId)) expected.push(401, 403);
    // A call without a valid signature always gets 401, whether the source exists or not.
    if (operation.path.includes('{') && operation.operationId !== 'receiveGitCall') expected.push(404);
    if (operation.parameters?.some((parameter) => parameter.in === 'query')) expected.push(400);
    if (operation.body) expected.push(400, 413, 415);
    if (operation.parameters?.some((parameter) => parameter.name === 'If-Match')) expected.push(412);
    expect(statuses).toEqual(expect.arrayContaining(expected));
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      if (Number(status) >= 400) expect(Object.keys(content)).toEqual(['application/problem+json']);
    }
  });

  it.each(cases)('has a valid example for %s', (_, operation) => {
    const contents = [
      operation.requestBody?.content['application/json'],
      ...Object.entries(operation.responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([, { content }]) => content?.['application/json']),
    ];
    for (const content of contents) {
      if (!content) continue;
      const { schema = {}, example = resolved(schema).example } = content as { schema?: Schema; example?: unknown };
      expect(example).toBeDefined();
      expect(schemaFaults(schema, example)).toEqual([]);
      expect(namesAsValues(example)).toEqual([]);
    }
  });

  it.each(cases)('names every response header of %s', (_, { responses, parameters = [] }) => {
    const repeatable = parameters.some(({ name }) => name === 'Idempotency-Key');
    for (const [status, { headers = {} }] of Object.entries(responses)) {
      const expected = ['X-Request-Id'];
      if (status === '201') expected.push('Location', ...(repeatable ? ['Idempotency-Replayed'] : []));
      if (status === '401') expected.push('WWW-Authenticate');
      if (['429', '503'].includes(status)) expected.push('Retry-After');
      if (status.startsWith('2')) expected.push('RateLimit', 'RateLimit-Policy');
      expect({ status, names: Object.keys(headers) }).toEqual({ status, names: expect.arrayContaining(expected) });
    }
  });

  it('marks times and whole numbers in every field and parameter', () => {
    const found: string[] = [];
    const look = (place: string, name: string, schema: Schema & { format?: string }) => {
      const types = typesOf({ ...schema, $ref: undefined, oneOf: undefined, anyOf: undefined, allOf: undefined });
      if (types.includes('number') && schema.format === undefined) found.push(`${place} is a number`);
      const time = /(^at|At|[sS]ince)$/.test(name) && types.includes('string');
      if (time && schema.format !== 'date-time') found.push(`${place} is no time`);
      for (const [field, property] of Object.entries(schema.properties ?? {}))
        look(`${place}.${field}`, field, property);
      if (schema.items) look(`${place}[]`, '', schema.items);
      if (typeof schema.additionalProperties === 'object') look(`${place}{}`, '', schema.additionalProperties);
    };
    for (const [name, schema] of Object.entries(openApi.components.schemas)) look(name, '', schema);
    for (const { operationId, parameters = [] } of operations)
      for (const { name, schema } of parameters) look(`${operationId}?${name}`, name, schema);
    expect(found).toEqual([]);
    expect(openApi.components.schemas.PlanView?.properties?.createdAt).toMatchObject({ format: 'date-time' });
    expect(openApi.components.schemas.PlanView?.properties?.revision).toMatchObject({ type: 'integer' });
    expect(openApi.components.securitySchemes.token).toMatchObject({ bearerFormat: 'runward_…' });
  });

  describe('has one shape for each thing', () => {
    /** Texts with such a name that are neither an explanation by Runward nor a user. */
    const TEXTS: Readonly<Record<string, RegExp>> = {
      'words of a member, as in the request':
        /^(Blackout|Freeze|(Active|Environment)Freeze|FreezeForecast|(Sent)?ProtectionChange|ProtectionOverride|SharedAddress)View\.reason$/,
      'message of a member about a revision': /^(Plan|Script|Template)Revision(Head|Summary)?View\.message$/,
      'text of a test message': /^WebhookTestView\.message$/,
      'content of a step': /^PlanStepView\.message$/,
      'RFC 9457 extension `errors[]`, whose `message` belongs to a `code`': /^ProblemItemView\.message$/,
      'finding of a diagnosis, also without a fault': /^DiagnosisStepView\.message$/,
      'ID of a run': /^(ScheduleFire|PastOccurrence)View\.blockedBy$/,
      'keys of steps': /^ExecutionHostView\.targetedBy$/,
    };
    /** Starts and ends of periods, and the name that Standard Webhooks prescribes. All other times end in `At`. */
    const PERIOD = /(^|[a-z])([sS]ince|[uU]ntil|[fF]rom)$|^timestamp$/;
    const CAPITALS =
      /^(Execution|MessageRun|RunInComparison|Step|Host|ResultCell|ServerResult|FailureCause|Inherited|FirstFailure|Cancelled|CancelExecutions)/;

    const fields = Object.entries(openApi.components.schemas).flatMap(([schema, { properties = {} }]) =>
      Object.entries(properties).map(([name, property]) => ({ schema, name, field: `${schema}.${name}`, property })),
    );
    const valuesOf = (schema: Schema): unknown[] => {
      const { enum: own, items, oneOf } = resolved(schema);
      return own ?? (items ? valuesOf(items) : (oneOf ?? []).flatMap(valuesOf));
    };

    it('explains with {code, text} and refers to users with {id, name}', () => {
      const texts = fields.filter(({ schema, name, property }) => {
        const isText = typesOf(property).includes('string') || typesOf(property.items ?? {}).includes('string');
        return (
          isText &&
          valuesOf(property).length === 0 &&
          !schema.endsWith('Request') &&
          /(^by|By|ByName|reason|Reason|message|Message|cause|Cause|problem|Problem|obstacle|Obstacle)$/.test(name)
        );
      });
      const patterns = Object.values(TEXTS);
      expect(texts.map(({ field }) => field).filter((field) => !patterns.some((each) => each.test(field)))).toEqual([]);
      expect(patterns.filter((each) => !texts.some(({ field }) => each.test(field)))).toEqual([]);
    });

    it('names times `…At`, except starts and ends of periods', () => {
      const times = fields.filter(({ property }) => (property as { format?: string }).format === 'date-time');
      expect(times.filter(({ name }) => !/^at$|At$/.test(name) && !PERIOD.test(name))).toEqual([]);
    });

    it('names each enum that more than ten fields have', () => {
      const uses = fields.flatMap(({ property }) => [property.enum, property.items?.enum].filter((each) => each));
      const sets = uses.map((values) => JSON.stringify((values ?? []).filter((value) => value !== null).toSorted()));
      const counts = sets.filter((set) => sets.filter((other) => other === set).length > 10);
      expect([...new Set(counts)]).toEqual([]);
      expect(openApi.components.schemas.HostStatus?.enum).toContain('UNREACHABLE');
    });

    it('writes statuses of runs, steps and hosts in capitals, and all others in snake_case', () => {
      const statuses = fields.filter(({ name }) => /(^s|S)tat(us|e)$/.test(name));
      const wrong = statuses.filter(({ schema, name, property }) => {
        const isOfRun =
          name === 'executionStatus' || name === 'hostStatus' || (name === 'status' && CAPITALS.test(schema));
        const rule = isOfRun ? /^[A-Z_]+$/ : /^[a-z_]+$/;
        return valuesOf(property).some((value) => typeof value === 'string' && !rule.test(value));
      });
      expect(wrong.map(({ field }) => field)).toEqual([]);
    });
  });

  it('describes every field of every schema, with more than its name', () => {
    const words = (text: string) =>
      text
        .replaceAll(/([A-Z])/g, ' $1')
        .toLowerCase()
        .match(/[a-z]+/g) ?? [];
    const repeats = (name: string, description: string) =>
      words(description).every((word) => ['the', 'a', 'of', 'name', ...words(name)].includes(word));
    const undescribed = Object.entries(openApi.components.schemas).flatMap(([schema, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([field, { description = '' }]) => repeats(field, description))
        .map(([field]) => `${schema}.${field}`),
    );
    expect(undescribed).toEqual([]);
  });

  it('describes every parameter', () => {
    const undescribed = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters.filter(({ description }) => !description).map(({ name }) => `${operationId}.${name}`),
    );
    expect(undescribed).toEqual([]);
  });

  it('has a webhook for each event, and selects the schema of events by their type', () => {
    const messages = [...EVENT_TYPES, 'webhook.test'];
    expect(Object.keys(openApi.webhooks)).toEqual(messages);
    const { WebhookMessage, StreamEvent } = openApi.components.schemas;
    for (const [schema, types] of [
      [WebhookMessage, messages],
      [StreamEvent, Object.keys(RUN_EVENTS)],
    ] as const) {
      const { propertyName = '', mapping = {} } = schema?.discriminator ?? {};
      expect(Object.keys(mapping)).toEqual(types);
      for (const [type, $ref] of Object.entries(mapping))
        expect(resolved({ $ref }).properties?.[propertyName]?.enum).toEqual([type]);
    }
  });

  it('closes every request body to unknown fields', () => {
    const requests = Object.entries(openApi.components.schemas).filter(([name]) => name.endsWith('Request'));
    const bodies = operations.flatMap(({ operationId, body }) =>
      body ? [[operationId, resolved(body)] as const] : [],
    );
    const open = [...requests, ...bodies].filter(([, schema]) => schema.additionalProperties !== false);
    expect(open.map(([name]) => name)).toEqual([]);
  });

  it('contains a secret only in the response to its creation', () => {
    const secret = /password|secret|privateKey|passphrase|^token$|hash$|sealed|cipher/i;
    const found = Object.entries(openApi.components.schemas)
      .filter(([name]) => name.endsWith('View'))
      .flatMap(([name, { properties = {} }]) =>
        Object.entries(properties)
          // A boolean such as `secret` reveals no value.
          .filter(([field, schema]) => secret.test(field) && typesOf(schema).join() !== 'boolean')
          .map(([field]) => `${name}.${field}`),
      );
    expect(found.sort()).toEqual([
      // Hash of an entry in the audit chain, not of a secret.
      'AuditLogView.hash',
      'CreatedEnrolmentView.token',
      'CreatedMemberView.setPasswordPath',
      'CreatedSshKeyView.privateKey',
      'CreatedTokenView.token',
      'ExchangedTokenView.token',
      // Identifies the token but does not contain its value.
      'MeView.token',
      'PasswordLinkView.setPasswordPath',
      // Contains a time, as in webhook views.
      'ProblemView.oldSecretUntil',
      // Contains only names, for approvers.
      'ReviewHostView.secretNames',
      'ReviewView.secretNames',
      'WebhookView.oldSecretUntil',
      'WebhookWithSecretView.oldSecretUntil',
      'WebhookWithSecretView.secret',
    ]);
    const answering = (view: string) =>
      operations
        .filter(({ responses }) => JSON.stringify(responses).includes(`"#/components/schemas/${view}"`))
        .map(({ operationId }) => operationId);
    expect({
      member: answering('CreatedMemberView'),
      key: answering('CreatedSshKeyView'),
      token: answering('CreatedTokenView'),
      enrolment: answering('CreatedEnrolmentView'),
      link: answering('PasswordLinkView'),
      webhook: answering('WebhookWithSecretView'),
      audit: answering('AuditLogView'),
    }).toEqual({
      member: ['createMember'],
      key: ['createSshKey'],
      token: ['createToken', 'createServiceAccountToken'],
      enrolment: ['createEnrolment'],
      link: ['createPasswordLink'],
      webhook: ['createWebhook', 'updateWebhook', 'rotateWebhookSecret'],
      audit: ['exportAuditLogs'],
    });
  });
});
