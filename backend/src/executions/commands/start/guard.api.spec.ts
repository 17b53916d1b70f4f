import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, apiClient } from '../../../../test/support/api-client.js';
import { changePolicy } from '../../../../test/support/environment-policy.js';
import { eventually } from '../../../../test/support/eventually.js';
import { type RunLab, startRunLab } from '../../../../test/support/run-lab.js';
import { seededRandom } from '../../../../test/support/seeded-random.js';
import type { OverlapConflict } from '../../../common/errors/problem.js';

const RACERS = 500;
const MAX_START_WAIT_MS = 50_000;

interface Refusal {
  status: number;
  code: string;
  detail: string;
  conflicts: OverlapConflict[];
}

let lab: RunLab;
let clients: ApiClient[];

const rows = async (sql: string): Promise<number> => {
  const [row] = await lab.runward.database.query<{ n: number }>(`select count(*)::int as n from ${sql}`);
  return row?.n ?? -1;
};
const start = (planId: string, racer = 0, more: Record<string, unknown> = {}) =>
  lab.tryStart(planId, more, clients[racer % clients.length]);
/** Retries refused starts like a patient client: this many starts may exceed the database connections. */
const startWithRetries = (planId: string, racer: number) =>
  eventually(
    'the start is answered',
    async () => {
      const answer = await start(planId, racer);
      return answer.status !== 503 && answer;
    },
    MAX_START_WAIT_MS,
  );
const cancel = async (id: string) => expect((await lab.api.post(`/api/executions/${id}/cancel`, {})).status).toBe(200);

// No worker runs in these tests: an accepted run stays PENDING and keeps its guard keys until it is cancelled.
beforeAll(async () => {
  lab = await startRunLab({ hosts: 12 });
  const { token } = lab.admin;
  const others = [await lab.runward.anotherApi(), await lab.runward.anotherApi()];
  clients = [lab.api, ...others.map((url) => apiClient(url, { token }))];
});
afterAll(() => lab.close());

