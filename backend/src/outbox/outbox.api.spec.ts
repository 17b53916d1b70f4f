import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../test/support/eventually.js';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import { queryAs } from '../../test/support/table-contents.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { Notifications } from '../common/database/notifications.js';
import { JobQueue } from '../common/queue/job-queue.js';
import type { OutboxConsumer } from './outbox-consumers.js';
import { OutboxDispatcher } from './outbox-dispatcher.js';
import type { EventType } from './event-types.js';
import type { NewOutboxEvent, OutboxEvent } from './outbox-event.js';
import { type Interest, OutboxInterests } from './outbox-interests.js';
import { Outbox } from './outbox.js';

let runward: Installation;
let units: UnitOfWork;
let admin: TestMember;
let other: TestMember;
let environmentId: string;
let elsewhereId: string;
let planId: string;

beforeAll(async () => {
  runward = await startInstallation();
  units = runward.app.get(UnitOfWork);
  other = await runward.tenant('other');
  admin = await runward.tenant('acme');
  const post = async (path: string, body: object): Promise<string> =>
    (await admin.api.post<{ id: string }>(path, body)).body.id;
  const sshKeyId = await post('/api/ssh-keys', { name: 'key', generate: { type: 'ed25519' } });
  environmentId = await post('/api/environments', { name: 'production' });
  elsewhereId = await post('/api/environments', { name: 'elsewhere' });
  for (const [name, id] of [
    ['web-1', environmentId],
    ['web-2', elsewhereId],
  ]) {
    const server = { name, hostname: `${name}.example.test`, username: 'deploy', sshKeyId, environmentId: id };
    await post('/api/inventory/servers', server);
  }
  planId = await post('/api/plans', { name: 'Deploy', environmentId, steps: [{ key: 'one', command: 'true' }] });
  // Table for the test's consumer, which is filled in the dispatch transaction.
  await runward.database.query(
    'create table taken (event_id uuid, tenant_id uuid, execution_id uuid, type text, nr bigserial)',
  );
  await runward.database.query('grant all on taken, taken_nr_seq to runward_app');
});
afterAll(() => runward.close());
afterEach(async () => {
  await runward.database.query('truncate taken');
  for (const { tenantId } of [admin, other]) {
    await listen(tenantId, []);
    await queryAs(runward.database, tenantId, 'delete from outbox_events');
  }
});

const outbox = new Outbox();
const event = (type: string, data: object) => ({ type, data }) as NewOutboxEvent;
const listen = (tenantId: string, interests: Interest[], consumer = 'test') =>
  units.run(tenantId, (tx) => new OutboxInterests().storeInterests(tx, tenantId, consumer, async () => interests));
const unrestrictedInterests = (...types: string[]) =>
  types.map((type): Interest => ({ type: type as EventType, environmentId: null }));
const waiting = (tenantId: string) =>
  queryAs<{ type: string }>(
    runward.database,
    tenantId,
    'select type from outbox_events where tenant_id = $1 order by position',
    [tenantId],
  ).then((rows) => rows.map(({ type }) => type));
const start = async (environment = environmentId): Promise<string> => {
  const body = { planId, environmentId: environment, execution_mode: 'auto', labels: { commit: '4f2c' } };
  const { status, text, body: run } = await admin.api.post<{ id: string }>('/api/executions', body);
  expect([status, text]).toEqual([201, text]);
  return run.id;
};
const cancel = (id: string) => admin.api.post(`/api/executions/${id}/cancel`, {});

const seen: OutboxEvent[] = [];
const storing: OutboxConsumer = {
  name: 'test',
  async take(tx, { events }) {
    for (const { id, tenantId, executionId, type } of events) {
      await tx.query('insert into taken (event_id, tenant_id, execution_id, type) values ($1, $2, $3, $4)', [
        id,
        tenantId,
        executionId,
        type,
      ]);
    }
    seen.push(...events);
  },
};
const dispatcher = (...consumers: OutboxConsumer[]) =>
  new OutboxDispatcher(
    units,
    runward.app.get<Notifications>(Notifications, { strict: false }),
    runward.app.get(JobQueue, { strict: false }),
    runward.runtime,
    consumers,
  );

