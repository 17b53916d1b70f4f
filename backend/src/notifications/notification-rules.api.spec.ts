import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type HttpReceiver, startHttpReceiver } from '../../test/support/http-receiver.js';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import { queryAs } from '../../test/support/table-contents.js';
import { newId } from '../common/ids.js';
import type { NotificationRuleView, NotificationTestView } from './notification-rules.view.js';

type Rule = NotificationRuleView & { code: string; errors?: { path: string; code: string; message: string }[] };

const RULES = '/api/notification-rules';
const WEBHOOK = 'https://hooks.example.test/services/T0/B0/s3cretpart';

let runward: Installation;
let receiver: HttpReceiver;
let admin: TestMember;
let operator: TestMember;
let viewer: TestMember;
let openId: string;
let closedEnvironmentId: string;
let planId: string;
let numbered = 0;

beforeAll(async () => {
  receiver = await startHttpReceiver();
  runward = await startInstallation({ RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/9' });
  admin = await runward.tenant('acme');
  operator = await runward.member(admin, 'operator');
  viewer = await runward.member(admin, 'viewer');
  const made = async (path: string, body: object) => (await admin.api.post<{ id: string }>(path, body)).body.id;
  openId = await made('/api/environments', { name: 'staging' });
  closedEnvironmentId = await made('/api/environments', { name: 'production', access: 'restricted' });
  planId = await made('/api/plans', {
    name: 'Deploy',
    environmentId: closedEnvironmentId,
    steps: [{ key: 'a', command: 'true' }],
  });
});
afterAll(async () => {
  await runward.close();
  await receiver.close();
});
beforeEach(() => {
  receiver.calls.length = 0;
  receiver.answer(() => ({ status: 200, body: 'ok' }));
});

const bodyOf = (more: object = {}) => ({
  name: `rule-${(numbered += 1)}`,
  channel: { type: 'slack', url: WEBHOOK },
  events: ['execution.failed'],
  ...more,
});
const make = async (more: object = {}, { api } = operator): Promise<Rule> => {
  const { status, body, text } = await api.post<Rule>(RULES, bodyOf(more));
  expect([status, text]).toEqual([201, text]);
  return body;
};
const faultsOf = async (channel: object, more: object = {}) => {
  const { status, body } = await operator.api.post<Rule>(RULES, bodyOf({ channel, ...more }));
  return [status, ...(body.errors ?? []).map(({ path, code }) => `${path} ${code}`)];
};
const sealedOf = async (id: string) => {
  const [row] = await queryAs<{ sealed: Buffer | null }>(
    runward.database,
    admin.tenantId,
    'select sealed_secret as sealed from notification_rules where id = $1',
    [id],
  );
  return row?.sealed ?? null;
};

describe('the credentials of a rule', () => {
  it('are encrypted and never returned: of a webhook only its host, of ntfy all but the token', async () => {
    const slack = await make();
    expect(slack.channel).toMatchObject({ type: 'slack', host: 'hooks.example.test', url: null, set: true });
    const channel = { type: 'ntfy', url: 'https://ntfy.example.test', topic: 'ops', token: 'tk_s3cretpart' };
    const ntfy = await make({ channel });
    expect(ntfy.channel).toMatchObject({
      host: 'ntfy.example.test',
      url: 'https://ntfy.example.test/',
      topic: 'ops',
      set: true,
    });
    for (const { id } of [slack, ntfy]) {
      expect((await operator.api.get(`${RULES}/${id}`)).text).not.toContain('s3cretpart');
      expect((await sealedOf(id))?.includes('s3cretpart')).toBe(false);
    }
    expect((await operator.api.get(RULES)).text).not.toContain('s3cretpart');
    expect((await admin.api.get('/api/audit-logs?limit=200')).text).not.toContain('s3cretpart');
  });

  it('stay when a change omits them, and are deleted when they would be sent elsewhere', async () => {
    const slack = await make();
    const before = await sealedOf(slack.id);
    const kept = await operator.api.patch<Rule>(`${RULES}/${slack.id}`, { channel: { type: 'slack' }, enabled: false });
    expect(kept.body).toMatchObject({ enabled: false, channel: { host: 'hooks.example.test', set: true } });
    expect(await sealedOf(slack.id)).toEqual(before);
    const other = await operator.api.patch<Rule>(`${RULES}/${slack.id}`, { channel: { type: 'teams' } });
    expect([other.status, other.body.errors?.[0]?.path]).toEqual([400, '/channel/url']);

    const channel = { type: 'ntfy', url: 'https://ntfy.example.test', topic: 'ops', token: 'tk_s3cretpart' };
    const { id } = await make({ channel });
    const patch = (change: object) =>
      operator.api
        .patch<Rule>(`${RULES}/${id}`, { channel: { type: 'ntfy', ...change } })
        .then(({ body }) => body.channel);
    expect(await patch({ topic: 'dev' })).toMatchObject({ topic: 'dev', set: true });
    expect(await patch({ url: 'https://evil.example.test' })).toMatchObject({
      host: 'evil.example.test',
      topic: 'dev',
      set: false,
    });
  });
});

describe('a rule is refused', () => {
  it('with a channel that lacks a field, has a field of another type, or has an invalid address', async () => {
    expect(await faultsOf({ type: 'slack' })).toEqual([400, '/channel/url required']);
    expect(await faultsOf({ type: 'email' })).toEqual([400, '/channel/to required']);
    expect(await faultsOf({ type: 'ntfy' })).toEqual([400, '/channel/url required', '/channel/topic required']);
    expect(await faultsOf({ type: 'teams', url: WEBHOOK, topic: 'x' })).toEqual([400, '/channel/topic not_applicable']);
    for (const url of ['ftp://x.test/', 'nonsense', 'https://user:pw@x.test/'])
      expect(await faultsOf({ type: 'slack', url })).toEqual([400, '/channel/url invalid_url']);
    expect(await faultsOf({ type: 'ntfy', url: 'https://n.test/?a=b', topic: 'x' })).toEqual([
      400,
      '/channel/url invalid_url',
    ]);
    const to = [
      'a b@example.org',
      'x@example.org\r\nBcc: y@example.org',
      'ops@example.org',
      'OPS@example.org',
      '<a@b.org>',
    ];
    expect(await faultsOf({ type: 'email', to })).toEqual([
      400,
      ...[
        '/channel/to/0 invalid_value',
        '/channel/to/1 invalid_value',
        '/channel/to/3 duplicate_item',
        '/channel/to/4 invalid_value',
      ],
    ]);
  });

  it('for members, environments and plans that do not exist or that the caller cannot see', async () => {
    const to = { type: 'email', to: [operator.userId, newId()] };
    expect(await faultsOf(to)).toEqual([404, '/channel/to/1 not_found']);
    const slack = { type: 'slack', url: WEBHOOK };
    for (const id of [closedEnvironmentId, newId(), 'malformed'])
      expect(await faultsOf(slack, { environmentIds: [openId, id] })).toEqual([404, '/environmentIds/1 not_found']);
    expect(await faultsOf(slack, { planIds: [planId] })).toEqual([404, '/planIds/0 not_found']);
    const seen = await make({
      environmentIds: [openId.toUpperCase()],
      channel: { type: 'email', to: [viewer.userId] },
    });
    expect(seen.environmentIds).toEqual([openId]);
    expect(seen.channel.members).toEqual([{ id: viewer.userId, name: expect.any(String) }]);
  });

  it('for a name that is taken, and a version that has changed', async () => {
    const { name, id } = await make();
    const again = await admin.api.post<Rule>(RULES, bodyOf({ name: name.toUpperCase() }));
    expect([again.status, again.body.code]).toEqual([409, 'duplicate_name']);
    const stale = await operator.api.patch(`${RULES}/${id}`, { enabled: false }, { 'if-match': '"7"' });
    expect(stale.status).toBe(412);
    expect((await operator.api.delete(`${RULES}/${id}`)).status).toBe(204);
    expect((await operator.api.get(`${RULES}/${id}`)).status).toBe(404);
  });
});

describe('visibility of a rule', () => {
  it('includes its creator, its last editor and admins, and hides records that they cannot see', async () => {
    const other = await runward.member(admin, 'operator');
    const own = await make({ environmentIds: [openId] });
    const admins = await make({}, admin);
    const ids = async ({ api }: TestMember) =>
      (await api.get<{ items: Rule[] }>(`${RULES}?limit=200`)).body.items.map(({ id }) => id);
    expect(await ids(operator)).toContain(own.id);
    expect(await ids(other)).toEqual([]);
    expect(await ids(admin)).toEqual(expect.arrayContaining([own.id, admins.id]));
    for (const path of ['', '/deliveries']) expect((await other.api.get(`${RULES}/${own.id}${path}`)).status).toBe(404);
    expect((await other.api.post(`${RULES}/${own.id}/test`)).status).toBe(404);
    expect((await viewer.api.get(RULES)).status).toBe(403);

    const changed = await admin.api.patch<Rule>(`${RULES}/${own.id}`, {
      environmentIds: [openId, closedEnvironmentId],
      planIds: [planId],
    });
    expect(changed.body).toMatchObject({ owner: { id: admin.userId, active: true }, hiddenEnvironments: 0 });
    const seen = (await operator.api.get<Rule>(`${RULES}/${own.id}`)).body;
    expect(seen).toMatchObject({ environmentIds: [openId], hiddenEnvironments: 1, planIds: [], hiddenPlans: 1 });
  });
});

describe('a test', () => {
  const test = (channel: object) =>
    operator.api.post<NotificationTestView & Rule>(`${RULES}/test`, { name: 'Tried', channel });

  it('is marked as a test, and returns the result, before and after the rule is saved', async () => {
    const url = `${receiver.url}/hook`;
    expect((await test({ type: 'slack', url })).body).toMatchObject({ sent: true, reason: null });
    const { id } = await make({ channel: { type: 'teams', url } });
    expect((await operator.api.post<NotificationTestView>(`${RULES}/${id}/test`)).body).toMatchObject({ sent: true });
    const channel = { type: 'ntfy', url: receiver.url, topic: 'ops', token: 'tk_secret' };
    expect((await test(channel)).body).toMatchObject({ sent: true });
    expect(receiver.calls.map(({ path }) => path)).toEqual(['/hook', '/hook', '/']);
    for (const { body } of receiver.calls) expect(body).toContain('[Test]');
    expect(receiver.calls[2]?.headers.authorization).toBe('Bearer tk_secret');
    const { body: trail } = await admin.api.get<{ items: { action: string }[] }>(
      '/api/audit-logs?action=notification_rule.test',
    );
    expect(trail.items.length).toBeGreaterThanOrEqual(3);
  });

  it('distinguishes the reasons of a failure, and gives advice', async () => {
    const tried = async (channel: object) => {
      const { status, body } = await test(channel);
      expect(status).toBe(200);
      expect(body.sent).toBe(false);
      expect(body.reason?.text).not.toContain('s3cret');
      return [body.reason?.code, body.reason?.text];
    };
    const url = `${receiver.url}/s3cret`;
    expect(await tried({ type: 'email', to: ['a@example.org'] })).toEqual([
      'not_configured',
      expect.stringContaining('RUNWARD_SMTP_URL'),
    ]);
    expect(await tried({ type: 'slack', url: 'http://10.0.0.1/s3cret' })).toEqual([
      'address_refused',
      expect.stringContaining('RUNWARD_OUTGOING_PRIVATE'),
    ]);
    expect(await tried({ type: 'slack', url: 'http://hooks.invalid/s3cret' })).toEqual([
      'host_not_found',
      expect.any(String),
    ]);
    expect(await tried({ type: 'slack', url: 'http://127.0.0.1:1/s3cret' })).toEqual([
      'connection_refused',
      expect.any(String),
    ]);
    receiver.answer(({ path }) => ({ status: 404, body: `no_service ${path}` }));
    expect(await tried({ type: 'slack', url })).toEqual([
      'receiver_failed',
      expect.stringMatching(/answered 404: the webhook or topic no longer exists/),
    ]);
    receiver.answer(() => ({ status: 400, body: 'invalid_payload' }));
    expect(await tried({ type: 'slack', url })).toEqual([
      'message_refused',
      expect.stringContaining('(invalid_payload)'),
    ]);
    receiver.answer(() => ({ status: 302, headers: { location: `${receiver.url}/elsewhere` } }));
    expect(await tried({ type: 'slack', url })).toEqual(['redirected', expect.any(String)]);
    receiver.answer(() => ({ status: 403, body: '{"error":"forbidden"}' }));
    expect(await tried({ type: 'ntfy', url: receiver.url, topic: 'x' })).toEqual(['login_refused', expect.any(String)]);
    expect(receiver.calls.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  it('is limited to a few in some minutes', async () => {
    const channel = { type: 'slack', url: 'http://127.0.0.1:1/x' };
    const statuses: number[] = [];
    for (let count = 0; count < 31 && statuses.at(-1) !== 429; count += 1) statuses.push((await test(channel)).status);
    expect(statuses.at(-1)).toBe(429);
  });
});
