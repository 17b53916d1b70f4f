import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '../../test/support/api-client.js';
import { eventually } from '../../test/support/eventually.js';
import { type HttpReceiver, startHttpReceiver } from '../../test/support/http-receiver.js';
import type { TestMember } from '../../test/support/installation.js';
import { type MailServer, startMailServer } from '../../test/support/mail-server.js';
import { type RunLab, startRunLab } from '../../test/support/run-lab.js';
import { queryAs } from '../../test/support/table-contents.js';
import type { ScheduleFireListView, ScheduleView } from '../schedules/schedules.view.js';
import type { WebhookView } from '../webhooks/webhooks.view.js';
import type { NotificationDeliveryView, NotificationRuleView } from './notification-rules.view.js';

const RULES = '/api/notification-rules';
const PUBLIC_URL = 'https://runward.example.org';

let lab: RunLab;
let mail: MailServer;
let receiver: HttpReceiver;
let operator: TestMember;
let planId: string;
let numbered = 0;

beforeAll(async () => {
  [mail, receiver] = await Promise.all([startMailServer(), startHttpReceiver()]);
  lab = await startRunLab({
    settings: {
      RUNWARD_SMTP_URL: `smtp://127.0.0.1:${mail.port}?starttls=off`,
      RUNWARD_SMTP_FROM: 'Runward <runward@example.org>',
      RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8',
      RUNWARD_PUBLIC_URL: PUBLIC_URL,
    },
  });
  await lab.runward.worker();
});
beforeEach(async () => {
  numbered += 1;
  operator = await lab.runward.member(lab.admin, 'operator');
  planId = await lab.plan(['true']);
});
afterEach(async () => {
  await sql('update schedules set enabled = false');
  for (const { id } of (await lab.api.get<{ items: { id: string }[] }>(`${RULES}?limit=200`)).body.items)
    await lab.api.delete(`${RULES}/${id}`);
  await lab.api.patch(`/api/environments/${lab.environmentId}`, { access: 'open' });
  mail.mails.length = 0;
  receiver.calls.length = 0;
  receiver.answer(() => ({ status: 200, body: 'ok' }));
});
afterAll(async () => {
  await lab?.close();
  await mail.close();
  await receiver.close();
});

const sql = <R>(text: string, values: unknown[] = []) =>
  queryAs<R>(lab.runward.database, lab.admin.tenantId, text, values);
const tryRule = (more: object, api: ApiClient = lab.api) =>
  api.post<NotificationRuleView & { code: string; errors?: { path: string }[] }>(RULES, {
    ...{ name: `rule-${(numbered += 1)}`, channel: { type: 'slack', url: `${receiver.url}/hook` } },
    ...more,
  });
async function rule(more: object, api: ApiClient = lab.api): Promise<NotificationRuleView> {
  const { status, body, text } = await tryRule(more, api);
  expect([status, text]).toEqual([201, text]);
  return body;
}
const deliveries = async ({ id }: { id: string }, api: ApiClient = lab.api) =>
  (await api.get<{ items: NotificationDeliveryView[] }>(`${RULES}/${id}/deliveries?limit=200`)).body.items;
const sent = (of: { id: string }, count: number) =>
  eventually('messages are settled', async () => {
    const found = await deliveries(of);
    return found.length >= count && found.every(({ finishedAt }) => finishedAt !== null) && found;
  });
const handedOver = () =>
  eventually('events are handed over', async () => (await sql('select from outbox_events')).length === 0);

