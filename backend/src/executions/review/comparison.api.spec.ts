import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiClient } from '../../../test/support/api-client.js';
import { comparable } from '../../../test/support/environment-scene.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { newId } from '../../common/ids.js';
import type { ComparedHostsView, RunComparisonView, UsualStepDurationView } from '../contract/run-comparison.view.js';

const SECRET = 'k3str3l/Comparison+secret';

let lab: RunLab;
let planId: string;
/** Successful runs of revisions 1 and 2, and a failed run of revision 2. */
let first: string;
let second: string;
let failed: string;

const compare = (id: string, query = '', api = lab.api) =>
  api.get<RunComparisonView>(`/api/executions/${id}/comparison${query}`);
const compareHosts = (id: string, query = '', api = lab.api) =>
  api.get<ComparedHostsView>(`/api/executions/${id}/comparison/hosts${query}`);
const setDuration = (id: string, seconds: number) =>
  lab.runward.database.query(
    `update executions set started_at = finished_at - interval '1 second' * $2 where id = $1`,
    [id, seconds],
  );

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2, spare: 1 });
  await lab.runward.worker();
  await lab.api.put(`/api/environments/${lab.environmentId}/variables/TOKEN`, { value: SECRET, secret: true });
  const variables = [
    { name: 'RELEASE', type: 'string' as const, required: true },
    { name: 'TOKEN', type: 'secret' as const },
  ];
  const migrate = { key: 'migrate', name: 'Migrate', command: 'echo {{ RELEASE }} {{ TOKEN }}' };
  planId = await lab.plan([migrate, { key: 'old', command: 'true' }], { variables });
  const run = async (release: string) =>
    (await lab.settled((await lab.start(planId, { variables: { RELEASE: release } })).id)).id;
  first = await run('v1');
  await lab.api.patch(`/api/plans/${planId}`, {
    steps: [
      { ...migrate, command: 'echo migrate {{ RELEASE }} {{ TOKEN }}' },
      { key: 'verify', name: 'Verify', command: 'test {{ RELEASE }} != v3' },
    ],
    variables,
  });
  await lab.api.put(`/api/environments/${lab.environmentId}/variables/TOKEN`, { value: `${SECRET}-2`, secret: true });
  await lab.server({ name: 'new-1', hostname: lab.spare[0] });
  second = await run('v2');
  failed = await run('v3');
});
afterAll(() => lab.close());

