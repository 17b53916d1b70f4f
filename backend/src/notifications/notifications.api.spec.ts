import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApprovalLab, startApprovalLab } from '../../test/support/approval-lab.js';
import { eventually } from '../../test/support/eventually.js';
import { type HttpReceiver, startHttpReceiver, type ReceivedCall } from '../../test/support/http-receiver.js';
import { labWorkers } from '../../test/support/lab-workers.js';
import { type MailServer, startMailServer } from '../../test/support/mail-server.js';
import { overdue } from '../../test/support/paused-run.js';
import { queryAs } from '../../test/support/table-contents.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { newId } from '../common/ids.js';
import { JobQueue } from '../common/queue/job-queue.js';
import { appendEvents } from '../executions/output/run-events.js';
import type { NotificationDeliveryView, NotificationRuleView } from './notification-rules.view.js';

const RULES = '/api/notification-rules';
const ALL = [
  ...[
    'approval.requested',
    'decision.requested',
    'execution.failed',
    'execution.partially_succeeded',
    'execution.recovered',
  ],
  ...['execution.results_unknown', 'execution.rejected_or_expired'],
];
const PUBLIC_URL = 'https://runward.example.org';

let lab: ApprovalLab;
let mail: MailServer;
let receiver: HttpReceiver;
let openId: string;
let openServer: string;
let numbered = 0;
const { work, workProcess, endWorkers } = labWorkers(() => lab.runward);

beforeAll(async () => {
  [mail, receiver] = await Promise.all([startMailServer(), startHttpReceiver()]);
  lab = await startApprovalLab({
    settings: {
      RUNWARD_SMTP_URL: `smtp://127.0.0.1:${mail.port}?starttls=off`,
      RUNWARD_SMTP_FROM: 'Runward <runward@example.org>',
      RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8',
      RUNWARD_PUBLIC_URL: PUBLIC_URL,
    },
    spare: 1,
  });
  // Runs begin immediately there, unlike in the protected environment of the lab.
  openId = await lab.environment('open');
  openServer = (await lab.server({ name: 'open-1', hostname: lab.spare[0], environmentId: openId })).name;
  await work();
});
afterAll(async () => {
  await endWorkers();
  await lab?.close();
  await mail.close();
  await receiver.close();
});
afterEach(async () => {
  for (const { id } of (await lab.api.get<{ items: { id: string }[] }>(`${RULES}?limit=200`)).body.items)
    await lab.api.delete(`${RULES}/${id}`);
  mail.mails.length = 0;
  receiver.calls.length = 0;
  receiver.answer(() => ({ status: 200, body: 'ok' }));
});

async function rule(more: object = {}, api = lab.api): Promise<NotificationRuleView> {
  const channel = { type: 'slack', url: `${receiver.url}/hook` };
  const name = `rule-${(numbered += 1)}`;
  const { status, body, text } = await api.post<NotificationRuleView>(RULES, { name, channel, events: ALL, ...more });
  expect([status, text]).toEqual([201, text]);
  return body;
}
const deliveries = async ({ id }: { id: string }, api = lab.api) =>
  (await api.get<{ items: NotificationDeliveryView[] }>(`${RULES}/${id}/deliveries?limit=200`)).body.items;
const settled = (of: { id: string }, count = 1) =>
  eventually(
    'messages are settled',
    async () => {
      const found = await deliveries(of);
      return found.length >= count && found.every(({ finishedAt }) => finishedAt !== null) && found;
    },
    20_000,
  );
const called = (count = 1): Promise<ReceivedCall[]> =>
  eventually('the receiver is called', () => receiver.calls.length >= count && receiver.calls, 20_000);
const said = (call: ReceivedCall | undefined): string => {
  const { text, attachments } = JSON.parse(call?.body ?? '{}') as {
    text: string;
    attachments: { text: string; fields?: { title: string; value: string }[] }[];
  };
  return [
    text,
    ...attachments.flatMap((each) => [
      each.text,
      ...(each.fields ?? []).map(({ title, value }) => `${title}: ${value}`),
    ]),
  ].join('\n');
};
const sql = (text: string, values: unknown[] = []) => queryAs(lab.runward.database, lab.admin.tenantId, text, values);
const makeDue = (id: string) =>
  sql(`update notification_deliveries set due_at = now() - interval '1 second' where id = $1 and due_at is not null`, [
    id,
  ]);
