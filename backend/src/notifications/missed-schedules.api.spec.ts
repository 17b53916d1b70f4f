import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../test/support/eventually.js';
import { type HttpReceiver, startHttpReceiver } from '../../test/support/http-receiver.js';
import { type MailServer, startMailServer } from '../../test/support/mail-server.js';
import { type RunLab, startRunLab } from '../../test/support/run-lab.js';
import { queryAs } from '../../test/support/table-contents.js';
import type { ScheduleView } from '../schedules/schedules.view.js';
import type { NotificationDeliveryView } from './notification-rules.view.js';

const RULES = '/api/notification-rules';
const PUBLIC_URL = 'https://runward.example.org';

let lab: RunLab;
let mail: MailServer;
let receiver: HttpReceiver;
let planId: string;
let numbered = 0;

beforeAll(async () => {
  [mail, receiver] = await Promise.all([startMailServer(), startHttpReceiver()]);
  receiver.answer(() => ({ status: 200, body: 'ok' }));
  lab = await startRunLab({
    settings: {
      RUNWARD_SMTP_URL: `smtp://127.0.0.1:${mail.port}?starttls=off`,
      RUNWARD_SMTP_FROM: 'Runward <runward@example.org>',
      RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8',
      RUNWARD_PUBLIC_URL: PUBLIC_URL,
    },
  });
  planId = await lab.plan(['true']);
  await Promise.all([lab.runward.worker(), lab.runward.worker()]);
});
beforeEach(async () => {
  await sql('update schedules set enabled = false');
  for (const { id } of (await lab.api.get<{ items: { id: string }[] }>(RULES)).body.items)
    await lab.api.delete(`${RULES}/${id}`);
  mail.mails.length = 0;
  receiver.calls.length = 0;
});
afterAll(async () => {
  await lab?.close();
  await mail.close();
  await receiver.close();
});

const sql = <R>(text: string, values: unknown[] = []) =>
  queryAs<R>(lab.runward.database, lab.admin.tenantId, text, values);
const create = async <T>(path: string, body: object): Promise<T> => {
  const answer = await lab.api.post<T>(path, body);
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body;
};
const rule = (more: object) =>
  create<{ id: string }>(RULES, {
    ...{ name: `rule-${(numbered += 1)}`, events: ['schedule.failed'] },
    ...{ channel: { type: 'slack', url: `${receiver.url}/hook` }, ...more },
  });
const schedules = async (count: number, environmentId = lab.environmentId): Promise<ScheduleView[]> => {
  const made: ScheduleView[] = [];
  for (let n = 0; n < count; n += 1)
    made.push(
      await create<ScheduleView>('/api/schedules', {
        ...{ name: `nightly-${(numbered += 1)}`, planId, environmentId, execution_mode: 'auto', everySeconds: 86_400 },
      }),
    );
  return made;
};
const outage = async (missed: readonly ScheduleView[]) => {
  await sql(
    `update schedules set (next_at, due_at) = (select t.at, t.at from (
        select date_trunc('second', now()) - interval '1 hour' as at) t) where id = any ($1)`,
    [missed.map(({ id }) => id)],
  );
};
const callsOf = (path: string) => receiver.calls.filter((call) => call.path === path);
const deliveries = async ({ id }: { id: string }) =>
  (await lab.api.get<{ items: NotificationDeliveryView[] }>(`${RULES}/${id}/deliveries`)).body.items;
const settled = (of: { id: string }, count = 1) =>
  eventually('messages are settled', async () => {
    const found = await deliveries(of);
    return found.length >= count && found.every(({ finishedAt }) => finishedAt !== null) && found;
  });

describe('schedules that missed their times while no worker was running', () => {
  it('share one message per rule, limited to what each recipient can see, and have one event each for programs', async () => {
    const hiddenId = await lab.environment('hidden');
    await lab.api.patch(`/api/environments/${hiddenId}`, { access: 'restricted' });
    const operator = await lab.runward.member(lab.admin, 'operator');
    const to = [operator.userId, lab.admin.userId, 'ops@example.org'];
    const mails = await rule({ channel: { type: 'email', to } });
    const chat = await rule({});
    const narrow = await rule({ environmentIds: [hiddenId] });
    await create('/api/webhooks', { name: 'board', url: `${receiver.url}/board`, events: ['schedule.failed'] });
    const missed = [...(await schedules(12)), ...(await schedules(2, hiddenId))];
    await outage(missed);
    const subject = '14 schedules started no run';
    for (const each of [mails, chat])
      expect(await settled(each)).toMatchObject([
        { event: 'schedule.failed', status: 'sent', subject, environmentId: null, scheduleId: null },
      ]);
    expect(await settled(narrow)).toMatchObject([{ status: 'sent', environmentId: hiddenId }]);

    const [all, some] = [...mail.mails].sort((one, other) => other.to.length - one.to.length);
    expect([all?.to, some?.to]).toEqual([[lab.admin.email, 'ops@example.org'], [operator.email]]);
    expect(mail.mails).toHaveLength(2);
    expect(all?.text).toMatch(/Missed by: (nightly-\d+, ){9}nightly-\d+ and 4 more/);
    expect(all?.text).toMatch(/Where: (lab, hidden|hidden, lab)/);
    expect(all?.text).toContain(`Open the schedules: ${PUBLIC_URL}/schedules`);
    expect(some?.text).toMatch(/^12 schedules started no run: .*\n[^]*Missed by: .* and 2 more\nWhere: lab\n/);

    const board = () => callsOf('/board');
    const receivedEvents = await eventually(
      'programs get one event each',
      () => board().length === missed.length && board(),
    );
    const idOf = ({ body }: { body: string }) =>
      (JSON.parse(body) as { data: { schedule: { id: string } } }).data.schedule.id;
    expect(receivedEvents.map(idOf).sort()).toEqual(missed.map(({ id }) => id).sort());
  });

  it('get a new message when an earlier one is being sent already, and a single one is named', async () => {
    const tells = await rule({});
    const [first, ...others] = await schedules(3);
    await outage(first ? [first] : []);
    const [alone] = await settled(tells);
    expect(alone?.subject).toBe(`Schedule started no run: ${first?.name} in lab`);
    await outage(others);
    const [further] = await settled(tells, 2);
    expect(further?.subject).toBe('2 schedules started no run');
    const text = callsOf('/hook').map(({ body }) => body);
    expect(text).toHaveLength(2);
    expect(text[0]).toContain(`${PUBLIC_URL}/schedules/${first?.id}`);
    expect(text[1]).not.toContain(`${first?.name}`);
  });

  it('are not reported to an owner who can no longer see any of their environments', async () => {
    const gone = await lab.environment('gone');
    const tells = await rule({});
    const missed = [...(await schedules(2)), ...(await schedules(1, gone))];
    await outage(missed);
    await eventually('it waits', async () => (await deliveries(tells))[0]?.environmentId === null);
    await sql('update notification_rules set owner_id = null where id = $1', [tells.id]);
    const [kept] = await settled(tells);
    expect(kept).toMatchObject({
      status: 'skipped',
      reason: { text: expect.stringContaining('can no longer see the environments') },
    });
    expect(callsOf('/hook')).toEqual([]);
  });
});
