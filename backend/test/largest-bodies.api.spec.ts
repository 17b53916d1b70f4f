import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiClient, type ApiClient } from './support/api-client.js';
import type { ExecutionView } from '../src/executions/contract/execution.view.js';
import { LARGEST_PLANS, type LongestLibrary } from './support/hostile/largest-plans.js';
import { type MeasuredApi, startMeasuredApi, delayReport } from './support/hostile/measured-api.js';
import { SERIAL_PLACEHOLDER } from './support/hostile/valid-bodies.js';
import type { OneOfEach } from './support/one-of-each.js';
import { operationOf, operations, resolved, type Schema } from './support/openapi.js';

/** Maximum sizes that the API accepts: bytes of a body, characters of a text. */
const BODY = 1024 * 1024;
const CONTENT = 256 * 1024;
const VALUE = 32_768;
const HOSTS = 10_000;
const LONGEST_NOTE = 'n'.repeat(2000);
const TARGETS = Array.from({ length: 50 }, (_, index) => `name!=?${index}*x*y*z`).join(',');
const MINUTE_MS = 60_000;

let api: MeasuredApi;
let own: OneOfEach;
let library: LongestLibrary;
const taken = new Set<string>();

beforeAll(async () => {
  api = await startMeasuredApi();
  const { admin, records } = api;
  const make = async (path: string, body: object) => {
    const { status, body: made, text } = await admin.post<{ id: string }>(path, body);
    if (status !== 201) throw new Error(`POST ${path} answered ${status}: ${text}`);
    return made.id;
  };
  const policy = { protected: true, allowSelfApproval: true };
  const environmentId = await make('/api/environments', { name: 'largest', ...policy });
  const login = { hostname: 'largest.invalid', username: 'granite', sshKeyId: records.sshKeyId };
  const serverId = await make('/api/inventory/servers', { name: 'largest', ...login, environmentId });
  own = { ...records, environmentId, serverId };
  const content = `{{ WORD }}\n${'steps ["'.repeat(CONTENT / 8 - 2)}`;
  const makeFour = (path: string) => Promise.all(list(4, (index) => make(path, { name: `longest ${index}`, content })));
  library = { scriptIds: await makeFour('/api/scripts'), templateIds: await makeFour('/api/templates') };
}, MINUTE_MS);
afterAll(() => api?.close());

/**
 * Sends a body that a route must accept.
 * @throws Error if the body is refused or delays other requests
 */
async function expectAccepted<T = { id: string }>(
  operationId: string,
  title: string,
  body: object,
  about = own,
  before?: () => Promise<unknown>,
  client?: ApiClient,
): Promise<T> {
  const text = JSON.stringify(body);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(BODY);
  const answer = await api.expectNoDelay<T>(operationOf(operationId), title, text, { about, before, client });
  if (answer.status >= 300) throw new Error(`${operationId}, ${title}: ${answer.status} ${answer.text.slice(0, 1000)}`);
  taken.add(operationId);
  return answer.body;
}

async function endRuns(): Promise<void> {
  const { body } = await api.admin.get<{ items: { id: string }[] }>(
    `/api/executions?environmentId=${own.environmentId}&status=PAUSED&status=PENDING`,
  );
  for (const { id } of body.items) await api.admin.post(`/api/executions/${id}/cancel`, {});
}

const list = <T>(count: number, item: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));
const map = (count: number, entry: (index: number) => [string, unknown]) => Object.fromEntries(list(count, entry));
function longKey(index: number, size = 7_400): string {
  const part = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const blob = [Buffer.from('ssh-rsa'), Buffer.from([1, 0, 1]), Buffer.alloc(size, index + 1)].map(part);
  return Buffer.concat(blob).toString('base64');
}
const named = (index: number, length: number) => `k${index}-`.padEnd(length, 'x');

