import type { OpenAPIObject } from '@nestjs/swagger';
import { STREAM_EVENT_SCHEMAS } from '../executions/stream/stream-events.view.js';
import { EVENTS, RUN_EVENTS } from '../outbox/event-types.js';
import { DATA_BY_TYPE, RunEventView } from '../webhooks/webhook-messages.view.js';
import { type DescribedOperation, operationsOf, type Parameter, type Schema } from './openapi-schemas.js';

export const EVENT_MODELS = [RunEventView, ...Object.values(DATA_BY_TYPE).flat()];

const DATA = 'Facts about the event, without secrets and output.';

const refTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const toPascalCase = (type: string): string =>
  type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
/** Without the links of the Markdown in `docs/webhooks.md`. */
const toPlainText = (text: string): string => `${text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')}.`;

/** Describes the items of the event stream of a run, and the messages of webhooks. Their type selects their schema. */
export function describeEvents(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  describeStream(document, schemas);
  const types = { ...EVENTS, 'webhook.test': 'A member requested a test message' };
  const messages = Object.entries(types).map(([type, cause]) => {
    const name = `${toPascalCase(type)}Message`;
    schemas[name] = toMessageSchema(type, toPlainText(cause), schemas);
    return { type, cause: toPlainText(cause), name };
  });
  schemas.WebhookMessage = chooseBy(
    'type',
    'Body of a webhook message.',
    messages.map(({ type, name }) => [type, name]),
  );
  const webhooks = Object.fromEntries(
    messages.map(({ type, cause, name }) => [type, { post: toWebhook(type, cause, name) }]),
  );
  Object.assign(document, { webhooks });
}

/** A schema of the named schemas, of which the value of one field selects one. */
const chooseBy = (
  propertyName: string,
  description: string,
  options: readonly (readonly [string, string])[],
): Schema => ({
  description,
  oneOf: [...new Set(options.map(([, name]) => name))].map(refTo),
  discriminator: {
    propertyName,
    mapping: Object.fromEntries(options.map(([value, name]) => [value, `#/components/schemas/${name}`])),
  },
});

function describeStream(document: OpenAPIObject, schemas: Record<string, Schema>): void {
  const names = Object.entries(STREAM_EVENT_SCHEMAS).map(([type, data]): [string, string] => {
    const name = `${toPascalCase(type)}StreamEvent`;
    schemas[name] = {
      type: 'object',
      description: toPlainText(RUN_EVENTS[type as keyof typeof RUN_EVENTS]),
      properties: {
        id: { type: 'integer', minimum: 1, description: 'Position in the stream, for `Last-Event-ID`.' },
        event: { type: 'string', enum: [type], description: 'Type of the event.' },
        data: {
          ...{ type: 'string', description: 'The event as JSON.' },
          ...{ contentMediaType: 'application/json', contentSchema: refTo(data) },
        },
      },
      required: ['id', 'event', 'data'],
    };
    return [type, name];
  });
  schemas.StreamEvent = chooseBy('event', 'Server-sent event of a run.', names);
  for (const { responses } of operationsOf(document)) {
    const stream = responses['200']?.content?.['text/event-stream'];
    if (stream) stream.schema = { type: 'array', items: refTo('StreamEvent') };
  }
}

function toMessageSchema(type: string, description: string, schemas: Record<string, Schema>): Schema {
  return {
    ...{ type: 'object', description },
    properties: {
      type: { type: 'string', enum: [type], description: 'Type of the event.' },
      timestamp: { type: 'string', format: 'date-time', description: 'Time of the event, in UTC.' },
      data: toDataSchema(type, schemas),
    },
    required: ['type', 'timestamp', 'data'],
  };
}

function toDataSchema(type: string, schemas: Record<string, Schema>): Schema {
  const event = STREAM_EVENT_SCHEMAS[type];
  if (event) return { description: DATA, allOf: [refTo(event), refTo(RunEventView.name)] };
  const names = DATA_BY_TYPE[type as keyof typeof DATA_BY_TYPE].map(({ name }) => name);
  if (names.length === 1) return { description: DATA, allOf: names.map(refTo) };
  const kindsOf = (name: string) => (schemas[name]?.properties?.what?.enum ?? []) as string[];
  return chooseBy(
    'what',
    DATA,
    names.flatMap((name) => kindsOf(name).map((kind) => [kind, name] as const)),
  );
}

const header = (name: string, description: string, example: string): Parameter & object => ({
  ...{ name, in: 'header', required: true, description },
  ...{ schema: { type: 'string' }, example },
});

const HEADERS = [
  header(
    'webhook-id',
    'ID of the message, the same at each attempt and replay.',
    '0f6c1c7e-55a0-4c5b-9a4e-2f8d3a1b7c90',
  ),
  header('webhook-timestamp', 'Time of this attempt, in seconds since 1970.', '1796000000'),
  header(
    'webhook-signature',
    'HMAC-SHA-256 of ID, time and body, by Standard Webhooks. Two signatures for 24 hours after a change of the secret.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

export const HEADERS_OF_MESSAGES: ReadonlySet<string> = new Set(HEADERS.map(({ name }) => name));

const toWebhook = (type: string, description: string, schema: string): DescribedOperation & object => ({
  ...{
    operationId: `receive${toPascalCase(type)}`,
    summary: type,
    description,
    tags: ['Webhook messages'],
    security: [],
  },
  parameters: HEADERS,
  requestBody: { required: true, content: { 'application/json': { schema: refTo(schema) } } },
  responses: {
    '2XX': { description: 'The message is delivered. Answer within 15 seconds.' },
    '410': { description: 'Runward disables the webhook.' },
    default: { description: 'Runward sends the message again, for 24 hours after the event.' },
  },
});