describe('a schedule that starts no run', () => {
  const create = async (api: ApiClient = operator.api): Promise<ScheduleView> => {
    const body = {
      name: `nightly-${numbered}`,
      planId,
      execution_mode: 'auto',
      everySeconds: 86_400,
      onMissed: 'once',
    };
    const { status, body: schedule, text } = await api.post<ScheduleView>('/api/schedules', body);
    expect([status, text]).toEqual([201, text]);
    return schedule;
  };
  let times = 0;
  const fired = async (id: string): Promise<string | null> => {
    const fires = async () => (await lab.api.get<ScheduleFireListView>(`/api/schedules/${id}/fires`)).body.items;
    const before = (await fires()).length;
    times += 1;
    await sql(
      `update schedules set (next_at, due_at) = (select t.at, t.at from (
          select date_trunc('second', now()) - make_interval(secs => $2) as at) t) where id = $1`,
      [id, 200 - times],
    );
    const [first] = await eventually('it fires', async () => {
      const found = await fires();
      return found.length > before && found;
    });
    if (first?.executionId) await lab.settled(first.executionId);
    return first?.reason?.code ?? null;
  };
  const demote = (role: string) => lab.api.patch(`/api/members/${operator.userId}`, { role });
  const disable = (disabled: boolean) => lab.api.patch(`/api/members/${operator.userId}`, { disabled });

  it('is reported once for each reason, and again for the same reason after a run was started', async () => {
    const tells = await rule({ events: ['schedule.failed'] });
    const { id, name } = await create();
    expect(await fired(id)).toBeNull();
    await demote('viewer');
    expect([await fired(id), await fired(id)]).toEqual(['owner_not_allowed', 'owner_not_allowed']);
    await sent(tells, 1);
    await demote('operator');
    await lab.api.patch(`/api/plans/${planId}`, { targets: 'role=nowhere' });
    const other = await fired(id);
    expect(other).not.toBe('owner_not_allowed');
    await sent(tells, 2);
    await lab.api.patch(`/api/plans/${planId}`, { targets: '' });
    expect(await fired(id)).toBeNull();
    await disable(true);
    expect(await fired(id)).toBe('owner_not_allowed');
    const found = await sent(tells, 3);
    await handedOver();
    await disable(false);
    expect(found.map(({ event, status, subject }) => `${event} ${status} ${subject}`)).toEqual(
      [1, 2, 3].map(() => expect.stringContaining(`schedule.failed sent Schedule started no run: ${name} in `)),
    );
    expect(await deliveries(tells)).toHaveLength(3);
    expect(found[0]).toMatchObject({ scheduleId: id, webhookId: null, executionId: null });
    const [first] = receiver.calls;
    expect(first?.body).toContain('is no longer an operator');
    expect(first?.body).toContain(`${PUBLIC_URL}/schedules/${id}`);
  });

  it('is reported for its environment and plan, to members who can see it; a skipped one is not reported', async () => {
    const otherId = await lab.environment(`other-${numbered}`);
    const quietEvents = [
      await rule({ events: ['schedule.failed'], environmentIds: [otherId] }),
      await rule({ events: ['schedule.failed'], planIds: [await lab.plan(['true'])] }),
      await rule({ events: ['schedule.failed'] }, (await lab.runward.member(lab.admin, 'operator')).api),
      await rule({ events: ['execution.failed'] }),
    ];
    const tells = await rule({ events: ['schedule.failed'], environmentIds: [lab.environmentId], planIds: [planId] });
    const { id } = await create();
    const holds = await lab.start(await lab.plan([{ type: 'gate', message: 'Wait.' }]));
    expect(await fired(id)).toBe('run_overlap');
    await lab.api.post(`/api/executions/${holds.id}/cancel`, {});
    await lab.settled(holds.id);
    await lab.api.patch(`/api/environments/${lab.environmentId}`, { access: 'restricted' });
    expect(await fired(id)).toBe('not_found');
    expect(await sent(tells, 1)).toMatchObject([{ environmentId: lab.environmentId, executionId: null }]);
    await handedOver();
    for (const each of quietEvents) expect(await deliveries(each)).toEqual([]);
    expect(receiver.calls).toHaveLength(1);
  });

  it('is reported as paused when the service paused it for this reason', async () => {
    await rule({ events: ['schedule.failed'] });
    const { id } = await create();
    await lab.api.delete(`/api/members/${operator.userId}`);
    expect(await fired(id)).toBe('owner_not_allowed');
    const [call] = await eventually('the receiver is called', () => receiver.calls.length > 0 && receiver.calls);
    expect(call?.body).toContain('It is paused until another member takes it over.');
  });
});