describe('a plan of maximum size', () => {
  let digestBefore = 'a'.repeat(64);

  it.each(LARGEST_PLANS)(
    'does not delay other requests from its first save to its last run: one with %s',
    async (title, make) => {
      const { content, variables } = make(library);
      expect(Buffer.byteLength(JSON.stringify({ content, variables }))).toBeGreaterThan(600 * 1024);
      const body = { ...content, environmentId: own.environmentId };
      const { id: planId } = await expectAccepted('createPlan', title, {
        ...body,
        name: `${title} ${SERIAL_PLACEHOLDER}`,
      });
      const about = { ...own, planId };
      await expectAccepted('updatePlan', title, { ...body, description: LONGEST_NOTE }, about);
      await expectAccepted('previewTargets', title, { targets: TARGETS }, about);

      const start = { planId, variables, targets: TARGETS, note: LONGEST_NOTE };
      const dry = { ...start, execution_mode: 'dry_run' };
      const { digest } = await expectAccepted<ExecutionView>('startExecution', `a dry run of ${title}`, dry);
      // The digest is that of another large run, so the response lists all differences.
      const expecting = JSON.stringify({ ...dry, expectedDigest: digestBefore });
      const refused = await api.expectNoDelay(operationOf('startExecution'), `not the digest of ${title}`, expecting);
      expect(refused.body.code).toBe('digest_changed');
      digestBefore = digest;

      const { id } = await expectAccepted(
        'startExecution',
        title,
        { ...start, execution_mode: 'semi_assisted' },
        own,
        endRuns,
      );
      const run = { ...about, executionId: id };
      await expectAccepted('switchExecutionMode', title, { execution_mode: 'auto' }, run);
      await expectAccepted('approveExecution', title, { digest, comment: LONGEST_NOTE }, run);
      await expectAccepted('cancelExecution', title, { reason: LONGEST_NOTE }, run);
      for (const [hosts, snapshot] of [
        ['unfinished', 'same'],
        ['all', 'current'],
      ]) {
        const again = { hosts, snapshot, execution_mode: 'auto', acceptGaps: true, note: LONGEST_NOTE };
        await expectAccepted('previewRerun', `${title}, ${snapshot}`, again, run);
        const rerun = await expectAccepted('rerunExecution', `${title}, ${snapshot}`, again, run, endRuns);
        await expectAccepted(
          'rejectExecution',
          title,
          { comment: LONGEST_NOTE, digest },
          { ...run, executionId: rerun.id },
        );
      }
    },
    2 * MINUTE_MS,
  );
});

describe('a record of maximum size', () => {
  it('does not delay other requests: a server with the maximum number of tags', async () => {
    const tags = map(50, (index) => [named(index, 63), named(index, 63)]);
    const server = { hostname: `${SERIAL_PLACEHOLDER}.invalid`, username: 'granite', sshKeyId: own.sshKeyId };
    await expectAccepted('createServer', 'tags', {
      name: SERIAL_PLACEHOLDER,
      ...server,
      environmentId: api.records.environmentId,
      tags,
    });
    await expectAccepted('updateServer', 'tags', { tags }, api.records);
    const { environmentId } = api.records;
    const enrolled = { username: 'granite', sshKeyId: own.sshKeyId, environmentId, tags };
    const { token } = await expectAccepted<{ token: string }>('createEnrolment', 'tags', {
      ...enrolled,
      name: `enrolled ${SERIAL_PLACEHOLDER}`,
    });
    const report = {
      hostName: 'h'.repeat(253),
      addresses: list(64, (index) => `2001:db8:0:0:0:0:0:${index.toString(16).padStart(4, '0')}`),
      hostKeys: list(16, (index) => `ssh-rsa ${longKey(index, 480)}`),
    };
    const host = apiClient(api.runward.url, { token });
    await expectAccepted('enrolHost', 'keys and addresses', report, own, undefined, host);
    const upserted = { ...server, hostname: 'upserted.invalid', environmentId: api.records.environmentId, tags };
    await expectAccepted('upsertServer', 'tags', { name: 'upserted', ...upserted }, api.records);
  });

  it('does not delay other requests: a server with the maximum number of pinned keys of maximum length', async () => {
    const hostKeys = list(8, (index) => ({ publicKey: `ssh-rsa ${longKey(index)}`, certAuthority: true }));
    expect(hostKeys[0]?.publicKey.length).toBeGreaterThan(9_900);
    await expectAccepted('setHostKeys', 'keys', { hostKeys }, api.records);
  });
  it(
    'does not delay other requests: a bulk change of the maximum number of servers',
    async () => {
      const { environmentId, serverId } = api.records;
      const [{ tenant_id } = { tenant_id: '' }] = await api.database.query<{ tenant_id: string }>(
        'select tenant_id from environments where id = $1',
        [environmentId],
      );
      await api.database.query(`select set_config('app.tenant', $1, false)`, [tenant_id]);
      const rows = await api.database.query<{ id: string }>(
        `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, tags)
          select gen_random_uuid(), tenant_id, environment_id, 'many-' || n, 'many-' || n || '.invalid', 22, 'a', ssh_key_id, '{"a": "b"}'
          from servers, generate_series(1, $2::int) n where id = $1 returning id`,
        [serverId, HOSTS],
      );
      const serverIds = rows.map(({ id }) => id);
      const removeTags = list(50, (index) => named(index, 63));
      const body = { serverIds, expectedCount: HOSTS, action: 'change', addTags: { many: 'yes' }, removeTags };
      await expectAccepted('changeServers', 'tags of as many servers as may be', body);
      await expectAccepted('changeServers', 'as many servers as may be', { serverIds, action: 'delete' });
    },
    3 * MINUTE_MS,
  );
  it('does not delay other requests: checks of the maximum number of servers', async () => {
    await expectAccepted('requestChecks', 'ids', { ids: list(1000, () => api.records.serverId) });
  });

  it('does not delay other requests: the longest scripts and templates', async () => {
    const texts = {
      lines: 'echo a\n'.repeat(CONTENT / 7 - 1),
      'one line': 'x'.repeat(CONTENT),
      'wide characters': '€'.repeat(CONTENT / 3 - 1),
      insertions: "{{ V0 | append: 'x' | upcase }}\n".repeat(100) + 'x\n'.repeat(100_000),
    };
    for (const [title, content] of Object.entries(texts)) {
      const text = { description: LONGEST_NOTE, content };
      await expectAccepted('createScript', title, {
        ...text,
        name: SERIAL_PLACEHOLDER,
        interpreter: `/${'x'.repeat(200)}`,
      });
      await expectAccepted('updateScript', title, text);
      const { id: templateId } = await expectAccepted('createTemplate', title, { ...text, name: SERIAL_PLACEHOLDER });
      await expectAccepted('updateTemplate', title, text);
      const variables = map(100, (index) => [`V${index}`, 'x'.repeat(1000)]);
      const { environmentId } = own;
      await expectAccepted('renderTemplate', title, { environmentId, variables }, { ...own, templateId });
      await expectAccepted('renderNewTemplate', title, { environmentId, variables, content });
    }
  });

  it('does not delay other requests: the largest values of variables', async () => {
    const values: Record<string, object> = {
      'a text': { value: 'x'.repeat(VALUE) },
      'a text of line breaks': { value: '\n'.repeat(VALUE) },
      'a list': { value: list(1000, (index) => named(index, 31)) },
      'a secret': { value: `${"'x".repeat(VALUE / 2 - 4000)}${'x\n'.repeat(3500)}`, secret: true },
    };
    for (const [title, body] of Object.entries(values)) {
      await expectAccepted('putEnvironmentVariable', title, body);
      await expectAccepted('putServerVariable', title, body);
    }
  });
});