describe('outbox', () => {
  it('stores only events of subscribed types', async () => {
    await cancel(await start());
    expect(await waiting(admin.tenantId)).toEqual([]);
    await listen(admin.tenantId, unrestrictedInterests('execution.finished'));
    await cancel(await start());
    expect(await waiting(admin.tenantId)).toEqual(['execution.finished']);
  });

  it('stores the events of a run in order, from its start, with facts about the run', async () => {
    await listen(
      admin.tenantId,
      unrestrictedInterests('execution.status_changed', 'step.finished', 'execution.finished'),
    );
    const id = await start();
    await cancel(id);
    expect(await waiting(admin.tenantId)).toEqual([
      'execution.status_changed',
      'step.finished',
      'execution.status_changed',
      'execution.finished',
    ]);
    seen.length = 0;
    expect(await dispatcher(storing).handOver(admin.tenantId)).toBe(4);
    expect(await waiting(admin.tenantId)).toEqual([]);
    const run = {
      id,
      planId,
      planName: 'Deploy',
      planRevision: 1,
      environmentId,
      environmentName: 'production',
      execution_mode: 'auto',
      startedBy: { id: admin.userId, name: expect.any(String) },
      labels: { commit: '4f2c' },
      webUrl: `${runward.runtime.settings.publicUrl}/executions/${id}`,
    };
    expect(seen).toMatchObject([
      { environmentId, planId, executionId: id, data: { executionId: id, status: 'PENDING', previous: null, run } },
      { data: { stepKey: 'one', status: 'CANCELLED', run } },
      { data: { status: 'CANCELLED', previous: 'PENDING', run: { ...run, status: 'CANCELLED' } } },
      { data: { status: 'CANCELLED', at: seen[3]?.at.toISOString(), run } },
    ]);
    // Same data as in the stream, plus `run`.
    const stream = await admin.api.get(`/api/executions/${id}/stream`);
    const streamed = [...stream.text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? '') as object);
    expect(seen.map(({ data: { run: _, ...data } }) => data)).toEqual(streamed);
  });

  it('stores only events in subscribed environments, per tenant', async () => {
    await listen(admin.tenantId, [{ type: 'execution.status_changed', environmentId }]);
    await listen(other.tenantId, unrestrictedInterests('execution.finished'));
    await cancel(await start(elsewhereId));
    expect(await waiting(admin.tenantId)).toEqual([]);
    await start();
    expect(await waiting(admin.tenantId)).toEqual(['execution.status_changed']);
    expect(await waiting(other.tenantId)).toEqual([]);
  });

  it('stores no event of a rolled-back transaction', async () => {
    await listen(admin.tenantId, unrestrictedInterests('schedule.missed'));
    const add = (fails: boolean) =>
      units.run(admin.tenantId, async (tx) => {
        await outbox.add(tx, admin.tenantId, event('schedule.missed', { name: 'nightly' }));
        await outbox.add(tx, admin.tenantId, event('schedule.other', {}));
        if (fails) throw new Error('Something else failed.');
      });
    await expect(add(true)).rejects.toThrow('Something else failed.');
    expect(await waiting(admin.tenantId)).toEqual([]);
    await add(false);
    expect(await waiting(admin.tenantId)).toEqual(['schedule.missed']);
  });

  it('replaces a long list of hosts by their number', async () => {
    await listen(admin.tenantId, unrestrictedInterests('decision.made'));
    const serverIds = Array.from({ length: 1_000 }, () => environmentId);
    await units.run(admin.tenantId, async (tx) => {
      await outbox.add(tx, admin.tenantId, { type: 'decision.made', data: { action: 'retry', serverIds } });
      await outbox.add(tx, admin.tenantId, { type: 'decision.made', data: { serverIds: [environmentId] } });
    });
    seen.length = 0;
    await dispatcher(storing).handOver(admin.tenantId);
    expect(seen.map(({ data }) => data)).toEqual([
      { action: 'retry', serverCount: 1_000 },
      { serverIds: [environmentId] },
    ]);
  });

  it('keeps all subscriptions when two consumers change theirs concurrently', async () => {
    const types = ['one', 'two', 'three', 'four'];
    const found: string[] = [];
    await Promise.all(
      types.map((type) =>
        units.run(admin.tenantId, (tx) =>
          new OutboxInterests().storeInterests(tx, admin.tenantId, 'test', async () => {
            found.push(type);
            return unrestrictedInterests(...found);
          }),
        ),
      ),
    );
    const rows = await queryAs<{ type: string }>(
      runward.database,
      admin.tenantId,
      'select type from outbox_interests where tenant_id = $1',
      [admin.tenantId],
    );
    expect(rows.map(({ type }) => type).sort()).toEqual([...types].sort());
  });
});