describe('a webhook that the service disables', () => {
  const failing = async (answer: number): Promise<WebhookView> => {
    receiver.answer(({ path }) => ({ status: path === '/gone' ? answer : 200, body: '' }));
    const body = { name: `hook-${numbered}`, url: `${receiver.url}/gone`, events: ['execution.finished'] };
    const { status, body: webhook, text } = await operator.api.post<WebhookView>('/api/webhooks', body);
    expect([status, text]).toEqual([201, text]);
    return webhook;
  };
  const endOfRun = async () => lab.settled((await lab.start(planId)).id);
  const disabled = (id: string) =>
    eventually(
      'it is disabled',
      async () => !(await lab.api.get<WebhookView>(`/api/webhooks/${id}`)).body.enabled,
      20_000,
    );

  it('after a week of failures is reported to admins, by rules without environments and plans', async () => {
    const second = await lab.runward.member(lab.admin, 'admin');
    const tells = await rule({
      events: ['webhook.disabled'],
      channel: { type: 'email', to: [operator.userId, lab.admin.userId, 'ops@example.org'] },
    });
    const demoted = await rule({ events: ['webhook.disabled'] }, second.api);
    const runs = await rule({ events: ['execution.failed'] });
    await lab.api.patch(`/api/members/${second.userId}`, { role: 'operator' });
    const { id, name } = await failing(500);
    await sql(`update webhooks set failing_since = now() - interval '8 days' where id = $1`, [id]);
    await endOfRun();
    await disabled(id);
    expect(await sent(tells, 1)).toMatchObject([
      {
        ...{ event: 'webhook.disabled', status: 'sent', environmentId: null, subject: `Webhook disabled: ${name}` },
        ...{ scheduleId: null, webhookId: id, executionId: null },
      },
    ]);
    expect(mail.mails.map(({ to }) => to)).toEqual([[lab.admin.email, 'ops@example.org']]);
    expect(mail.mails[0]?.text).toContain('No delivery to its address succeeded for a week.');
    expect(mail.mails[0]?.text).toContain(`${PUBLIC_URL}/webhooks/${id}`);
    await handedOver();
    for (const each of [demoted, runs]) expect(await deliveries(each)).toEqual([]);
    // A member who is no admin does not see such messages, not even in a rule that they created.
    await sql('update notification_rules set created_by = $1 where id = $2', [operator.userId, tells.id]);
    expect(await deliveries(tells, operator.api)).toEqual([]);
    expect((await operator.api.get<NotificationRuleView>(`${RULES}/${tells.id}`)).body.lastDelivery).toBeNull();
  });

  it('because its address is gone is reported once', async () => {
    const tells = await rule({ events: ['webhook.disabled', 'execution.failed'] });
    const { id } = await failing(410);
    await endOfRun();
    await disabled(id);
    await sent(tells, 1);
    await endOfRun();
    await handedOver();
    expect(await deliveries(tells)).toHaveLength(1);
  });

  it('is not reported by rules of an operator, nor by rules limited to an environment or a plan', async () => {
    expect(await tryRule({ events: ['webhook.disabled'] }, operator.api)).toMatchObject({
      ...{ status: 403, body: { code: 'insufficient_role' } },
    });
    const narrowed = { events: ['webhook.disabled', 'execution.failed'], environmentIds: [lab.environmentId] };
    expect(await tryRule(narrowed)).toMatchObject({ status: 400, body: { errors: [{ path: '/environmentIds' }] } });
    const { id } = await rule({ events: ['webhook.disabled'] });
    const change = await lab.api.patch<{ errors: object[] }>(`${RULES}/${id}`, { planIds: [planId] });
    expect([change.status, change.body.errors]).toMatchObject([400, [{ path: '/planIds' }]]);
  });
});