describe('a decision on a pause', () => {
  it.each(['retry', 'retry_failed', 'exclude_hosts'])(
    'does not delay other requests with the maximum number of hosts of a run: %s',
    async (action) => {
      const about = api.records;
      const serverIds = await pausedOnManyHosts(about.executionId);
      const body = { stepKey: 'one', action, serverIds, comment: LONGEST_NOTE };
      await expectAccepted('decideExecution', action, body, about, () => pausedOnManyHosts(about.executionId));
    },
    MINUTE_MS,
  );
});

describe('a decision on hosts of a key rotation', () => {
  it.each(['retryKeyRotation', 'giveUpKeyRotation'])(
    'does not delay other requests with the maximum number of hosts: %s',
    async (operationId) => {
      const about = api.records;
      const serverIds = await failedOnManyHosts(about.keyRotationId);
      const body = operationId === 'giveUpKeyRotation' ? { serverIds, comment: 'scrapped' } : { serverIds };
      await expectAccepted(operationId, 'as many hosts as there may be', body, about, () =>
        failedOnManyHosts(about.keyRotationId),
      );
    },
    MINUTE_MS,
  );
});

/** Creates a key rotation that has failed on the maximum number of hosts of a request. */
async function failedOnManyHosts(id: string): Promise<string[]> {
  const sql = <T>(text: string, values: unknown[] = [id]) => api.database.query<T>(text, values);
  const [rotation] = await sql<{ tenant_id: string }>('select tenant_id from key_rotations where id = $1');
  await sql(`select set_config('app.tenant', $1, false)`, [rotation?.tenant_id]);
  await sql(
    `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, tags)
      select gen_random_uuid(), s.tenant_id, s.environment_id, 'rotated-' || n, 'rotated-' || n || '.invalid', 22, s.username,
        s.ssh_key_id, '{}'
      from key_rotations r join servers s on s.tenant_id = r.tenant_id and s.ssh_key_id = r.old_key_id,
        generate_series(1, $2) n
      where r.id = $1 and (select count(*) from servers where ssh_key_id = r.old_key_id) = 1`,
    [id, HOSTS - 1],
  );
  await sql(
    `insert into key_rotation_hosts (tenant_id, rotation_id, server_id, environment_id, name, state, requested_by)
      select s.tenant_id, r.id, s.id, s.environment_id, s.name, 'failed', r.requested_by
      from key_rotations r join servers s on s.tenant_id = r.tenant_id and s.ssh_key_id = r.old_key_id where r.id = $1
      on conflict (tenant_id, rotation_id, server_id) do update set state = 'failed'`,
  );
  await sql('analyze servers, key_rotation_hosts', []);
  const hosts = await sql<{ server_id: string }>('select server_id from key_rotation_hosts where rotation_id = $1');
  expect(hosts).toHaveLength(HOSTS);
  return hosts.map(({ server_id }) => server_id);
}