describe('the comparison with the last successful run', () => {
  it('lists the differences of content, without the value of a secret', async () => {
    const { status, body, text } = await compare(second);
    expect(status).toBe(200);
    expect(body.comparedTo).toMatchObject({ id: first, planRevision: 1, status: 'SUCCEEDED', hostCount: 2 });
    expect(body.run).toMatchObject({ id: second, planId, planRevision: 2, hostCount: 3 });
    const named = body.differences.map(({ kind, name, change }) => `${kind} ${name} ${change}`);
    expect(named).toEqual([
      'step migrate changed',
      'step old removed',
      'step verify added',
      'variable RELEASE changed',
      'secret TOKEN changed',
      'host new-1 added',
    ]);
    expect(body.differences[3]).toMatchObject({ before: 'v1', after: 'v2' });
    expect(body.differences[4]).toMatchObject({ before: null, after: null });
    expect(text).not.toContain(SECRET);
    expect(body.differenceCounts).toContainEqual({ kind: 'step', change: 'added', count: 1 });
    expect(body.moreDifferences).toBe(0);
  });

  it('has the steps of both runs, with result and duration', async () => {
    const { body } = await compare(second);
    expect(body.steps).toEqual([
      {
        key: 'migrate',
        name: 'Migrate',
        before: { status: 'SUCCEEDED', durationMs: expect.any(Number), counts: { SUCCEEDED: 2 } },
        after: { status: 'SUCCEEDED', durationMs: expect.any(Number), counts: { SUCCEEDED: 3 } },
      },
      expect.objectContaining({ key: 'verify', before: null, after: expect.objectContaining({ status: 'SUCCEEDED' }) }),
      expect.objectContaining({ key: 'old', before: expect.objectContaining({ status: 'SUCCEEDED' }), after: null }),
    ]);
  });

  it('has the median duration of earlier successes only', async () => {
    await setDuration(first, 40);
    await setDuration(second, 60);
    await setDuration(failed, 900);
    expect((await compare(failed)).body.usualDuration).toEqual({ medianMs: 50_000, runs: 2 });
    expect((await compare(second)).body.usualDuration).toEqual({ medianMs: 40_000, runs: 1 });
  });

  it('has the median duration of a step on a host in earlier successes', async () => {
    const usual = (id: string, stepKey: string) =>
      lab.api.get<UsualStepDurationView>(`/api/executions/${id}/usual-duration?stepKey=${stepKey}`);
    for (const [id, seconds] of [
      [first, 40],
      [second, 60],
      [failed, 900],
    ] as const)
      await lab.runward.database.query(
        `update host_results set started_at = finished_at - interval '1 second' * $2 where execution_id = $1`,
        [id, seconds],
      );
    expect((await usual(failed, 'migrate')).body).toEqual({ medianMs: 60_000, results: 5, runs: 2 });
    expect((await usual(failed, 'verify')).body).toEqual({ medianMs: 60_000, results: 3, runs: 1 });
    expect((await usual(second, 'verify')).body).toEqual({ medianMs: null, results: 0, runs: 0 });
    expect((await usual(second, 'unknown')).status).toBe(400);
  });

  it('does not exist before the first success', async () => {
    const { body } = await compare(first);
    expect(body).toMatchObject({ comparedTo: null, differences: [], differenceCounts: [], usualDuration: null });
    expect(body.steps).toMatchObject([
      { key: 'migrate', before: null },
      { key: 'old', before: null },
    ]);
    expect((await compareHosts(first)).body).toMatchObject({ total: 2, changedStatus: 2 });
  });

  it('omits texts on request', async () => {
    const { body } = await compare(second, '?texts=false');
    expect(body.differences).toHaveLength(6);
    expect(body.differences.filter(({ before, after }) => before ?? after)).toEqual([]);
  });
});

describe('the comparison with a chosen run', () => {
  it('compares in both directions and across plans', async () => {
    const { body: back } = await compare(first, `?with=${second}`);
    expect(back.differences).toContainEqual(
      expect.objectContaining({ kind: 'host', name: 'new-1', change: 'removed', after: null }),
    );
    const other = await lab.run([{ key: 'migrate', command: 'true' }]);
    const { status, body } = await compare(second, `?with=${other.id}`);
    expect(status).toBe(200);
    expect(body.comparedTo?.planId).toBe(other.planId);
    expect(body.steps.map(({ key, before }) => [key, before?.status ?? null])).toEqual([
      ['migrate', 'SUCCEEDED'],
      ['verify', null],
    ]);
  });

  it('refuses the same run, and an invalid ID', async () => {
    for (const ask of [compare, compareHosts]) {
      const same = await ask(second, `?with=${second}`);
      expect([same.status, same.body]).toMatchObject([400, { errors: [{ path: '?with', code: 'invalid_value' }] }]);
      expect((await ask(second, '?with=x')).status).toBe(400);
    }
  });
});

describe('the comparison of hosts', () => {
  it('lists hosts with another status first, then those that became slower', async () => {
    await lab.runward.database.query(
      `update host_results r set started_at = r.finished_at - interval '1 second' * (case when h.name = 'web-2' and r.execution_id = $1 then 9 else 1 end)
        from execution_hosts h where h.execution_id = r.execution_id and h.server_id = r.server_id and r.execution_id = any ($2)`,
      [second, [first, second]],
    );
    const { body } = await compareHosts(second);
    expect(body).toMatchObject({ total: 3, changedStatus: 1 });
    expect(body.items).toEqual([
      {
        serverId: expect.any(String),
        serverName: 'new-1',
        before: null,
        after: { status: 'SUCCEEDED', durationMs: 2_000 },
      },
      {
        serverId: lab.servers[1]?.id,
        serverName: 'web-2',
        before: { status: 'SUCCEEDED', durationMs: 2_000 },
        after: { status: 'SUCCEEDED', durationMs: 18_000 },
      },
      expect.objectContaining({ serverName: 'web-1' }),
    ]);
  });

  it('compares one step and finds hosts by name', async () => {
    const { body } = await compareHosts(failed, '?stepKey=verify&q=WEB-1');
    expect(body).toMatchObject({ total: 1, changedStatus: 1 });
    expect(body.items).toMatchObject([
      { serverName: 'web-1', before: { status: 'SUCCEEDED' }, after: { status: 'FAILED' } },
    ]);
    expect((await compareHosts(failed, '?q=nothing')).body).toEqual({ items: [], total: 0, changedStatus: 0 });
  });
});