describe('dispatch of events', () => {
  const fill = (tenantId: string, count: number) =>
    units.run(tenantId, async (tx) => {
      for (let index = 0; index < count; index += 1) await outbox.add(tx, tenantId, event('counted', { index }));
    });

  it('keeps the batch in the outbox and stores nothing when a consumer fails', async () => {
    await listen(admin.tenantId, unrestrictedInterests('counted'));
    await fill(admin.tenantId, 2);
    const failing: OutboxConsumer = { name: 'failing', take: () => Promise.reject(new Error('It is full.')) };
    await expect(dispatcher(storing, failing).handOver(admin.tenantId)).rejects.toThrow('It is full.');
    expect(await waiting(admin.tenantId)).toHaveLength(2);
    expect(await runward.database.query('select from taken')).toEqual([]);
    expect(await dispatcher(storing).handOver(admin.tenantId)).toBe(2);
  });

  it('is done by one worker at a time, and repeated by another one after a crash', async () => {
    await listen(admin.tenantId, unrestrictedInterests('counted'));
    await fill(admin.tenantId, 2);
    let reached = () => {};
    const stuck = new Promise<void>((resolve) => (reached = resolve));
    const failingConsumer: OutboxConsumer = {
      name: 'dying',
      async take(tx) {
        reached();
        await tx.query(`select pg_sleep(60) as "dies here"`);
      },
    };
    const first = dispatcher(storing, failingConsumer).handOver(admin.tenantId);
    const deathExpectation = expect(first).rejects.toThrow();
    await stuck;
    expect(await dispatcher(storing).handOver(admin.tenantId)).toBe(0);
    await eventually('the connection is cut', async () => {
      const [row] = await runward.database.query<{ cut: boolean }>(
        `select pg_terminate_backend(pid) as cut from pg_stat_activity where query like '%dies here%' and pid <> pg_backend_pid()`,
      );
      return row?.cut === true;
    });
    await deathExpectation;
    expect(await runward.database.query('select from taken')).toEqual([]);
    expect(await dispatcher(storing).handOver(admin.tenantId)).toBe(2);
    expect(await runward.database.query('select from taken')).toHaveLength(2);
  });

  it('passes each event once, also with several workers and tenants', async () => {
    for (const { tenantId } of [admin, other]) await listen(tenantId, unrestrictedInterests('counted'));
    await fill(admin.tenantId, 450);
    const workers = [dispatcher(storing), dispatcher(storing), dispatcher(storing)];
    for (const each of workers) each.onApplicationBootstrap();
    try {
      await fill(other.tenantId, 5);
      await Promise.all([fill(admin.tenantId, 50), fill(admin.tenantId, 50)]);
      await eventually('all events are dispatched', async () => {
        return (await runward.database.query('select from taken')).length >= 555;
      });
    } finally {
      for (const each of workers) await each.onApplicationShutdown();
    }
    const [counts] = await runward.database.query<{ all: string; different: string }>(
      'select count(*) as all, count(distinct event_id) as different from taken',
    );
    expect(counts).toEqual({ all: '555', different: '555' });
  });
});