const failing = (name = 'Deploy & co') =>
  lab.plan([{ name: 'Restart', command: 'echo before >&2; echo "<oops>" >&2; exit 3' }], {
    name: `${name} ${(numbered += 1)}`,
    environmentId: openId,
  } as object);

describe('a run that fails', () => {
  it('is reported once by each channel, with host, step, last lines and a link', async () => {
    const mails = await rule({ channel: { type: 'email', to: ['ops@example.org', lab.operator.userId] } });
    const slack = await rule();
    const teams = await rule({ channel: { type: 'teams', url: `${receiver.url}/teams` } });
    const ntfy = await rule({ channel: { type: 'ntfy', url: receiver.url, topic: 'ops', token: 'tk_x' } });
    const plan = await failing();
    const run = await lab.start(plan, { note: 'for the audit' });
    for (const each of [mails, slack, teams, ntfy])
      expect((await settled(each)).map(({ status, event }) => [status, event])).toEqual([['sent', 'execution.failed']]);
    const link = `${PUBLIC_URL}/executions/${run.id}`;
    const text = said(receiver.calls.find(({ path }) => path === '/hook'));
    expect(text).toMatch(/^Failed: Deploy &amp; co \d+ in open\n/);
    expect(text).toContain(`Failed on: ${openServer}`);
    expect(text).toContain('Failed step: Restart (exit code 3)');
    expect(text).toContain('Started by: Admin 1');
    expect(text).toContain('Note: for the audit');
    expect(text).toContain('```\nbefore\n&lt;oops&gt;\n```');
    for (const path of ['/hook', '/teams', '/'])
      expect(receiver.calls.filter((call) => call.path === path)).toHaveLength(1);
    for (const { body } of receiver.calls) expect(body).toContain(link);
    const [ntfyDelivery] = await deliveries(ntfy);
    expect(JSON.parse(receiver.calls.find(({ path }) => path === '/')?.body ?? '')).toMatchObject({
      topic: 'ops',
      priority: 4,
      click: link,
      sequence_id: ntfyDelivery?.id,
    });
    const [taken] = mail.mails;
    expect(mail.mails).toHaveLength(1);
    expect(taken?.to).toEqual(['ops@example.org', lab.operator.email]);
    expect(taken?.headers.subject).toMatch(/^\[Runward\] Failed: Deploy & co \d+ in open$/);
    const [mailDelivery] = await deliveries(mails);
    expect(taken?.headers['message-id']).toBe(`<${mailDelivery?.id}@example.org>`);
    expect(taken?.text).toContain('<oops>');
    expect(taken?.html).toContain('&lt;oops&gt;');
    expect(await sql('select from outbox_events')).toEqual([]);
  });

  it('and then succeeds is reported as recovered, once; a first success and dry runs are not reported', async () => {
    const tells = await rule({ events: ['execution.recovered', 'execution.failed'] });
    const plan = await lab.plan([`test -e ${lab.evidence}/fixed`], { environmentId: openId });
    await lab.api.post('/api/executions', { planId: plan, execution_mode: 'dry_run' });
    const first = await lab.settled((await lab.start(plan)).id);
    expect(first.status).toBe('FAILED');
    const fixingRun = await lab.run([`touch ${lab.evidence}/fixed`], { environmentId: openId });
    expect(fixingRun.status).toBe('SUCCEEDED');
    for (const _ of [1, 2]) await lab.settled((await lab.start(plan)).id);
    await eventually('events are handed over', async () => (await sql('select from outbox_events')).length === 0);
    const found = await settled(tells, 2);
    expect(found.map(({ event, subject }) => [event, subject])).toEqual([
      ['execution.recovered', expect.stringContaining('Succeeds again')],
      ['execution.failed', expect.stringContaining('Failed')],
    ]);
  });

  it("is reported only in the rule's environments and for its events, and not by a disabled rule", async () => {
    const plan = await failing();
    const other = await failing();
    const here = await rule({ environmentIds: [openId], planIds: [plan] });
    const quietEvents = [
      await rule({ environmentIds: [lab.environmentId] }),
      await rule({ planIds: [other] }),
      await rule({ events: ['execution.recovered'] }),
      await rule({ enabled: false }),
    ];
    await lab.settled((await lab.start(plan)).id);
    await settled(here);
    for (const each of quietEvents) expect(await deliveries(each)).toEqual([]);
  });
});

