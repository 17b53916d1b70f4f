import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MeView } from '../src/auth/auth.view.js';
import type { ExecutionListView, ExecutionView } from '../src/executions/contract/execution.view.js';
import type { HostResultListView } from '../src/executions/contract/results.view.js';
import type { RotationView } from '../src/inventory/rotation/rotation.view.js';
import { type ApiClient, apiClient } from './support/api-client.js';
import { eventually } from './support/eventually.js';
import { freePort } from './support/free-port.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

let dataDir: string;
let port: number;
let demo: ChildProcess;
let admin: ApiClient;
let reviewer: ApiClient;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'runward-demo-'));
  port = await freePort();
  demo = startDemo();
  expect(await output(demo)).toContain('reviewer@demo.runward.local');
  admin = await signIn('admin@demo.runward.local', 'admin-password');
  reviewer = await signIn('reviewer@demo.runward.local', 'reviewer-password');
});
afterAll(async () => {
  await stop(demo);
  await rm(dataDir, { recursive: true, force: true });
});

function startDemo(...args: string[]): ChildProcess {
  const { DATABASE_URL: _, ...other } = process.env;
  const env = Object.fromEntries(Object.entries(other).filter(([name]) => !name.startsWith('RUNWARD_')));
  return spawn(process.execPath, [path.join(ROOT, 'scripts/demo.mjs'), ...args], {
    cwd: ROOT,
    env: { ...env, RUNWARD_DATA_DIR: dataDir, RUNWARD_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Returns the output of the demo up to its last line, or until it ends. The output must stay open. */
function output(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    child.stdout?.on('data', (data) => {
      text += String(data);
      if (text.includes('Ctrl-C ends')) resolve(text);
    });
    child.once('close', () => resolve(text));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  await ended;
}

async function signIn(email: string, file: string): Promise<ApiClient> {
  const url = `http://127.0.0.1:${port}`;
  const password = (await readFile(path.join(dataDir, file), 'utf8')).trim();
  const login = await apiClient(url).post('/api/auth/login', { email, password });
  expect(login.status).toBe(200);
  return apiClient(url, { cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] });
}

const list = async <T>(where: string): Promise<T[]> => (await admin.get<{ items: T[] }>(where)).body.items;
const named = async (where: string): Promise<string[]> =>
  (await list<{ name: string }>(`${where}?limit=200`)).map(({ name }) => name).sort();

async function runOf(key: string, api = admin): Promise<ExecutionView> {
  const found = await api.get<ExecutionListView>(`/api/executions?limit=1&label=demo%3D${key}`);
  return (await api.get<ExecutionView>(`/api/executions/${found.body.items[0]?.id}`)).body;
}

async function counts(): Promise<unknown> {
  const paths = ['plans', 'environments', 'inventory/servers', 'members', 'collections', 'schedules', 'templates'];
  const records = await Promise.all(paths.map((each) => named(`/api/${each}`)));
  return [records, (await list('/api/executions?limit=200&label=sample%3Dhistory')).length];
}

describe('the demo', () => {
  it('has two environments, eight reachable hosts and plans in collections', async () => {
    const environments = await list<{ name: string; protected: boolean }>('/api/environments');
    expect(new Map(environments.map((each) => [each.name, each.protected]))).toEqual(
      new Map([
        ['staging', false],
        ['production', true],
      ]),
    );
    const servers = await list<{ lastCheck: { state: string } | null }>('/api/inventory/servers');
    expect(servers.map(({ lastCheck }) => lastCheck?.state)).toEqual(Array(8).fill('reachable'));
    const plans = await list<{ collectionId: string | null }>('/api/plans');
    expect(plans.filter(({ collectionId }) => collectionId !== null)).toHaveLength(7);
    expect(await named('/api/schedules')).toEqual(['Nightly backup']);
    expect((await admin.get<MeView>('/api/auth/me')).body.demo).toBe(true);
  });

  it('has a run that only the second login may approve', async () => {
    const { id, digest, status, pauseReason } = await runOf('production-waiting');
    expect([status, pauseReason]).toEqual(['PAUSED', 'APPROVAL']);
    expect((await admin.post(`/api/executions/${id}/approve`, { digest })).status).toBe(403);
    expect((await runOf('production-waiting', reviewer)).awaitsYou).toBe(true);
  });

  it('has a dry run with the lines that would differ', async () => {
    const { id } = await runOf('staging-dry-run');
    const { body } = await admin.get<HostResultListView>(`/api/executions/${id}/results?stepKey=render`);
    expect(body.items).toHaveLength(3);
    for (const { diff } of body.items) expect(diff).toContain('+    client_max_body_size 32m;');
  });

  it('has a failed run with one host, which succeeds after the fix', async () => {
    const { id, status, hosts } = await runOf('staging-failed');
    expect(status).toBe('FAILED');
    expect(hosts.filter((host) => host.status === 'FAILED').map(({ name }) => name)).toEqual(['staging-web-3']);
    const [fix] = await list<{ id: string }>('/api/plans?q=Clear%20stale%20locks');
    const fixed = await start('/api/executions', { planId: fix?.id, execution_mode: 'auto' });
    expect(fixed.status).toBe('SUCCEEDED');
    const rerun = await start(`/api/executions/${id}/rerun`, { hosts: 'unfinished', snapshot: 'same' });
    expect([rerun.status, rerun.hosts.map(({ name }) => name)]).toEqual(['SUCCEEDED', ['staging-web-3']]);
  });

  it('marks all older runs as sample history, with failures that have causes', async () => {
    const before = new Date(Date.now() - 20 * 3_600_000).toISOString();
    const runs = await list<{ note: string | null; status: string }>(`/api/executions?limit=200&to=${before}`);
    expect(runs.length).toBeGreaterThan(100);
    expect(new Set(runs.map(({ note }) => note))).toEqual(new Set(['Sample history']));
    const [failed] = await list<{ id: string }>(`/api/executions?limit=1&status=FAILED&to=${before}`);
    const causes = await admin.get<{ items: { text: string }[] }>(`/api/executions/${failed?.id}/failure-causes`);
    expect(causes.body.items).toHaveLength(1);
  });

  it('rotates the SSH key on all hosts, once the waiting run is approved', async () => {
    const { id, digest } = await runOf('production-waiting');
    expect((await reviewer.post(`/api/executions/${id}/approve`, { digest })).status).toBe(200);
    const { body: run } = await admin.get<ExecutionView>(`/api/executions/${id}?wait=55&until=finished`);
    expect(run.status).toBe('SUCCEEDED');
    const [key] = await list<{ id: string }>('/api/ssh-keys');
    const begun = await admin.post<RotationView>(`/api/ssh-keys/${key?.id}/rotate`, { generate: { type: 'ed25519' } });
    expect([begun.status, begun.body]).toMatchObject([201, {}]);
    const ended = await eventually('the end of the rotation', async () => {
      const { body } = await admin.get<RotationView>(`/api/key-rotations/${begun.body.id}`);
      return body.finishedAt !== null && body;
    });
    expect(ended.counts).toMatchObject({ done: 8, failed: 0 });
  });

  it('keeps its records at a second start, and ends with the result of a run', async () => {
    const before = await counts();
    await stop(demo);
    demo = startDemo('--once');
    expect(await output(demo)).toContain('Back up databases');
    if (demo.exitCode === null) await once(demo, 'exit');
    expect(demo.exitCode).toBe(0);
    demo = startDemo();
    await output(demo);
    admin = await signIn('admin@demo.runward.local', 'admin-password');
    expect(await counts()).toEqual(before);
  });
});

async function start(where: string, body: object): Promise<ExecutionView> {
  const { body: begun } = await admin.post<ExecutionView>(where, body);
  return (await admin.get<ExecutionView>(`/api/executions/${begun.id}?wait=55&until=finished`)).body;
}