/** Creates a run with the maximum number of hosts, whose only step has failed on all of them. */
async function pausedOnManyHosts(id: string): Promise<string[]> {
  const sql = <T>(text: string, values: unknown[] = [id]) => api.database.query<T>(text, values);
  const [run] = await sql<{ tenant_id: string }>('select tenant_id from executions where id = $1');
  await sql(`select set_config('app.tenant', $1, false)`, [run?.tenant_id]);
  await sql(
    `insert into execution_hosts (tenant_id, execution_id, server_id, ordinal, name, hostname, port, username, ssh_key_id, tags)
      select tenant_id, execution_id, gen_random_uuid(), n, 'host-' || n, 'host-' || n || '.invalid', 22, username, ssh_key_id, tags
      from execution_hosts, generate_series(1, $2) n
      where execution_id = $1 and (select count(*) from execution_hosts where execution_id = $1) = 1`,
    [id, HOSTS - 1],
  );
  await sql(
    `insert into host_results (tenant_id, execution_id, step_index, server_id, status)
      select tenant_id, execution_id, 0, server_id, 'FAILED' from execution_hosts where execution_id = $1
      on conflict (execution_id, step_index, server_id) do update set status = 'FAILED', answered = false`,
  );
  await sql(
    `update execution_steps set status = 'PAUSED', started_at = now() where execution_id = $1 and step_index = 0`,
  );
  await sql(
    `update executions set status = 'PAUSED', started_at = now(), pause_reason = 'FAILURE_DECISION', pause_step = 0,
      pause_since = now(), pause_expires_at = now() + interval '1 hour' where id = $1`,
  );
  // PostgreSQL would create these statistics within a minute.
  await sql('analyze execution_hosts, host_results', []);
  const hosts = await sql<{ server_id: string }>('select server_id from execution_hosts where execution_id = $1');
  expect(hosts).toHaveLength(HOSTS);
  return hosts.map(({ server_id }) => server_id);
}

/** Returns whether a body of this schema can contain an unlimited number of items or names. */
function allowsManyItems(schema: Schema): boolean {
  const { items, additionalProperties, properties = {}, oneOf = [] } = resolved(schema);
  if (items) return !resolved(items).enum;
  if (typeof additionalProperties === 'object') return true;
  return [...Object.values(properties), ...oneOf].some(allowsManyItems);
}

describe('a git source with the maximum number of plan folders', () => {
  it('does not delay other requests', async () => {
    const { collectionId } = own;
    const folders = (mark: string) => list(10, (index) => ({ path: named(index, 1000).concat(mark), collectionId }));
    const source = { name: SERIAL_PLACEHOLDER, url: 'https://largest.invalid/plans.git', planFolders: folders('a') };
    const { id: gitSourceId } = await expectAccepted('createGitSource', 'folders', source);
    await expectAccepted('updateGitSource', 'other folders', { planFolders: folders('b') }, { ...own, gitSourceId });
  });
});

describe('a notification rule of maximum size', () => {
  it('does not delay other requests', async () => {
    const to = list(50, (index) => `${named(index, 60)}@largest.invalid`);
    const channel = { type: 'email', to };
    const rule = { channel, events: ['execution.failed'], environmentIds: [own.environmentId], planIds: [own.planId] };
    const { id: notificationRuleId } = await expectAccepted('createNotificationRule', 'recipients', {
      name: SERIAL_PLACEHOLDER,
      ...rule,
    });
    await expectAccepted('updateNotificationRule', 'recipients', rule, { ...own, notificationRuleId });
    await expectAccepted('testNotificationChannel', 'recipients', { name: SERIAL_PLACEHOLDER, channel });
  });
});