describe('a waiting run', () => {
  it('for approval is reported with its current approvers and the deadline', async () => {
    const tells = await rule();
    const run = await lab.waiting(await lab.plan(['true']));
    await settled(tells);
    const text = said((await called())[0]);
    expect(text).toContain('Waits for approval');
    // The list omits the requester, and the admin who wrote the plan.
    expect(text).toMatch(/Who may approve: viewer \d+, viewer \d+\n/);
    expect(text).toMatch(/Until: \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    expect(text).toContain('Approvals so far: 0 of 1');
    await lab.reject(run.id);
    await settled(tells, 2);
    expect(said((await called(2))[1])).toMatch(/^Rejected: /);
  });

  it('for a decision is reported once per pause, and not after the decision', async () => {
    const tells = await rule({ events: ['decision.requested'] });
    receiver.answer(() => ({ status: 503 }));
    const plan = await lab.plan([{ type: 'gate', name: 'Go', message: 'Is the load balancer drained?' }, 'true'], {
      environmentId: openId,
    });
    const { id } = await lab.start(plan);
    const paused = await lab.paused(id);
    const [first] = await called();
    expect(said(first)).toContain('waits at a gate. Is the load balancer drained?');
    const [delivery] = await eventually('it is to be tried again', async () => {
      const found = await deliveries(tells);
      return found[0]?.status === 'waiting' && found[0].attempts === 1 && found;
    });
    expect(delivery).toMatchObject({
      reason: { code: 'receiver_failed', text: expect.stringContaining('answered 503') },
    });
    await lab.api.post(`/api/executions/${id}/decisions`, { stepKey: paused.pause?.stepKey, action: 'proceed' });
    await lab.settled(id);
    await sql(`update notification_deliveries set due_at = now() - interval '1 second'`);
    await lab.runward.app
      .get(UnitOfWork)
      .run(lab.admin.tenantId, (tx) =>
        tx.query(`update pgboss.job set start_after = now() where name = 'send-notification' and state < 'active'`),
      );
    expect(await settled(tells)).toMatchObject([
      { status: 'skipped', reason: { text: expect.stringContaining('decision was made before') } },
    ]);
    expect(receiver.calls).toHaveLength(1);
  });

  it('and expires is reported as expired', async () => {
    const tells = await rule({ events: ['execution.rejected_or_expired'] });
    const run = await lab.waiting(await lab.plan(['true']));
    await overdue(lab, run.id);
    await settled(tells);
    expect(said((await called())[0])).toMatch(/^Expired: /);
  });
});

describe('messages of a rule', () => {
  it('contain what its owner can see now, for members who are active and can see it too', async () => {
    const secret = await lab.environment('secret');
    await lab.api.patch(`/api/environments/${secret}`, { access: 'restricted' });
    await lab.server({
      name: `secret-${(numbered += 1)}`,
      hostname: lab.spare[0],
      environmentId: secret,
      username: 'nobody-there',
    });
    const put = (userId: string, level: string) =>
      lab.api.put(`/api/environments/${secret}/grants/${userId}`, { level });
    await put(lab.operator.userId, 'run');
    const owned = await rule({ events: ['execution.failed'] }, lab.operator.api);
    const blindRuleId = await rule({
      events: ['execution.failed'],
      channel: { type: 'email', to: [lab.approver.userId, lab.operator.userId] },
    });
    const plan = await lab.plan(['true'], { environmentId: secret });
    await lab.settled((await lab.start(plan)).id);
    expect((await settled(owned)).map(({ status }) => status)).toEqual(['sent']);
    await settled(blindRuleId);
    expect(mail.mails.map(({ to }) => to)).toEqual([[lab.operator.email]]);
    expect(await deliveries(owned, lab.operator.api)).toHaveLength(1);

    await lab.api.delete(`/api/environments/${secret}/grants/${lab.operator.userId}`);
    // The owner can no longer see earlier messages about that environment either.
    expect(await deliveries(owned, lab.operator.api)).toEqual([]);
    await lab.settled((await lab.start(plan)).id);
    expect((await settled(blindRuleId, 2))[0]).toMatchObject({ status: 'failed', reason: { code: 'no_recipient' } });
    expect(await deliveries(owned)).toHaveLength(1);
  });

  it('contain nothing that was rolled back', async () => {
    const tells = await rule();
    const plan = await lab.plan(['sleep 0.1'], { environmentId: openId });
    const run = await lab.start(plan);
    await lab.settled(run.id);
    const units = lab.runward.app.get(UnitOfWork);
    const ref = { tenantId: lab.admin.tenantId, executionId: run.id };
    const event = { type: 'execution.finished', data: { status: 'FAILED', reason: null } } as const;
    await expect(
      units.run(ref.tenantId, async (tx) => {
        await appendEvents(tx, ref, [event]);
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    await lab.settled((await lab.start(await failing())).id);
    expect(await settled(tells)).toHaveLength(1);
  });
});

describe('a message that cannot be delivered', () => {
  it('is retried later where that may help, under the same id', async () => {
    const tells = await rule({ channel: { type: 'ntfy', url: receiver.url, topic: 'ops' } });
    receiver.answer(() => ({ status: 429, headers: { 'retry-after': '600' }, body: 'slow down' }));
    await lab.settled((await lab.start(await failing())).id);
    const [waiting] = await eventually('it failed once', async () => {
      const found = await deliveries(tells);
      return found[0]?.attempts === 1 && found[0].status === 'waiting' && found;
    });
    expect(waiting?.reason?.code).toBe('too_many');
    expect(Date.parse(waiting?.nextAttemptAt ?? '') - Date.now()).toBeGreaterThan(500_000);
    receiver.answer(() => ({ status: 200 }));
    await makeDue(waiting?.id ?? '');
    await sql(`update pgboss.job set start_after = now() where name = 'send-notification' and state < 'active'`);
    expect(await settled(tells)).toMatchObject([{ status: 'sent', attempts: 2, reason: null }]);
    expect(
      new Set(receiver.calls.map(({ body }) => (JSON.parse(body) as { sequence_id: string }).sequence_id)).size,
    ).toBe(1);
  });

  it('is abandoned immediately where it would not help, and can be resent by a person', async () => {
    const tells = await rule();
    receiver.answer(() => ({ status: 404, body: 'no_service' }));
    await lab.settled((await lab.start(await failing())).id);
    const [failed] = await settled(tells);
    expect(failed).toMatchObject({ status: 'failed', attempts: 1, reason: { code: 'receiver_failed' } });
    expect((await lab.api.get<NotificationRuleView>(`${RULES}/${tells.id}`)).body.lastDelivery).toMatchObject({
      status: 'failed',
    });
    receiver.answer(() => ({ status: 200 }));
    const resend = () => lab.api.post<{ code: string }>(`${RULES}/${tells.id}/deliveries/${failed?.id}/resend`);
    expect((await resend()).status).toBe(202);
    expect(await settled(tells)).toMatchObject([{ status: 'sent', reason: null }]);
    expect(await resend()).toMatchObject({ status: 409, body: { code: 'delivery_not_failed' } });
  });

  it('reaches the remaining recipients with a retry', async () => {
    const tells = await rule({ channel: { type: 'email', to: ['ops@example.org', 'later@example.org'] } });
    await lab.settled((await lab.start(await failing())).id);
    await eventually('it came to one', async () => (await deliveries(tells))[0]?.reason?.code === 'recipient_refused');
    await sql(`update notification_deliveries set due_at = now() - interval '1 second', give_up_at = now()`);
    await sql(`update pgboss.job set start_after = now() where name = 'send-notification' and state < 'active'`);
    expect(await settled(tells)).toMatchObject([{ status: 'failed', attempts: 2 }]);
    expect(mail.mails.map(({ to }) => to)).toEqual([['ops@example.org']]);
  });
});

describe('a flood', () => {
  it('is limited to a number of messages per hour, and one summary of the rest', async () => {
    const tells = await rule({ events: ['execution.failed'] });
    await sql(
      `insert into notification_deliveries (id, tenant_id, rule_id, event, cause, environment_id, subject, state, give_up_at, ended_at)
        select gen_random_uuid(), $1, $2, 'execution.failed', 'made ' || n, $3, 'made', 'sent', now(), now() from generate_series(1, 59) n`,
      [lab.admin.tenantId, tells.id, openId],
    );
    const plan = await failing();
    for (const _ of [1, 2, 3]) await lab.settled((await lab.start(plan)).id);
    const found = await eventually('all are counted', async () => {
      const all = (await deliveries(tells)).filter(({ subject }) => subject !== 'made');
      return all.length === 4 && all.every(({ status }) => status !== 'sending') && all;
    });
    expect(found.map(({ event, status }) => `${event} ${status}`).sort()).toEqual([
      'execution.failed sent',
      'execution.failed summarised',
      'execution.failed summarised',
      'summary waiting',
    ]);
    const summary = found.find(({ event }) => event === 'summary');
    await makeDue(summary?.id ?? '');
    await sql(`update pgboss.job set start_after = now() where name = 'send-notification' and state < 'active'`);
    expect(said((await called(2))[1])).toMatch(/^2 more messages of the rule [\s\S]*A run failed: 2/);
  });
});

describe('a receiver that does not answer', () => {
  it('delays no other tenant', async () => {
    const other = await lab.runward.tenant('others');
    const queue = lab.runward.app.get(JobQueue);
    const send = async (tenantId: string, { id: ruleId }: { id: string }, count: number) => {
      for (let each = 0; each < count; each += 1) {
        const deliveryId = newId();
        await queryAs(
          lab.runward.database,
          tenantId,
          `insert into notification_deliveries (id, tenant_id, rule_id, event, cause, subject, state, due_at, give_up_at)
            values ($1, $2, $3, 'summary', $4, 'x', 'waiting', now(), now() + interval '1 day')`,
          [deliveryId, tenantId, ruleId, `summary ${each}`],
        );
        const units = lab.runward.app.get(UnitOfWork);
        await units.run(tenantId, (tx) => queue.enqueueNotification(tx, { tenantId, deliveryId }));
      }
    };
    receiver.answer(({ path }) => (path === '/mute' ? undefined : { status: 200 }));
    const muteServer = await rule({ channel: { type: 'slack', url: `${receiver.url}/mute` } });
    await send(lab.admin.tenantId, muteServer, 8);
    await called(3);
    await send(other.tenantId, await rule({}, other.api), 3);
    await eventually(
      'the remaining messages arrive',
      () => receiver.calls.filter(({ path }) => path === '/hook').length === 3,
    );
    expect(receiver.calls.filter(({ path }) => path === '/mute')).toHaveLength(3);
  });
});

describe('a worker that is killed while it sends', () => {
  it('loses no message: another worker sends it again, and none sends a message that is being sent', async () => {
    await endWorkers();
    const tells = await rule({ events: ['execution.failed'] });
    receiver.answer(() => undefined);
    const outgoing = { RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8', RUNWARD_PUBLIC_URL: PUBLIC_URL };
    const first = await workProcess(outgoing);
    await lab.settled((await lab.start(await failing())).id);
    await called();
    await work();
    await first.end('SIGKILL');
    receiver.answer(() => ({ status: 200 }));
    expect(await deliveries(tells)).toMatchObject([{ status: 'sending', attempts: 1 }]);
    const [{ id } = { id: '' }] = await deliveries(tells);
    await makeDue(id);
    expect(await settled(tells)).toMatchObject([{ status: 'sent', attempts: 2 }]);
    expect(receiver.calls).toHaveLength(2);
  });
});
