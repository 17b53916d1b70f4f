import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import { queryAs } from '../../test/support/table-contents.js';
import { isSignedWith, startWebhookReceiver, type WebhookReceiver } from '../../test/support/webhook-receiver.js';
import type { DeliveryDetailView, DeliveryListView } from './deliveries/deliveries.view.js';
import type { WebhookListView, WebhookView, WebhookWithSecretView } from './webhooks.view.js';

interface Problem {
  code: string;
  detail: string;
  errors?: { path: string; code: string; message: string }[];
}

let runward: Installation;
let receiver: WebhookReceiver;
let admin: TestMember;
let operator: TestMember;
let viewer: TestMember;
let openId: string;
let hiddenId: string;

beforeAll(async () => {
  [runward, receiver] = await Promise.all([
    startInstallation({ RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/16' }),
    startWebhookReceiver(),
  ]);
  admin = await runward.tenant('acme');
  operator = await runward.member(admin, 'operator');
  viewer = await runward.member(admin, 'viewer');
  const make = async (body: object) => (await admin.api.post<{ id: string }>('/api/environments', body)).body.id;
  openId = await make({ name: 'open' });
  hiddenId = await make({ name: 'hidden', access: 'restricted' });
});
afterAll(async () => {
  await runward.close();
  await receiver.close();
});
afterEach(() =>
  queryAs(runward.database, admin.tenantId, 'delete from webhooks where tenant_id = $1', [admin.tenantId]),
);

let numbered = 0;
const bodyOf = (more: object = {}) => ({
  name: `hook ${(numbered += 1)}`,
  url: `${receiver.url}/in`,
  events: ['execution.finished'],
  ...more,
});
const make = async (more: object = {}, by = operator): Promise<WebhookView & { secret: string }> => {
  const answer = await by.api.post<WebhookView & { secret: string }>('/api/webhooks', bodyOf(more));
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body;
};
const interests = async () =>
  (
    await queryAs<{ type: string; environment_id: string | null }>(
      runward.database,
      admin.tenantId,
      'select type, environment_id from outbox_interests where tenant_id = $1 order by type, environment_id',
      [admin.tenantId],
    )
  ).map(({ type, environment_id }) => `${type} ${environment_id ?? 'everywhere'}`);

describe('webhook management', () => {
  it('returns a secret once: not in reads, lists, the audit trail or an idempotent repetition', async () => {
    const body = bodyOf();
    const headers = { 'idempotency-key': 'once' };
    const first = await operator.api.post<WebhookWithSecretView>('/api/webhooks', body, headers);
    expect(first.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const again = await operator.api.post<WebhookWithSecretView>('/api/webhooks', body, headers);
    expect([again.status, again.body.id, again.body.secret]).toEqual([201, first.body.id, undefined]);
    const rotated = await operator.api.post<WebhookWithSecretView>(`/api/webhooks/${first.body.id}/rotate-secret`, {});
    expect(rotated.body.secret).not.toBe(first.body.secret);
    expect(rotated.body.oldSecretUntil).not.toBeNull();
    const reads = [
      await operator.api.get(`/api/webhooks/${first.body.id}`),
      await operator.api.get('/api/webhooks'),
      await admin.api.get('/api/audit-logs?limit=50'),
    ];
    for (const { text, status } of reads) {
      expect(status).toBe(200);
      for (const secret of [first.body.secret, rotated.body.secret]) expect(text).not.toContain(secret!.slice(6));
    }
    const [row] = await queryAs<{ text: string }>(
      ...([runward.database, admin.tenantId, 'select w::text as text from webhooks w where id = $1'] as const),
      [first.body.id],
    );
    expect(row?.text).not.toContain(Buffer.from(first.body.secret!).toString('hex'));
  });

  it('refuses a second rotation while the previous secret is valid, unless endOldSecret is true', async () => {
    const hook = await make();
    const rotate = (body?: object) =>
      operator.api.post<WebhookWithSecretView & Problem>(`/api/webhooks/${hook.id}/rotate-secret`, body);
    const second = (await rotate()).body;
    const refused = await rotate({});
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { code: 'old_secret_signs', oldSecretUntil: second.oldSecretUntil },
    ]);
    expect(refused.body.detail).toContain(`signs until ${second.oldSecretUntil}`);
    const signed = async (...secrets: string[]) => {
      await operator.api.post(`/api/webhooks/${hook.id}/test`, {});
      const message = receiver.at(new URL(hook.url).pathname).at(-1)!;
      return secrets.map((secret) => isSignedWith(secret, message));
    };
    expect(await signed(hook.secret, second.secret!)).toEqual([true, true]);
    const third = (await rotate({ endOldSecret: true })).body;
    expect(await signed(hook.secret, second.secret!, third.secret!)).toEqual([false, true, true]);
    await queryAs(runward.database, admin.tenantId, 'update webhooks set old_secret_until = now() where id = $1', [
      hook.id,
    ]);
    expect((await rotate()).status).toBe(200);
  });

  it('shows a webhook only to its owner and admins, and viewers cannot create one', async () => {
    const own = await make();
    const foreign = await make({}, admin);
    expect((await operator.api.get<WebhookListView>('/api/webhooks')).body.items.map(({ id }) => id)).toEqual([own.id]);
    expect((await admin.api.get<WebhookListView>('/api/webhooks')).body.items.map(({ id }) => id)).toEqual([
      foreign.id,
      own.id,
    ]);
    const paths = ['', '/deliveries'].map((rest) => `/api/webhooks/${foreign.id}${rest}`);
    for (const path of paths) expect((await operator.api.get(path)).status).toBe(404);
    expect((await operator.api.post(`/api/webhooks/${foreign.id}/test`, {})).status).toBe(404);
    expect((await operator.api.patch(`/api/webhooks/${foreign.id}`, { enabled: false })).status).toBe(404);
    expect((await viewer.api.post('/api/webhooks', bodyOf())).status).toBe(403);
    expect((await viewer.api.get<WebhookListView>('/api/webhooks')).body.items).toEqual([]);
  });

  it('accepts only environments that the owner sees, and updates the outbox subscriptions', async () => {
    const refused = await operator.api.post<Problem>('/api/webhooks', bodyOf({ environmentIds: [openId, hiddenId] }));
    expect([refused.status, refused.body.errors]).toMatchObject([404, [{ path: '/environmentIds/1' }]]);
    const hook = await make({ environmentIds: [openId], events: ['execution.finished', 'host.finished'] });
    expect(hook.environments).toEqual([{ id: openId, name: 'open' }]);
    expect(await interests()).toEqual([`execution.finished ${openId}`, `host.finished ${openId}`]);
    await operator.api.patch(`/api/webhooks/${hook.id}`, { environmentIds: null, events: ['step.started'] });
    expect(await interests()).toEqual(['step.started everywhere']);
    await operator.api.patch(`/api/webhooks/${hook.id}`, { enabled: false });
    expect(await interests()).toEqual([]);
    await operator.api.patch(`/api/webhooks/${hook.id}`, { enabled: true });
    await operator.api.delete(`/api/webhooks/${hook.id}`);
    expect(await interests()).toEqual([]);
  });

  it.each([
    ['ftp://example.test/', 'invalid_url', 'https://hooks.example.com/path'],
    ['https://user:secret@example.test/', 'invalid_url', 'a user or a password'],
    ['not an address', 'invalid_url', 'is invalid'],
    ['https://127.1.0.1/', 'address_refused', 'RUNWARD_OUTGOING_PRIVATE'],
    ['https://169.254.169.254/latest/meta-data', 'address_refused', 'RUNWARD_OUTGOING_PRIVATE'],
    ['https://[::ffff:10.0.0.1]/', 'address_refused', 'RUNWARD_OUTGOING_PRIVATE'],
    ['https://0x7f.1.1/', 'address_refused', 'RUNWARD_OUTGOING_PRIVATE'],
    ['http://93.184.216.34/', 'https_required', 'Use https'],
    ['http://nowhere.invalid/', 'https_required', 'was not found'],
  ])('refuses the URL %s', async (url, code, message) => {
    const { status, body, text } = await operator.api.post<Problem>('/api/webhooks', bodyOf({ url }));
    expect([status, body.errors?.[0]]).toMatchObject([400, { path: '/url', code }]);
    expect(body.errors?.[0]?.message).toContain(message);
    expect(text).not.toContain('secret@');
  });

  it('accepts an https URL whose host does not resolve yet', async () => {
    expect((await make({ url: 'https://soon.invalid/in#part' })).url).toBe('https://soon.invalid/in');
  });

  it('creates a new secret for a new URL, and only that one signs', async () => {
    const hook = await make();
    await operator.api.post(`/api/webhooks/${hook.id}/rotate-secret`, {});
    const same = await operator.api.patch<WebhookWithSecretView>(`/api/webhooks/${hook.id}`, { url: hook.url });
    expect(same.body.secret).toBeUndefined();
    const url = `${receiver.url}/elsewhere?token=in-the-query`;
    const moved = await operator.api.patch<WebhookWithSecretView>(`/api/webhooks/${hook.id}`, { url });
    expect(moved.body).toMatchObject({ url, oldSecretUntil: null });
    await operator.api.post(`/api/webhooks/${hook.id}/test`, {});
    const [message] = receiver.at('/elsewhere?token=in-the-query');
    expect(message!.headers['webhook-signature']).not.toContain(' ');
    expect([isSignedWith(moved.body.secret!, message!), isSignedWith(hook.secret, message!)]).toEqual([true, false]);
    const audit = await admin.api.get('/api/audit-logs?limit=10');
    expect(audit.text).toContain(`${receiver.url}/…`);
    expect(audit.text).not.toMatch(/elsewhere|in-the-query/);
  });

  it('respects If-Match, unique names and the limit of 50 webhooks', async () => {
    const hook = await make({ name: 'Board' });
    const stale = await operator.api.patch(`/api/webhooks/${hook.id}`, { enabled: false }, { 'if-match': '"9"' });
    expect(stale.status).toBe(412);
    const again = await admin.api.post<Problem>('/api/webhooks', bodyOf({ name: 'board' }));
    expect([again.status, again.body.code]).toEqual([409, 'duplicate_name']);
    const all = await Promise.all(Array.from({ length: 60 }, () => admin.api.post<Problem>('/api/webhooks', bodyOf())));
    expect(all.filter(({ status }) => status === 201)).toHaveLength(49);
    expect(all.find(({ status }) => status === 409)?.body.code).toBe('too_many_webhooks');
  });

  it('lets an admin become the owner of a webhook whose owner was disabled', async () => {
    const leavingMember = await runward.member(admin, 'operator');
    const hook = await make({}, leavingMember);
    await queryAs(runward.database, admin.tenantId, 'update users set disabled_at = now() where id = $1', [
      leavingMember.userId,
    ]);
    const orphan = await admin.api.get<WebhookView>(`/api/webhooks/${hook.id}`);
    expect(orphan.body.owner).toMatchObject({ id: leavingMember.userId, maySend: false });
    expect((await operator.api.post(`/api/webhooks/${hook.id}/take-over`, {})).status).toBe(403);
    const taken = await admin.api.post<WebhookView>(`/api/webhooks/${hook.id}/take-over`, {});
    expect(taken.body.owner).toMatchObject({ id: admin.userId, maySend: true });
  });
});

describe('webhook test', () => {
  const test = (id: string, by = operator) => by.api.post<DeliveryDetailView & Problem>(`/api/webhooks/${id}/test`, {});

  it('sends a signed message, returns the response and appears in the list of deliveries', async () => {
    receiver.answers((_, response) => response.writeHead(202, { 'x-a': 'b' }).end('<b>taken</b>\0'));
    const hook = await make({ enabled: false });
    const { status, body } = await test(hook.id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'delivered',
      type: 'webhook.test',
      httpStatus: 202,
      attempts: 1,
      reason: null,
    });
    expect(body.history).toMatchObject([
      { number: 1, httpStatus: 202, answer: '<b>taken</b>\uFFFD', truncated: false },
    ]);
    const message = receiver.received.at(-1)!;
    expect(message).toMatchObject({ type: 'webhook.test', id: body.messageId, body: body.body });
    expect(message.data).toMatchObject({ webhook: { id: hook.id, name: hook.name } });
    expect(isSignedWith(hook.secret, message)).toBe(true);
    const list = await operator.api.get<DeliveryListView>(`/api/webhooks/${hook.id}/deliveries?status=delivered`);
    expect(list.body.items.map(({ id }) => id)).toEqual([body.id]);
    expect(
      (await operator.api.get<DeliveryListView>(`/api/webhooks/${hook.id}/deliveries?status=dead`)).body.items,
    ).toEqual([]);
  });

  it.each([
    ['a redirect', 302, 'redirected'],
    ['a refusal', 403, 'unexpected_status'],
  ])('returns the code for %s', async (_, answered, code) => {
    receiver.answers((__, response) =>
      response.writeHead(answered, { location: 'https://other.test/?k=s3cret' }).end(),
    );
    const { body, text } = await test((await make()).id);
    expect(body).toMatchObject({ status: 'dead', httpStatus: answered, reason: { code } });
    expect(text).not.toContain('s3cret');
  });

  it('keeps the first kilobyte of a long response', async () => {
    receiver.answers((_, response) => response.end(Buffer.alloc(10 * 1024 * 1024, 'x')));
    const { body } = await test((await make()).id);
    expect(body.history[0]).toMatchObject({ answer: 'x'.repeat(1024), truncated: true });
    expect(body.status).toBe('delivered');
  });

  it('returns the codes for a lost and a refused connection', async () => {
    receiver.answers((_, response) => response.socket?.resetAndDestroy());
    expect((await test((await make()).id)).body).toMatchObject({
      status: 'dead',
      reason: { code: 'connection_lost' },
      httpStatus: null,
    });
    const closed = await make({ url: 'http://127.0.0.1:1/' });
    expect((await test(closed.id)).body).toMatchObject({ status: 'dead', reason: { code: 'connection_refused' } });
  });

  it('runs at most twice at a time per tenant', async () => {
    const { id } = await make();
    const held: (() => void)[] = [];
    const both = new Promise<void>((resolve) => {
      receiver.answers((_, response) => {
        held.push(() => response.end());
        if (held.length === 2) resolve();
      });
    });
    const two = [test(id), test(id)];
    await both;
    expect((await test(id)).body.code).toBe('too_many_at_once');
    for (const answer of held) answer();
    expect((await Promise.all(two)).map(({ body }) => body.status)).toEqual(['delivered', 'delivered']);
    receiver.answers((_, response) => response.end());
  });
});