describe('a webhook with the maximum number of environments', () => {
  it('does not delay other requests', async () => {
    const made = list(50, async (index) => {
      const { body } = await api.admin.post<{ id: string }>('/api/environments', {
        name: `hooked ${named(index, 60)}`,
      });
      return body.id;
    });
    const environmentIds = await Promise.all(made);
    const url = `https://largest.invalid/${'p'.repeat(1_900)}`;
    const hook = { url, events: ['execution.finished'], environmentIds };
    const { id: webhookId } = await expectAccepted('createWebhook', 'environments', {
      name: SERIAL_PLACEHOLDER,
      ...hook,
    });
    await expectAccepted(
      'updateWebhook',
      'environments',
      { environmentIds: environmentIds.toReversed() },
      { ...own, webhookId },
    );
  });
});

describe('run windows with the maximum number of time spans and blackouts', () => {
  it('do not delay other requests when a run or schedule uses them', async () => {
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
    const two = (hour: number) => String(hour).padStart(2, '0');
    const open = list(20, (index) => ({ days, from: `${two(index)}:00`, to: `${two(index)}:59` }));
    const blackouts = list(100, (index) => ({
      from: `${2_100 + index}-01-01T00:00`,
      to: `${2_100 + index}-12-31T00:00`,
      reason: 'r'.repeat(200),
    }));
    const runWindows = { timeZone: 'America/Argentina/Buenos_Aires', open, blackouts };
    const { id: environmentId } = await expectAccepted('createEnvironment', 'windows', {
      name: SERIAL_PLACEHOLDER,
      runWindows,
    });
    await expectAccepted('updateEnvironment', 'windows', { runWindows }, { ...own, environmentId });
  });
});

describe('a schedule with values of maximum length', () => {
  // The folders have 16 KiB in total.
  it('does not delay other requests', async () => {
    const names = list(20, (index) => `VALUE_${index}`);
    const { body: plan } = await api.admin.post<{ id: string }>('/api/plans', {
      name: `scheduled ${SERIAL_PLACEHOLDER}`,
      environmentId: own.environmentId,
      variables: names.map((name) => ({ name, type: 'string' })),
      steps: [{ key: 'one', command: 'true' }],
    });
    const variables = Object.fromEntries(names.map((name, index) => [name, named(index, 780)]));
    const labels = map(20, (index) => [named(index, 63), 'v'.repeat(255)]);
    const timing = { cron: '0 0 1 1 *', timeZone: 'UTC', enabled: false };
    const what = { planId: plan.id, execution_mode: 'auto', variables, labels, note: LONGEST_NOTE, targets: TARGETS };
    const { id: scheduleId } = await expectAccepted('createSchedule', 'values', {
      name: SERIAL_PLACEHOLDER,
      ...what,
      ...timing,
    });
    await expectAccepted('updateSchedule', 'values', { variables, labels }, { ...own, scheduleId });
    await expectAccepted('cancelExecutions', 'all labels', {
      labels,
      status: ['PENDING', 'RUNNING', 'PAUSED'],
      reason: LONGEST_NOTE,
    });
  });
});

describe('tokens and trust rules with the maximum number of environments and plans', () => {
  it('do not delay other requests', async () => {
    const { admin, records } = api;
    const ids = async (path: string, body: (index: number) => object) => {
      const made = list(100, async (index) => (await admin.post<{ id: string }>(path, body(index))).body.id);
      return Promise.all(made);
    };
    const environmentIds = await ids('/api/environments', (index) => ({ name: named(index, 80) }));
    const steps = [{ key: 'one', command: 'true' }];
    const planIds = await ids('/api/plans', (index) => ({ name: named(index, 80), steps }));
    const scope = { access: 'run', environmentIds, planIds };
    await expectAccepted('createToken', 'all', { name: SERIAL_PLACEHOLDER, scope });
    await expectAccepted('createServiceAccountToken', 'all', { name: SERIAL_PLACEHOLDER, scope }, records);
    const rule = { issuer: 'https://largest.invalid', audience: 'x'.repeat(500), subject: `a:b:${'x'.repeat(490)}` };
    const claims = map(10, (index) => [named(index, 100), 'x'.repeat(500)]);
    await expectAccepted('createTrustRule', 'all', {
      name: SERIAL_PLACEHOLDER,
      ...rule,
      userId: records.serviceAccountId,
      ...scope,
      claims,
    });
    await expectAccepted('updateTrustRule', 'all', { environmentIds, planIds, claims }, records);
  });
});

describe('these bodies', () => {
  it('were sent to every route whose body contains a list or a map', () => {
    const wide = operations.filter(({ body }) => body && allowsManyItems(body)).map(({ operationId }) => operationId);
    expect(wide).toContain('createPlan');
    expect(wide.filter((operationId) => !taken.has(operationId))).toEqual([]);
    process.stdout.write(delayReport(api));
  });
});
