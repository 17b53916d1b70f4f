import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Notifications } from '../src/common/database/notifications.js';
import { UnitOfWork } from '../src/common/database/unit-of-work.js';
import { JobQueue } from '../src/common/queue/job-queue.js';
import { EVENT_TYPES } from '../src/outbox/event-types.js';
import { OutboxDispatcher } from '../src/outbox/outbox-dispatcher.js';
import { webhookDeliveries } from '../src/webhooks/sending/take-events.js';
import { STREAM_EVENT_SCHEMAS } from '../src/executions/stream/stream-events.view.js';
import { type Installation, startInstallation, type TestMember } from './support/installation.js';
import { fillPath, makeOneOfEach, type OneOfEach } from './support/one-of-each.js';
import { openApi, type Operation, operations, resolved, requiredQueryOf } from './support/openapi.js';
import { schemaFaults, schemaNamed } from './support/schema-faults.js';
import { queryAs } from './support/table-contents.js';

interface Described {
  headers?: Record<string, object>;
  content?: Record<string, { schema?: object; example?: unknown }>;
}

const named = (operation: Operation): [string, Operation] => [operation.operationId, operation];
const success = ({ responses }: Operation): [string, Described] => {
  const found = Object.entries(responses).find(([status]) => status.startsWith('2'));
  if (!found) throw new Error('An operation has no success.');
  return found;
};
/** Operations that read a repository, which no record here has. See git-sources.api.spec.ts. */
const REPOSITORY_OPERATIONS = ['listGitTree', 'getGitFile', 'listGitCommits'];
const reads = operations.filter(
  (operation) =>
    operation.method === 'GET' &&
    success(operation)[1].content?.['application/json'] &&
    !REPOSITORY_OPERATIONS.includes(operation.operationId),
);

/** Operations that take the values of a decision, not of the record. */
const COMMANDS = ['setHostKeys', 'setServerProtection'];
/** Changes of records that can be read at the same path. */
const changes = operations.filter(
  ({ method, path, body, operationId }) =>
    ['PUT', 'PATCH'].includes(method) &&
    body &&
    reads.some((operation) => operation.path === path) &&
    !COMMANDS.includes(operationId),
);

let runward: Installation;
let admin: TestMember;
let records: OneOfEach;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  records = await makeOneOfEach(admin, 'granite');
});
afterAll(() => runward.close());

const DESCRIBED = Object.keys((openApi.components as unknown as { headers: object }).headers);

describe.each(reads.map(named))('the response of %s', (_, operation) => {
  it('matches the document and has exactly the documented headers', async () => {
    const [status, described] = success(operation);
    const query = new URLSearchParams(requiredQueryOf(operation)).toString();
    const answer = await admin.api.get(`${fillPath(operation.path, records)}?${query}`, { accept: 'application/json' });
    expect(answer.status).toBe(Number(status));
    expect(schemaFaults(described.content?.['application/json']?.schema ?? {}, answer.body)).toEqual([]);
    const carried = DESCRIBED.filter((name) => answer.headers.has(name));
    const isPage = Object.keys(described.content ?? {}).length > 1 && !FORMAT_BY_MEDIA[operation.operationId];
    const documentedHeaders = Object.keys(described.headers ?? {}).filter(
      (name) => !isPage || name !== 'Content-Disposition',
    );
    expect(carried.sort()).toEqual(documentedHeaders.sort());
  });
});

/** Media types of operations that also answer with other text than JSON. An event stream ends with its run. */
const files = operations.flatMap((operation) => {
  const media = Object.keys(success(operation)[1].content ?? {});
  if (operation.method !== 'GET' || media.join() === 'application/json' || media.includes('text/event-stream'))
    return [];
  return media.map((each): [string, Operation, string] => [operation.operationId, operation, each]);
});
/** Operations that choose the media type by a parameter. */
const FORMAT_BY_MEDIA: Readonly<Record<string, Record<string, string>>> = {
  exportServers: { 'application/json': 'json', 'text/plain': 'ssh-config' },
};
const UNITS: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 * 1024 };

describe('files', () => {
  it('have a media type wherever an operation answers with a body', () => {
    const without = operations.filter((operation) => {
      const [status, { content = {} }] = success(operation);
      return status !== '204' && Object.keys(content).length === 0;
    });
    expect(without.map(({ operationId }) => operationId)).toEqual([]);
    expect(files.length).toBeGreaterThan(12);
  });

  it.each(files)('of %s have the described type, name and size: %#', async (id, operation, media) => {
    const { description = '', headers = {} } = success(operation)[1] as Described & { description?: string };
    const format = FORMAT_BY_MEDIA[id]?.[media];
    const query = new URLSearchParams({ ...requiredQueryOf(operation), ...(format ? { format } : {}) }).toString();
    const path = `${fillPath(operation.path, records)}?${query}`;
    const answer = await admin.api.get(path, { accept: media });
    expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([200, media]);
    const named = 'Content-Disposition' in headers && (media !== 'application/json' || format !== undefined);
    expect(answer.headers.get('content-disposition') ?? '').toMatch(
      named ? /^attachment; filename="?[\w.-]+"?$/ : /^$/,
    );
    if (media === 'application/json' && !named) return;
    const size = new RegExp(`\`${media.replaceAll('+', '\\+')}\`: ([^\`]*)`).exec(description)?.[1];
    expect(size).toMatch(/\bat most \d+ [KM]iB|without a limit|as large as the plan|streamed/);
    const [, count, unit = ''] = /^at most (\d+) ([KM]iB)/.exec(size ?? '') ?? [];
    expect(answer.text.length).toBeLessThanOrEqual(count ? Number(count) * (UNITS[unit] ?? 0) : Infinity);
  });
});

