import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { seededRandom } from '../../../test/support/seeded-random.js';
import { queryAs } from '../../../test/support/table-contents.js';
import { isSignedWith, startWebhookReceiver, type WebhookReceiver } from '../../../test/support/webhook-receiver.js';
import { startWorkerProcess } from '../../../test/support/worker-process.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { newId } from '../../common/ids.js';
import type { LookupAddresses } from '../../common/network/outgoing-addresses.js';
import { Notifications } from '../../common/database/notifications.js';
import { JobQueue } from '../../common/queue/job-queue.js';
import { OutboxDispatcher } from '../../outbox/outbox-dispatcher.js';
import { OutboxInterests } from '../../outbox/outbox-interests.js';
import { Outbox } from '../../outbox/outbox.js';
import type { DeliveryDetailView, DeliveryListView, ReplayedDeliveriesView } from '../deliveries/deliveries.view.js';
import { WebhookInterests } from '../records/webhook-interests.js';
import { WebhookSwitch } from '../records/webhook-switch.js';
import { WebhookVault } from '../records/webhook-vault.js';
import type { WebhookView, WebhookWithSecretView } from '../webhooks.view.js';
import { OldDeliveries } from './old-deliveries.js';
import { deliveriesUpTo, webhookDeliveries } from './take-events.js';
import { WebhookHttp } from './webhook-http.js';
import { WebhookSender } from './webhook-sender.js';