describe('many concurrent starts of one plan over three API processes', () => {
  let planId: string;
  let accepted: string[];
  let refused: Refusal[];

  beforeAll(async () => {
    planId = await lab.plan(['true'], { targets: 'name in (web-1, web-2)' });
    const answers = await Promise.all(Array.from({ length: RACERS }, (_, racer) => startWithRetries(planId, racer)));
    accepted = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
    refused = answers.filter(({ status }) => status !== 201).map(({ body }) => body as unknown as Refusal);
  });

  it('accept exactly one and refuse all others as overlapping', () => {
    expect(accepted).toHaveLength(1);
    expect(new Set(refused.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(['409 run_overlap']));
    expect(refused).toHaveLength(RACERS - 1);
  });

  it('show each refused caller the conflicting run, its requester and start time, and the hosts it holds', () => {
    for (const { conflicts, detail } of refused) {
      expect(conflicts).toEqual([
        {
          executionId: accepted[0],
          planName: expect.stringMatching(/^plan-/),
          startedBy: { id: expect.any(String), name: 'Admin 1' },
          since: expect.stringMatching(/Z$/),
          sharedHosts: ['web-1', 'web-2'],
          sharedKeys: [
            `host 127.0.1.1:${lab.hosts.sshd.port}`,
            `host 127.0.1.2:${lab.hosts.sshd.port}`,
            expect.stringMatching(/^plan plan-\d+ in lab$/),
          ],
        },
      ]);
      expect(detail).toContain('that Admin 1 started holds web-1, web-2. Wait for it to finish or cancel it.');
    }
  });

  it('leave one run with its three keys and one audit entry each', async () => {
    expect(await rows('executions')).toBe(1);
    expect(await rows('execution_hosts')).toBe(2);
    expect(await rows('guard_keys')).toBe(3);
    expect(await rows('pgboss.job')).toBe(1);
    expect(await rows(`audit_entries where action = 'execution.start'`)).toBe(1);
    expect(await rows(`audit_entries where action = 'execution.refuse'`)).toBe(RACERS - 1);
  });

  it('accept the next one as soon as the run is over', async () => {
    await cancel(accepted[0] ?? '');
    expect(await rows('guard_keys')).toBe(0);
    const again = await start(planId);
    expect(again.status).toBe(201);
    await cancel(again.body.id);
  });
});

describe('two plans', () => {
  it('overlap where they share a host, also when it was registered twice under two names', async () => {
    const elsewhere = await lab.environment('elsewhere');
    await lab.server({ name: 'alias', environmentId: elsewhere });
    const first = await lab.start(await lab.plan(['true'], { targets: 'name=web-1' }));
    const second = await start(await lab.plan(['true']), 1, { environmentId: elsewhere });
    expect(second.body).toMatchObject({
      status: 409,
      code: 'run_overlap',
      conflicts: [{ executionId: first.id, sharedHosts: ['web-1'] }],
    });
    await cancel(first.id);
  });

  it('may run at the same time on separate hosts', async () => {
    const runs = [];
    for (const targets of ['name=web-1', 'name=web-2']) runs.push(await start(await lab.plan(['true'], { targets })));
    expect(runs.map(({ status }) => status)).toEqual([201, 201]);
    for (const { body } of runs) await cancel(body.id);
  });

  it('report all runs that they overlap with', async () => {
    const runs = [
      await lab.start(await lab.plan(['true'], { targets: 'name=web-1' })),
      await lab.start(await lab.plan(['true'], { targets: 'name=web-2' })),
    ];
    const { body } = await start(await lab.plan(['true'], { targets: 'name in (web-1, web-2, web-3)' }));
    expect((body as unknown as Refusal).conflicts.map(({ executionId }) => executionId)).toEqual(
      runs.map(({ id }) => id),
    );
    for (const { id } of runs) await cancel(id);
  });
});

describe('one plan', () => {
  it('does not run twice in one environment, even on other hosts', async () => {
    const planId = await lab.plan(['true']);
    const first = await lab.start(planId, { targets: 'name=web-1' });
    const second = await start(planId, 1, { targets: 'name=web-2' });
    expect(second.body).toMatchObject({ status: 409, conflicts: [{ executionId: first.id, sharedHosts: [] }] });
    expect((second.body as unknown as Refusal).detail).toContain('runs the same plan there');
    await cancel(first.id);
  });
});

describe('a plan that may overlap with itself', () => {
  it('runs twice in one environment as long as the runs share no host', async () => {
    const planId = await lab.plan(['true'], { parallelSafe: true });
    const first = await lab.start(planId, { targets: 'name=web-1' });
    const second = await lab.start(planId, { targets: 'name=web-2' });
    const third = await start(planId, 1, { targets: 'name in (web-2, web-3)' });
    expect(third.body).toMatchObject({
      status: 409,
      code: 'run_overlap',
      conflicts: [{ executionId: second.id, sharedHosts: ['web-2'], sharedKeys: [expect.stringMatching(/^host /)] }],
    });
    for (const { id } of [first, second]) await cancel(id);
  });
});

describe('a lock that plans name', () => {
  it('is held by one run at a time, whatever its hosts and environment', async () => {
    const elsewhere = await lab.environment('locked');
    await lab.server({ environmentId: elsewhere, hostname: '127.0.1.99' });
    const locks = ['release', 'migration'];
    const first = await lab.start(await lab.plan(['true'], { locks, targets: 'name=web-1' }));
    const other = await lab.plan(['true'], { locks: ['release'], parallelSafe: true });
    const refused = await start(other, 1, { environmentId: elsewhere });
    expect(refused.body).toMatchObject({
      status: 409,
      conflicts: [{ executionId: first.id, sharedHosts: [], sharedKeys: ['lock release'] }],
    });
    expect((refused.body as unknown as Refusal).detail).toContain('holds the lock release');
    await cancel(first.id);
    const second = await start(other, 2, { environmentId: elsewhere });
    expect(second.status).toBe(201);
    await cancel(second.body.id);
  });
});

describe('a dry run', () => {
  it('takes no keys and is never refused, but reports the conflicts of a real run', async () => {
    const planId = await lab.plan(['true'], { targets: 'name in (web-1, web-2)' });
    const dry = await lab.start(planId, { execution_mode: 'dry_run' });
    expect(dry.forecast).toEqual({
      ...{
        obstacles: [],
        approvalRequired: false,
        approval: null,
        authors: null,
        freeze: null,
        window: null,
        conflicts: [],
        hiddenConflicts: 0,
      },
    });
    expect(await rows('guard_keys')).toBe(0);
    const real = await lab.start(planId, { targets: 'name=web-2' });
    const again = await lab.start(planId, { execution_mode: 'dry_run' });
    expect(again.forecast).toMatchObject({
      conflicts: [
        { executionId: real.id, sharedHosts: ['web-2'], startedBy: { id: expect.any(String), name: 'Admin 1' } },
      ],
      hiddenConflicts: 0,
    });
    expect((await lab.get(dry.id)).forecast?.conflicts).toHaveLength(1);
    await cancel(real.id);
    expect((await lab.get(again.id)).forecast?.conflicts).toEqual([]);
    for (const { id } of [dry, again]) await cancel(id);
  });

  it('reports that a real run needs approval, and needs none itself', async () => {
    const planId = await lab.plan(['true']);
    await lab.api.patch(`/api/environments/${lab.environmentId}`, { protected: true });
    const dry = await lab.start(planId, { execution_mode: 'dry_run' });
    expect(dry).toMatchObject({ status: 'PENDING', approval: null, forecast: { approvalRequired: true } });
    await changePolicy(lab.api, lab.environmentId, { protected: false });
    await cancel(dry.id);
  });
});

describe('concurrent starts on random sets of hosts', () => {
  it('never deadlock; accepted runs share no host, and each refused one shares a host with them', async () => {
    const random = seededRandom(7);
    const names = lab.servers.map(({ name }) => name);
    const sets = Array.from({ length: 60 }, () => [
      ...new Set(Array.from({ length: 1 + random.int(5) }, () => random.pick(names))),
    ]);
    const plans: string[] = [];
    for (const set of sets) plans.push(await lab.plan(['true'], { targets: `name in (${set.join(', ')})` }));
    const answers = await Promise.all(plans.map((planId, racer) => startWithRetries(planId, racer)));
    const held = answers.flatMap(({ status }, index) => (status === 201 ? (sets[index] ?? []) : []));
    expect(held.length).toBeGreaterThan(0);
    expect(new Set(held).size).toBe(held.length);
    for (const [index, { status, body }] of answers.entries()) {
      if (status === 201) continue;
      expect(body).toMatchObject({ status: 409, code: 'run_overlap' });
      expect(sets[index]?.some((name) => held.includes(name))).toBe(true);
    }
  });
});

describe('one host that is registered with two spellings of its address', () => {
  const onHost = async (hostname: string, name: string) => {
    const environmentId = await lab.environment(name);
    await lab.server({ name, hostname, port: 2222, environmentId });
    return lab.plan(['true'], { environmentId, targets: `name=${name}` });
  };

  it.each([
    ['::1', '0:0:0:0:0:0:0:1'],
    ['2001:DB8:0:0::7', '2001:db8:0::7'],
    ['::ffff:10.9.8.7', '10.9.8.7'],
    ['10.9.8.6', '::ffff:a09:806'],
    ['Twice.example.com.', 'twice.example.com'],
  ])('blocks a second run: %s and %s', async (one, other) => {
    const names = [randomUUID(), randomUUID()];
    const [first, second] = [await onHost(one, names[0] ?? ''), await onHost(other, names[1] ?? '')];
    const { id } = await lab.start(first);
    const refused = await start(second);
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'run_overlap', conflicts: [{ executionId: id, sharedHosts: [names[0]] }] },
    });
    await cancel(id);
    const { id: next } = await lab.start(second);
    expect((await start(first)).status).toBe(409);
    await cancel(next);
  });

  it('blocks it while an earlier version holds the key of the original spelling', async () => {
    const name = randomUUID();
    const plan = await onHost('0:0:0:0:0:0:0:9', name);
    const { id } = await lab.start(plan);
    const { database } = lab.runward;
    await database.query(`delete from guard_keys where key <> 'host:0:0:0:0:0:0:0:9:2222' and execution_id = $1`, [id]);
    const again = await start(plan);
    expect(again).toMatchObject({ status: 409, body: { conflicts: [{ sharedHosts: [name] }] } });
    await cancel(id);
    expect(await rows(`guard_keys where execution_id = '${id}'`)).toBe(0);
  });

  it('stays guarded under both spellings while its result is unknown', async () => {
    const name = randomUUID();
    const { id } = await lab.start(await onHost('0:0:0:0:0:0:0:8', name));
    await lab.runward.database.query(
      `insert into host_results (tenant_id, execution_id, step_index, server_id, status)
        select tenant_id, execution_id, 0, server_id, 'UNKNOWN' from execution_hosts where execution_id = $1`,
      [id],
    );
    await cancel(id);
    const held = await lab.runward.database.query<{ key: string }>(
      'select key from guard_keys where execution_id = $1 order by key',
      [id],
    );
    expect(held.map(({ key }) => key)).toEqual(['host:0:0:0:0:0:0:0:8:2222', 'host:::8:2222']);
  });
});