describe.each(changes.map(named))('the fields that %s accepts', (_, operation) => {
  it('are accepted as the record has them, and change nothing', async () => {
    const path = fillPath(operation.path, records);
    const before = (await admin.api.get<Record<string, unknown>>(path)).body;
    const known = Object.keys(resolved(operation.body ?? {}).properties ?? {});
    const body = Object.fromEntries(known.filter((name) => name in before).map((name) => [name, before[name]]));
    const answer = await admin.api.raw<{ errors?: unknown }>(operation.method, path, JSON.stringify(body), {
      'content-type': 'application/json',
    });
    expect({ body, status: answer.status, errors: answer.body.errors }).toMatchObject({
      status: 200,
      errors: undefined,
    });
    const after = (await admin.api.get<Record<string, unknown>>(path)).body;
    expect(known.map((name) => after[name])).toEqual(known.map((name) => before[name]));
  });
});

describe('a creation', () => {
  const creations: [string, string, object][] = [
    ['createEnvironment', '/api/environments', { name: 'made' }],
    ['createSshKey', '/api/ssh-keys', { name: 'made', generate: { type: 'ed25519' } }],
    ['createScript', '/api/scripts', { name: 'made', content: 'true' }],
    ['createTemplate', '/api/templates', { name: 'made', content: 'true' }],
    ['createPlan', '/api/plans', { name: 'made', steps: [{ key: 'one', command: 'true' }] }],
    ['createToken', '/api/tokens', { name: 'made' }],
    ['createMember', '/api/members', { name: 'made', email: 'made@example.test', role: 'viewer' }],
  ];

  it.each(creations)('by %s matches the document and returns the location of the record', async (id, path, body) => {
    const operation = operations.find(({ operationId }) => operationId === id) as Operation;
    const answer = await admin.api.post(path, body, { 'idempotency-key': id });
    const [status, { content, headers = {} }] = success(operation);
    expect([answer.status, status]).toEqual([201, '201']);
    expect(schemaFaults(content?.['application/json']?.schema ?? {}, answer.body)).toEqual([]);
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(['Location', 'Idempotency-Replayed', 'X-Request-Id']));
    expect((await admin.api.get(answer.headers.get('location') ?? '')).status).toBe(200);
    const again = await admin.api.post(path, body, { 'idempotency-key': id });
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  });
});

describe('a problem', () => {
  it.each([
    ['401', () => runward.anonymous.get('/api/plans')],
    ['404', () => admin.api.get('/api/plans/none')],
    ['400', () => admin.api.get('/api/plans?limit=0')],
  ])('with the status %s matches the document', async (status, ask) => {
    const answer = await ask();
    expect(String(answer.status)).toBe(status);
    expect(schemaFaults(schemaNamed('ProblemView'), answer.body)).toEqual([]);
    const described = operations.find(({ operationId }) => operationId === 'getPlan')?.responses[status];
    for (const name of Object.keys(described?.headers ?? {}))
      expect([name, answer.headers.has(name)]).toEqual([name, true]);
  });
});

describe('the events of a stream and the messages of webhooks', () => {
  it('match the document', async () => {
    const { body: webhook } = await admin.api.post<{ id: string }>('/api/webhooks', {
      ...{ name: 'all events', url: 'https://granite.invalid/in', events: EVENT_TYPES },
    });
    await admin.api.post(`/api/webhooks/${webhook.id}/test`, {});
    const environment = `/api/environments/${records.environmentId}`;
    await admin.api.patch(environment, { protected: true });
    await admin.api.post(`${environment}/protection-changes`, { reason: 'Test', settings: { protected: false } });
    await admin.api.delete(`/api/inventory/servers/${records.jumpServerId}`);
    await admin.api.post(`/api/executions/${records.executionId}/cancel`, {});
    const { text } = await admin.api.get<string>(`/api/executions/${records.executionId}/stream`);
    const events = [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, type = '', data = '']) => ({
      type,
      data,
    }));
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['execution.status_changed', 'step.finished', 'execution.finished']),
    );
    for (const { type, data } of events)
      expect({ type, faults: schemaFaults(schemaNamed(STREAM_EVENT_SCHEMAS[type] ?? ''), JSON.parse(data)) }).toEqual({
        type,
        faults: [],
      });
    await handOverEvents();
    const messages = await queryAs<{ type: string; body: string }>(
      ...([runward.database, admin.tenantId, 'select type, body from webhook_messages'] as const),
    );
    expect(messages.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['execution.finished', 'step.finished', 'environment.protection_changed', 'webhook.test']),
    );
    for (const { type, body } of messages) {
      const schema = openApi.webhooks[type]?.post.requestBody?.content['application/json']?.schema ?? {};
      expect({ type, faults: schemaFaults(schema, JSON.parse(body)) }).toEqual({ type, faults: [] });
      expect({ type, faults: schemaFaults(schemaNamed('WebhookMessage'), JSON.parse(body)) }).toEqual({
        type,
        faults: [],
      });
    }
  });
});

async function handOverEvents(): Promise<void> {
  const { app } = runward;
  const notifications = app.get<Notifications>(Notifications, { strict: false });
  const queue = app.get<JobQueue>(JobQueue, { strict: false });
  const dispatcher = new OutboxDispatcher(
    ...([app.get(UnitOfWork), notifications, queue, runward.runtime, [webhookDeliveries]] as const),
  );
  while ((await dispatcher.handOver(admin.tenantId)) > 0);
}