describe('the comparison of large runs', () => {
  const HOSTS = 1_000;

  it('counts all differences and hosts, and lists 200 of each', async () => {
    const addHosts = async (id: string, prefix: string) => {
      await lab.runward.database.query(
        `insert into execution_hosts (tenant_id, execution_id, server_id, ordinal, name, hostname, port, username, ssh_key_id, host_key, tags, status)
          select h.tenant_id, h.execution_id, uuidv7(), 100 + n, $2 || n, h.hostname, h.port, h.username, h.ssh_key_id, h.host_key, h.tags, h.status
            from execution_hosts h, generate_series(1, $3::int) n where h.execution_id = $1 and h.ordinal = 0`,
        [id, prefix, HOSTS],
      );
    };
    await addHosts(first, 'old-');
    await addHosts(second, 'fresh-');
    const { body } = await compare(second);
    expect(body.differences).toHaveLength(200);
    expect(body.differenceCounts).toContainEqual({ kind: 'host', change: 'added', count: HOSTS + 1 });
    expect(body.differenceCounts).toContainEqual({ kind: 'host', change: 'removed', count: HOSTS });
    expect(body.moreDifferences).toBe(body.differenceCounts.reduce((sum, { count }) => sum + count, 0) - 200);
    const { body: hosts } = await compareHosts(second);
    expect([hosts.items.length, hosts.total, hosts.changedStatus]).toEqual([200, 2 * HOSTS + 3, 2 * HOSTS + 1]);
    expect((await compareHosts(second, '?q=FRESH-77')).body.total).toBe(11);
  });
});

describe('a comparison with a run that the caller cannot see', () => {
  it('answers 404 like for an unknown run: hidden environment, other tenant, token of another plan', async () => {
    const environmentId = await lab.environment('vault');
    await lab.server({ name: 'vault-1', environmentId, hostname: '127.0.1.9' });
    const { id: hidden } = await lab.start(planId, {
      environmentId,
      variables: { RELEASE: 'v1' },
      execution_mode: 'dry_run',
    });
    await lab.api.patch(`/api/environments/${environmentId}`, { access: 'restricted' });
    const member = await lab.runward.member(lab.admin, 'operator');
    const other = await lab.run(['true']);
    const created = await lab.api.post<{ token: string }>('/api/tokens', {
      name: 'reader',
      scope: { access: 'read', planIds: [planId] },
    });
    const token = apiClient(lab.runward.url, { token: created.body.token });
    const stranger = await lab.runward.tenant('stranger');
    expect((await compare(second, `?with=${hidden}`)).status).toBe(200);
    for (const ask of [compare, compareHosts]) {
      const unknown = comparable(await ask(second, `?with=${newId()}`));
      expect(unknown).toMatchObject({ status: 404 });
      expect(comparable(await ask(second, `?with=${hidden}`, member.api))).toEqual(unknown);
      expect(comparable(await ask(hidden, `?with=${second}`, member.api))).toEqual(unknown);
      expect((await ask(second, '', member.api)).status).toBe(200);
      expect(comparable(await ask(second, `?with=${first}`, stranger.api))).toEqual(unknown);
      expect(comparable(await ask(second, `?with=${other.id}`, token))).toEqual(unknown);
      expect((await ask(second, `?with=${first}`, token)).status).toBe(200);
    }
  });
});
