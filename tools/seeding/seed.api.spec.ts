import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, apiClient } from '../../backend/test/support/api-client.js';
import { followEvents } from '../../backend/test/support/event-client.js';
import { type Installation, startInstallation, type TestMember } from '../../backend/test/support/installation.js';
import { makeOneOfEach } from '../../backend/test/support/one-of-each.js';
import { type ProgramResult, launchProgram } from '../../backend/test/support/run-program.js';
import type { AuditLogListView, AuditVerificationView } from '../../backend/src/audit/audit-logs.view.js';
import type { EnvironmentListView } from '../../backend/src/environments/environments.view.js';
import type {
  ExecutionListView,
  ExecutionSummaryView,
  ExecutionView,
} from '../../backend/src/executions/contract/execution.view.js';
import type { HostResultListView, OutputView } from '../../backend/src/executions/contract/results.view.js';
import type { ServerListView } from '../../backend/src/inventory/servers.view.js';
import type { PlanListView } from '../../backend/src/plans/plans.view.js';

const RUNS = 300;
const YEAR_MS = 365 * 86_400_000;

/** The random values depend on the hour and weekday of this time. */
const UNTIL = '2026-11-20T15:30:00.000Z';

let runward: Installation;
let neighbour: TestMember;
let dataDir: string;
let seeded: ProgramResult;
let api: ApiClient;
let cookie: string;
let runs: ExecutionSummaryView[];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'runward-seed-'));
  runward = await startInstallation();
  neighbour = await runward.tenant('neighbour');
  await makeOneOfEach(neighbour, 'own');
  seeded = await seed('--runs', String(RUNS), '--years', '2', '--seed', '7', '--until', UNTIL);
  cookie = await signIn(seeded.output);
  api = apiClient(runward.url, { cookie });
  runs = await allRuns();
});
afterAll(async () => {
  await runward.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Runs `npm run seed -- …` while the installation is running. */
const seed = (...args: string[]) => launchProgram('seed', args, { database: runward.database, dataDir }).ended;

async function signIn(output: string): Promise<string> {
  const [, email, password] = /Sign in as (\S+) with the password, shown this once: (\S+)\n/.exec(output) ?? [];
  const answer = await runward.anonymous.post('/api/auth/login', { email, password });
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

async function allRuns(client = api): Promise<ExecutionSummaryView[]> {
  const all: ExecutionSummaryView[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: { body: ExecutionListView } = await client.get(
      `/api/executions?limit=100${cursor ? `&cursor=${cursor}` : ''}`,
    );
    all.push(...page.body.items);
    cursor = page.body.nextCursor;
  }
  return all;
}

const detail = async (id: string): Promise<ExecutionView> =>
  (await api.get<ExecutionView>(`/api/executions/${id}`)).body;
const results = async (id: string) =>
  (await api.get<HostResultListView>(`/api/executions/${id}/results?limit=200`)).body.items;
const verify = async (): Promise<AuditVerificationView> =>
  (await api.get<AuditVerificationView>('/api/audit-logs/verify')).body;
/** Returns every run that did not succeed, and some that did. */
const sample = (): ExecutionSummaryView[] =>
  runs.filter(({ status }, index) => status !== 'SUCCEEDED' || index % 8 === 0);

describe('npm run seed', () => {
  it('prints the login of the new tenant, and its progress', () => {
    expect(seeded).toMatchObject({ code: 0, errors: '' });
    expect(seeded.output).toMatch(/^Tenant "seeded" was created\. Sign in as admin@seeded\.invalid with /);
    expect(seeded.output).toMatch(/\n\d+ of 300 runs \(\d+ %\) after \d+ s, about \d+ s left\n/);
    expect(seeded.output).toMatch(/\n300 runs in \d+ s\.\n$/);
  });

  it('creates runs over years, listed newest first without loss or duplicates', () => {
    expect(runs).toHaveLength(RUNS);
    const times = runs.map(({ createdAt }) => Date.parse(createdAt));
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(new Set(runs.map(({ id }) => id)).size).toBe(RUNS);
    expect((times[0] ?? 0) - (times.at(-1) ?? 0)).toBeGreaterThan(YEAR_MS);
    expect(Math.max(...runs.map(({ finishedAt }) => Date.parse(finishedAt ?? '')))).toBeLessThan(Date.now());
  });

  it('makes most of them succeed and the rest end in each of the usual ways', () => {
    const counts = new Map<string, number>();
    for (const { status } of runs) counts.set(status, (counts.get(status) ?? 0) + 1);
    expect((counts.get('SUCCEEDED') ?? 0) / RUNS).toBeGreaterThan(0.75);
    expect([...counts.keys()]).toEqual(expect.arrayContaining(['FAILED', 'CANCELLED']));
    expect(runs.every(({ finished }) => finished)).toBe(true);
    expect(new Set(runs.map(({ execution_mode }) => execution_mode))).toContain('dry_run');
  });

  it('gives each run consistent steps, hosts and results', async () => {
    for (const { id, status } of sample()) {
      const run = await detail(id);
      const items = await results(id);
      expect(run.hosts).toHaveLength(run.hostCount);
      expect(run.statusReason === null).toBe(status === 'SUCCEEDED');
      expect(run.hosts.map((host) => host.lastStepKey)).toEqual(
        run.hosts.map((host) => items.filter(({ serverId }) => serverId === host.serverId).at(-1)?.stepKey ?? null),
      );
      for (const step of run.steps) {
        const own = items.filter(({ stepKey }) => stepKey === step.key);
        const counts: Record<string, number> = {};
        for (const each of own) counts[each.status] = (counts[each.status] ?? 0) + 1;
        expect({ id, key: step.key, counts }).toEqual({ id, key: step.key, counts: step.counts });
      }
    }
  });

  it('stores the server states that the runs found', async () => {
    const { items } = (await api.get<ServerListView>('/api/inventory/servers?sort=-checkedAt&limit=20')).body;
    for (const { id, state, stateSince, checkedAt, lastCheck } of items) {
      const run = await detail(lastCheck?.executionId ?? '');
      const own = (await results(run.id)).filter(({ serverId }) => serverId === id);
      const away = own.some(({ status }) => status === 'UNREACHABLE');
      expect([state, lastCheck?.state]).toEqual(Array(2).fill(away ? 'unreachable' : 'reachable'));
      const times = [stateSince, checkedAt, run.finishedAt].map((at) => at ?? '');
      expect(times).toEqual([...times].sort());
      expect(String(checkedAt) >= run.createdAt).toBe(true);
    }
    const sinceEarlier = items.filter(({ stateSince, checkedAt }) => stateSince !== checkedAt);
    expect(sinceEarlier.length).toBeGreaterThan(0);
  });

  it('stores output with the lines and bytes of the results', async () => {
    const printed = runs.filter(({ execution_mode }) => execution_mode !== 'dry_run').slice(0, 40);
    let lines = 0;
    for (const { id } of printed) {
      const { items } = (await api.get<OutputView>(`/api/executions/${id}/output?limit=1000`)).body;
      for (const result of await results(id)) {
        const own = items.filter(({ stepKey, serverId }) => stepKey === result.stepKey && serverId === result.serverId);
        expect(own.map(({ line }) => line)).toEqual(own.map((_, index) => index + 1));
        expect(own).toHaveLength(result.outputLines);
        const bytes = own.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0);
        expect(bytes).toBe(result.outputBytes);
        lines += own.length;
      }
    }
    expect(lines).toBeGreaterThan(40);
  });

  it('replays a run to its followers', async () => {
    const run = runs.find(({ status, execution_mode }) => status === 'SUCCEEDED' && execution_mode === 'auto');
    const { lastEventId } = await detail(run?.id ?? '');
    const client = await followEvents(`${runward.url}/api/executions/${run?.id}/stream?after=0`, {
      cookie,
      accept: 'text/event-stream',
    });
    await client.ended;
    expect(client.events.map(({ id }) => id)).toEqual(client.events.map((_, index) => index + 1));
    expect(client.events).toHaveLength(lastEventId);
    expect(client.events.at(-1)).toMatchObject({ type: 'execution.finished', data: { status: 'SUCCEEDED' } });
    const times = client.events.map(({ data }) => Date.parse(String(data.at)));
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('has a chronological audit trail with a valid chain, which can be continued', async () => {
    const verified = await verify();
    expect(verified).toMatchObject({ intact: true, fault: null });
    expect(verified.entries).toBeGreaterThan(RUNS * 2);
    const { items } = (await api.get<AuditLogListView>('/api/audit-logs?sort=at&limit=200')).body;
    expect(items[0]).toMatchObject({ action: 'tenant.create', sequence: 1 });
    const times = items.map(({ at }) => Date.parse(at));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    const [environment] = (await api.get<EnvironmentListView>('/api/environments')).body.items;
    await api.patch(`/api/environments/${environment?.id}`, { description: 'Changed after the seed.' });
    expect(await verify()).toMatchObject({ intact: true, entries: verified.entries + 1 });
  });

  it('supports all queries of the dashboard', async () => {
    const list = async (query: string) => (await api.get<ExecutionListView>(`/api/executions?${query}`)).body.items;
    expect(await list('status=PENDING&status=RUNNING&status=PAUSED&status=CANCELLING')).toEqual([]);
    expect(await list('awaiting=me')).toEqual([]);
    const failed = await list('status=FAILED&status=TIMED_OUT&status=REJECTED&limit=5');
    expect(failed.length).toBeGreaterThan(0);
    expect(await list('limit=8')).toEqual(runs.slice(0, 8));
    const { items: plans } = (await api.get<PlanListView>('/api/plans?limit=200')).body;
    const { items: servers } = (await api.get<ServerListView>('/api/inventory/servers?limit=200')).body;
    expect([plans.length, servers.length]).toEqual([8, 24]);
    expect(await list(`planId=${plans[0]?.id}&limit=200`)).toEqual(
      runs.filter(({ planId }) => planId === plans[0]?.id),
    );
  });

  it('froze the same content as a start today', async () => {
    const plans = (await api.get<PlanListView>('/api/plans?limit=200')).body.items;
    const again = runs.find(({ planId, planRevision }) =>
      plans.some((p) => p.id === planId && p.revision === planRevision),
    );
    const { planId, environmentId, digest, targets, variables } = await detail(again?.id ?? '');
    const request = { planId, environmentId, execution_mode: 'dry_run', targets, variables };
    const answer = await api.post<ExecutionView>('/api/executions', request);
    expect(answer.status).toBe(201);
    expect(answer.body.digest).toBe(digest);
  });

  it('adds to an existing tenant, and leaves its records unchanged', async () => {
    const before = await detail(runs[0]?.id ?? '');
    const more = await seed(
      '--tenant',
      'SEEDED',
      '--runs',
      '20',
      '--servers',
      '5',
      '--environments',
      '2',
      '--seed',
      '8',
    );
    expect(more).toMatchObject({ code: 0, errors: '' });
    expect(more.output).toMatch(/^Filling the tenant "seeded"\.\n/);
    expect(await allRuns()).toHaveLength(RUNS + 20 + 1);
    expect(await detail(before.id)).toEqual(before);
    const names = (await api.get<EnvironmentListView>('/api/environments?limit=200')).body.items.map(
      ({ name }) => name,
    );
    expect(names.sort()).toEqual(['production', 'production-2', 'staging', 'staging-2', 'testing']);
    expect(await verify()).toMatchObject({ intact: true });
  });

  it('invents the same history again for the same --seed and --until', async () => {
    const twin = await seed(
      '--tenant',
      'twin',
      '--runs',
      String(RUNS),
      '--years',
      '2',
      '--seed',
      '7',
      '--until',
      UNTIL,
    );
    const again = await allRuns(apiClient(runward.url, { cookie: await signIn(twin.output) }));
    const course = (of: ExecutionSummaryView[]) =>
      of.map(({ planName, status, execution_mode, hostCount }) => ({ planName, status, execution_mode, hostCount }));
    expect(course(again)).toEqual(course(runs));
  });

  it('changes only its tenant', async () => {
    const own = (await neighbour.api.get<ExecutionListView>('/api/executions?limit=200')).body.items;
    expect(own.map(({ planName }) => planName)).toEqual(['own-plan']);
    expect((await neighbour.api.get(`/api/executions/${runs[0]?.id}`)).status).toBe(404);
  });

  it('gives advice about invalid options, and creates nothing', async () => {
    const bad = [
      await seed('--runs', 'many', '--servers', '0'),
      await seed('--environments', '9', '--servers', '3'),
      await seed('--until', '2100-01-01T00:00:00Z'),
      await seed('--run', '5'),
    ];
    expect(bad.map(({ code, output }) => [code, output])).toEqual(bad.map(() => [1, '']));
    expect(bad[0]?.errors).toBe(
      '--runs many: give a whole number from 1 to 2,000,000, such as 10000.\n--servers 0: give a whole number from 1 to 5,000, such as 24.\n',
    );
    expect(bad[1]?.errors).toBe(
      '--servers 3: each environment needs one, so give at least 9, or fewer --environments.\n',
    );
    expect(bad[2]?.errors).toBe(
      '--until 2100-01-01T00:00:00Z: give a time that is over, with its zone, such as 2026-01-01T00:00:00Z.\n',
    );
    expect(bad[3]?.errors).toMatch(/^error: unknown option '--run'\n\(Did you mean --runs\?\)\n\nUsage: npm run seed/);
    expect(await allRuns()).toHaveLength(RUNS + 20 + 1);
  });
});