const HOUR = 3_600_000;
const PRIVATE = { RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/16' };

let runward: Installation;
let receiver: WebhookReceiver;
let units: UnitOfWork;
let admin: TestMember;
let operator: TestMember;
let environmentId: string;
/** Fake clock minus real clock, in ms. */
let ahead = 0;
const lookups: Record<string, string> = {};
const lookup: LookupAddresses = (host) =>
  lookups[host] ? Promise.resolve([{ address: lookups[host] }]) : Promise.reject(new Error('ENOTFOUND'));

beforeAll(async () => {
  [runward, receiver] = await Promise.all([startInstallation(PRIVATE), startWebhookReceiver()]);
  units = runward.app.get(UnitOfWork);
  admin = await runward.tenant('acme');
  operator = await runward.member(admin, 'operator');
  const environment = await admin.api.post<{ id: string }>('/api/environments', { name: 'production' });
  environmentId = environment.body.id;
});
afterAll(async () => {
  await runward.close();
  await receiver.close();
});
afterEach(async () => {
  ahead = 0;
  receiver.answers((_, response) => response.writeHead(204).end());
  for (const table of ['webhooks', 'webhook_messages', 'outbox_events'])
    await asTenant(`delete from ${table} where tenant_id = $1`, [admin.tenantId]);
});

const asTenant = <R>(sql: string, values: unknown[] = []) => queryAs<R>(runward.database, admin.tenantId, sql, values);

const senderWith = (name = 'sender'): WebhookSender => {
  const runtime = { ...runward.runtime, processName: name };
  const { app } = runward;
  const parts = [new WebhookVault(runtime), new WebhookHttp(runtime, lookup)] as const;
  const interests = new WebhookInterests(new OutboxInterests());
  const webhookSwitch = new WebhookSwitch(app.get(AuditTrail, { strict: false }), new Outbox(), interests, runtime);
  return new WebhookSender(units, ...parts, webhookSwitch, runtime, () => new Date(Date.now() + 1 + ahead));
};
const dispatcher = (consumer = webhookDeliveries) =>
  new OutboxDispatcher(
    units,
    runward.app.get<Notifications>(Notifications, { strict: false }),
    runward.app.get(JobQueue, { strict: false }),
    runward.runtime,
    [consumer],
  );

let numbered = 0;
async function hook(more: object = {}, by = operator): Promise<WebhookView & { secret: string; path: string }> {
  numbered += 1;
  const path = `/hook-${numbered}`;
  const { status, body, text } = await by.api.post<WebhookView & { secret: string }>('/api/webhooks', {
    ...{ name: `hook ${numbered}`, url: `${receiver.url}${path}`, events: ['host.finished'] },
    ...more,
  });
  expect([status, text]).toEqual([201, text]);
  return { ...body, path };
}
const read = (id: string) => admin.api.get<WebhookView>(`/api/webhooks/${id}`).then(({ body }) => body);
const deliveries = (id: string, query = '', by = admin) =>
  by.api.get<DeliveryListView>(`/api/webhooks/${id}/deliveries?limit=200${query}`).then(({ body }) => body.items);

async function emit(executionId: string, count: number, more: object = {}, from = 0): Promise<void> {
  await units.run(admin.tenantId, async (tx) => {
    for (let nr = from; nr < from + count; nr += 1) {
      const data = { executionId, nr };
      await new Outbox().add(tx, admin.tenantId, { type: 'host.finished', environmentId, executionId, data, ...more });
    }
  });
}
const handOver = async () => {
  while ((await dispatcher().handOver(admin.tenantId)) > 0);
};
const serve = (webhookId: string, sender = senderWith()) => sender.serve({ tenantId: admin.tenantId, webhookId });
/** Serves the webhook until nothing is due. Advances the fake clock instead of waiting. @returns number of waits */
async function serveAll(webhookId: string, until: () => boolean = () => false): Promise<number> {
  let waits = 0;
  for (let next = await serve(webhookId); next !== null && !until(); next = await serve(webhookId)) {
    ahead += next + 1;
    waits += 1;
  }
  return waits;
}

const taken = (path: string, executionId: string, accepted: ReadonlySet<object>) =>
  receiver
    .at(path)
    .filter((message) => message.data.executionId === executionId && accepted.has(message))
    .map(({ data }) => data.nr);

describe('deliveries of run events', () => {
  it('arrive once per webhook, signed and in order per run, if no attempt fails', async () => {
    const [one, two] = [await hook(), await hook({ environmentIds: [environmentId] })];
    const other = await hook({ events: ['step.started'] });
    const runs = [newId(), newId()];
    for (const run of runs) await emit(run, 3);
    await handOver();
    for (const { id } of [one, two, other]) expect(await serve(id)).toBeNull();
    for (const each of [one, two]) {
      const messages = receiver.at(each.path);
      expect(messages).toHaveLength(6);
      for (const run of runs)
        expect(messages.filter(({ data }) => data.executionId === run).map(({ data }) => data.nr)).toEqual([0, 1, 2]);
      expect(messages.every((message) => isSignedWith(each.secret, message))).toBe(true);
    }
    expect(receiver.at(other.path)).toEqual([]);
    expect(
      receiver
        .at(one.path)
        .map(({ body }) => body)
        .sort(),
    ).toEqual(
      receiver
        .at(two.path)
        .map(({ body }) => body)
        .sort(),
    );
    const items = await deliveries(one.id);
    expect(items.map(({ status, attempts, httpStatus }) => [status, attempts, httpStatus])).toEqual(
      Array(6).fill(['delivered', 1, 204]),
    );
    expect(
      receiver
        .at(one.path)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(items.map(({ messageId }) => messageId).sort());
  });

  it('all arrive, in order per run, at a receiver that fails half the attempts', async () => {
    const { id, path, secret } = await hook();
    const random = seededRandom(7);
    const accepted = new Set<object>();
    receiver.answers((message, response) => {
      const fails = random.int(2) === 0;
      if (!fails) accepted.add(message);
      response.writeHead(fails ? 500 : 200).end();
    });
    const runs = Array.from({ length: 10 }, () => newId());
    for (const run of runs) await emit(run, 12);
    await handOver();
    await serveAll(id);
    for (const run of runs) expect(taken(path, run, accepted)).toEqual(Array.from({ length: 12 }, (_, nr) => nr));
    expect(await deliveries(id, '&status=pending&status=dead')).toEqual([]);
    const all = receiver.at(path);
    expect(all.length).toBeGreaterThan(180);
    // ID and body are the same in each attempt; the timestamp is not.
    expect(new Set(all.map(({ id: messageId, body }) => `${messageId} ${body}`)).size).toBe(120);
    expect(isSignedWith(secret, all.at(-1)!)).toBe(true);
  });

  it('become dead after a day of retries, and arrive in order when they are replayed', async () => {
    const { id, path } = await hook();
    receiver.answers((_, response) => response.writeHead(500).end('broken'));
    const run = newId();
    await emit(run, 3);
    await handOver();
    await serveAll(id);
    // The first delivery is retried for a day. By then, the deliveries behind it are as old.
    expect(ahead).toBeGreaterThan(24 * HOUR);
    expect(ahead).toBeLessThan(26 * HOUR);
    const dead = await deliveries(id, '&status=dead');
    expect(dead.map(({ attempts }) => attempts)).toEqual([1, 1, expect.any(Number)]);
    expect(dead[2]!.attempts).toBeGreaterThan(25);
    const detail = await operator.api.get<DeliveryDetailView>(`/api/webhooks/${id}/deliveries/${dead[2]!.id}`);
    expect(detail.body.history[0]).toMatchObject({ number: dead[2]!.attempts, httpStatus: 500, answer: 'broken' });
    expect(await read(id)).toMatchObject({ enabled: true, dead: 3, pending: 0, lastFailure: { httpStatus: 500 } });

    const before = receiver.at(path).length;
    receiver.answers((_, response) => response.end());
    await emit(run, 1, {}, 3);
    await handOver();
    const replay = await operator.api.post<ReplayedDeliveriesView>(`/api/webhooks/${id}/replay-dead`, {});
    expect([replay.status, replay.body]).toEqual([202, { replayed: 3, more: false }]);
    await serveAll(id);
    expect(
      receiver
        .at(path)
        .slice(before)
        .map(({ data }) => data.nr),
    ).toEqual([0, 1, 2, 3]);
    expect(
      receiver
        .at(path)
        .slice(before)
        .map(({ id: messageId }) => messageId),
    ).toEqual([...dead.map(({ messageId }) => messageId).reverse(), expect.any(String)]);
    const one = await operator.api.post<DeliveryDetailView>(`/api/webhooks/${id}/deliveries/${dead[0]!.id}/replay`, {});
    expect([one.status, one.body.status]).toEqual([202, 'pending']);
    const secondReplay = await operator.api.post<{ code: string }>(
      `/api/webhooks/${id}/deliveries/${dead[0]!.id}/replay`,
      {},
    );
    expect([secondReplay.status, secondReplay.body.code]).toEqual([409, 'delivery_pending']);
    await serveAll(id);
    expect(receiver.at(path).at(-1)!.id).toBe(dead[0]!.messageId);
  });

  it('are sent by one worker at a time, and by another one if it dies: none is lost', async () => {
    const { id, path } = await hook();
    const run = newId();
    await emit(run, 5);
    let held: (() => void) | null = null;
    receiver.answers((message, response) => {
      if (message.data.nr === 2 && !held) held = () => response.end();
      else response.end();
    });
    // A separate process, which also dispatches the outbox.
    const worker = await startWorkerProcess(runward, PRIVATE);
    try {
      await eventually('the third message is being sent', async () => held !== null);
      expect(await serve(id)).toBeNull();
    } finally {
      await worker.end('SIGKILL');
    }
    expect(await serve(id)).toBeNull();
    await asTenant('update webhooks set sender_until = now() where id = $1', [id]);
    await serveAll(id);
    expect(receiver.at(path).map(({ data }) => data.nr)).toEqual([0, 1, 2, 2, 3, 4]);
    const [second, third] = receiver.at(path).slice(2);
    expect(second!.id).toBe(third!.id);
    expect(await deliveries(id, '&status=pending')).toEqual([]);
  });

  it('are sent by a running worker, and a receiver that hangs delays no other', async () => {
    const [slow, quickHook] = [await hook(), await hook({}, admin)];
    const held: (() => void)[] = [];
    receiver.answers((message, response) => {
      if (message.path === slow.path) held.push(() => response.end());
      else response.end();
    });
    const worker = await runward.worker();
    try {
      for (let nr = 0; nr < 10; nr += 1) await emit(newId(), 1);
      await eventually('the fast receiver has all messages', async () => receiver.at(quickHook.path).length === 10);
      await eventually('the slow receiver is called', async () => held.length === 4);
      expect(receiver.at(slow.path)).toHaveLength(4);
      receiver.answers((_, response) => response.end());
      for (const answer of held) answer();
      await eventually('the slow receiver has all messages', async () => receiver.at(slow.path).length === 10);
      await eventually(
        'all results are stored',
        async () => (await deliveries(slow.id, '&status=delivered')).length === 10,
      );
    } finally {
      await worker.stop();
    }
  });
});

describe('webhook', () => {
  const once = async (id: string): Promise<number | null> => {
    await emit(newId(), 1);
    await handOver();
    return serve(id);
  };

  it('is disabled at once after response 410: pending deliveries become dead, audit trail and outbox record it', async () => {
    const { id, path } = await hook({ events: ['host.finished', 'webhook.disabled'] });
    const watchingHook = await hook({ events: ['webhook.disabled'] }, admin);
    const foreign = await hook({ events: ['webhook.disabled'] }, await runward.member(admin, 'operator'));
    receiver.answers((_, response) => response.writeHead(410).end());
    await emit(newId(), 2);
    await handOver();
    await serve(id);
    expect(await read(id)).toMatchObject({
      enabled: false,
      disabled: { reason: { code: 'gone' } },
      pending: 0,
      dead: 2,
    });
    const items = await deliveries(id);
    expect(items.map(({ reason }) => reason?.code)).toEqual(['webhook_disabled', 'gone']);
    const [entry] = (
      await admin.api.get<{ items: { action: string; actor: { kind: string } }[] }>(
        `/api/audit-logs?action=webhook.disable`,
      )
    ).body.items;
    expect(entry).toMatchObject({ action: 'webhook.disable', actor: { kind: 'system' } });
    receiver.answers((_, response) => response.end());
    await handOver();
    for (const each of [id, watchingHook.id, foreign.id]) await serve(each);
    expect(receiver.at(watchingHook.path).map(({ type, data }) => [type, data.webhook])).toEqual([
      ['webhook.disabled', { id, name: expect.any(String) }],
    ]);
    expect(receiver.at(watchingHook.path)[0]?.data.webUrl).toBe(`${runward.runtime.settings.publicUrl}/webhooks/${id}`);
    expect(receiver.at(foreign.path)).toEqual([]);
    const refused = await operator.api.post<{ code: string }>(`/api/webhooks/${id}/replay-dead`, {});
    expect([refused.status, refused.body.code]).toEqual([409, 'webhook_not_enabled']);
    await operator.api.patch(`/api/webhooks/${id}`, { enabled: true });
    await operator.api.post(`/api/webhooks/${id}/replay-dead`, {});
    const before = receiver.at(path).length;
    await serveAll(id);
    expect(receiver.at(path).length - before).toBe(2);
  });

  it('is disabled after a week without a successful delivery', async () => {
    const { id } = await hook();
    receiver.answers((_, response) => response.writeHead(500).end());
    for (let day = 0; day < 8; day += 1) {
      expect(await read(id)).toMatchObject({ enabled: true });
      await asTenant(`update webhook_deliveries set next_attempt_at = null, state = 'dead' where webhook_id = $1`, [
        id,
      ]);
      ahead = day * 24 * HOUR;
      await once(id);
    }
    const view = await read(id);
    expect(view).toMatchObject({ enabled: false, disabled: { reason: { code: 'failing' } }, pending: 0 });
    expect(view.failingSince).not.toBeNull();
    await operator.api.patch(`/api/webhooks/${id}`, { enabled: true });
    expect(await read(id)).toMatchObject({ enabled: true, disabled: null, failingSince: null });
  });

  it('stays enabled while deliveries succeed now and then', async () => {
    const { id } = await hook();
    for (let day = 0; day < 16; day += 1) {
      receiver.answers((_, response) => response.writeHead(day % 6 === 5 ? 200 : 500).end());
      await asTenant(`update webhook_deliveries set next_attempt_at = null, state = 'dead' where webhook_id = $1`, [
        id,
      ]);
      ahead = day * 24 * HOUR;
      await once(id);
    }
    expect(await read(id)).toMatchObject({ enabled: true });
  });

  it('sends nothing before the end of Retry-After', async () => {
    const { id, path } = await hook();
    receiver.answers((_, response) => response.writeHead(429, { 'retry-after': '600' }).end());
    const next = await once(id);
    expect(next).toBeGreaterThan(599_000);
    expect(next).toBeLessThanOrEqual(600_000);
    expect(await once(id)).toBeNull();
    expect(receiver.at(path)).toHaveLength(1);
    receiver.answers((_, response) => response.end());
    ahead += 601_000;
    await serveAll(id);
    expect(await deliveries(id, '&status=pending')).toEqual([]);
  });

  it.each([
    ['resets the connection', 'connection_lost', null],
    ['redirects', 'redirected', 307],
    ['sends ten megabytes', null, 200],
  ] as const)('records why an attempt failed when the receiver %s', async (what, code, status) => {
    const { id } = await hook();
    receiver.answers((_, response) => {
      if (what === 'resets the connection') response.socket?.resetAndDestroy();
      else if (what === 'redirects') response.writeHead(307, { location: `${receiver.url}/elsewhere` }).end();
      else response.end(Buffer.alloc(10 * 1024 * 1024, 'x'));
    });
    await once(id);
    expect(await deliveries(id)).toMatchObject([
      { status: code ? 'pending' : 'delivered', reason: code ? { code } : null, httpStatus: status, attempts: 1 },
    ]);
    expect(receiver.at('/elsewhere')).toEqual([]);
  });

  it('resolves the host name at each attempt, and calls no refused address', async () => {
    const port = new URL(receiver.url).port;
    lookups['moving.test'] = '10.1.2.3';
    const { id } = await hook({ url: `https://moving.invalid:${port}/` });
    await asTenant('update webhooks set url = $2 where id = $1', [id, `http://moving.test:${port}/moved`]);
    await once(id);
    expect(await deliveries(id)).toMatchObject([
      { status: 'pending', reason: { code: 'address_refused' }, httpStatus: null },
    ]);
    lookups['moving.test'] = '127.0.0.1';
    await serveAll(id);
    expect(receiver.at('/moved')).toHaveLength(1);
    lookups['moving.test'] = '93.184.216.34';
    await once(id);
    const [latest] = await deliveries(id);
    expect(latest).toMatchObject({ reason: { code: 'address_refused', text: expect.stringContaining('Use https') } });
  });

  it('with a new URL does not send pending deliveries to it, unless they are replayed', async () => {
    const { id, path, secret } = await hook();
    receiver.answers((_, response) => response.writeHead(500).end());
    await once(id);
    const moved = await operator.api.patch<WebhookWithSecretView>(`/api/webhooks/${id}`, {
      url: `${receiver.url}/new-home`,
    });
    receiver.answers((_, response) => response.end());
    await serveAll(id);
    expect([receiver.at(path).length, receiver.at('/new-home').length]).toEqual([1, 0]);
    const [delivery] = await deliveries(id);
    expect(delivery).toMatchObject({ status: 'dead', reason: { code: 'address_changed' } });
    await operator.api.post(`/api/webhooks/${id}/deliveries/${delivery!.id}/replay`, {});
    await serveAll(id);
    const [message] = receiver.at('/new-home');
    expect([isSignedWith(moved.body.secret!, message!), isSignedWith(secret, message!)]).toEqual([true, false]);
  });

  it('signs with both secrets for a day after a rotation', async () => {
    const { id, path, secret } = await hook();
    const rotated = await operator.api.post<WebhookWithSecretView>(`/api/webhooks/${id}/rotate-secret`, {});
    await once(id);
    const both = receiver.at(path)[0]!;
    expect([isSignedWith(secret, both), isSignedWith(rotated.body.secret!, both)]).toEqual([true, true]);
    await asTenant(`update webhooks set old_secret_until = now() where id = $1`, [id]);
    await once(id);
    const later = receiver.at(path)[1]!;
    expect([isSignedWith(secret, later), isSignedWith(rotated.body.secret!, later)]).toEqual([false, true]);
  });

  it('drops and counts events beyond the limit of pending deliveries', async () => {
    const { id } = await hook();
    await emit(newId(), 3);
    await dispatcher(deliveriesUpTo(5)).handOver(admin.tenantId);
    expect(await read(id)).toMatchObject({ dropped: 0, pending: 3 });
    await emit(newId(), 5);
    await dispatcher(deliveriesUpTo(5)).handOver(admin.tenantId);
    expect(await read(id)).toMatchObject({ dropped: 3, droppedAt: expect.any(String), pending: 5 });
  });
});

describe('owner’s rights', () => {
  it('are evaluated when an event is stored and again when it is sent', async () => {
    const hidden = (await admin.api.post<{ id: string }>('/api/environments', { name: 'vault' })).body.id;
    const own = await hook();
    const all = await hook({}, admin);
    const emitHidden = () => emit(newId(), 1, { environmentId: hidden });
    await emitHidden();
    await handOver();
    // The environment becomes restricted after its events were stored and before they are sent.
    await admin.api.patch(`/api/environments/${hidden}`, { access: 'restricted' });
    await serveAll(own.id);
    await serveAll(all.id);
    expect([receiver.at(own.path).length, receiver.at(all.path).length]).toEqual([0, 1]);
    expect(await deliveries(own.id, '', operator)).toEqual([]);
    const [ended] = await deliveries(own.id);
    expect(ended).toMatchObject({ status: 'dead', reason: { code: 'not_visible' }, attempts: 0 });
    expect((await operator.api.get(`/api/webhooks/${own.id}/deliveries/${ended!.id}`)).status).toBe(404);
    expect((await operator.api.post(`/api/webhooks/${own.id}/deliveries/${ended!.id}/replay`, {})).status).toBe(404);
    await emitHidden();
    await handOver();
    expect([(await deliveries(own.id)).length, (await deliveries(all.id)).length]).toEqual([1, 2]);
  });

  it('allow no delivery once the owner is disabled or a viewer', async () => {
    const leavingMember = await runward.member(admin, 'operator');
    const { id, path } = await hook({}, leavingMember);
    for (const change of [`role = 'viewer'`, `role = 'operator', disabled_at = now()`]) {
      await emit(newId(), 1);
      await handOver();
      await asTenant(`update users set ${change} where id = $1`, [leavingMember.userId]);
      await emit(newId(), 1);
      await handOver();
      await serveAll(id);
      expect(receiver.at(path)).toEqual([]);
      await asTenant(`update users set role = 'operator', disabled_at = null where id = $1`, [leavingMember.userId]);
    }
    expect((await deliveries(id)).map(({ reason }) => reason?.code)).toEqual(['not_visible', 'not_visible']);
  });
});

describe('old deliveries', () => {
  it('are deleted after a week, dead ones after a month, and messages without deliveries too', async () => {
    const { id } = await hook();
    for (const [days, state] of [
      [6, 'delivered'],
      [8, 'delivered'],
      [29, 'dead'],
      [31, 'dead'],
    ] as const) {
      await emit(newId(), 1);
      await handOver();
      await asTenant(
        `update webhook_deliveries set state = $2, next_attempt_at = null, finished_at = now() - make_interval(days => $3)
          where webhook_id = $1 and state = 'pending'`,
        [id, state, days],
      );
    }
    await asTenant(`update webhook_messages set created_at = now() - interval '2 days' where tenant_id = $1`, [
      admin.tenantId,
    ]);
    await new OldDeliveries(units).delete();
    expect((await deliveries(id)).map(({ status }) => status)).toEqual(['dead', 'delivered']);
    const left = await asTenant('select from webhook_messages where tenant_id = $1', [admin.tenantId]);
    expect(left).toHaveLength(2);
  });
});
