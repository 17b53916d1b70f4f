import { mkdtemp, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PRODUCT_VERSION } from '../product-version.js';
import { type ApiClient, apiClient } from '../../../test/support/api-client.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { type DatabaseGate, openGate } from '../../../test/support/database-gate.js';
import { eventually } from '../../../test/support/eventually.js';
import { freePort } from '../../../test/support/free-port.js';
import { findFaultsOfMonitoring } from '../../../test/support/monitoring-files.js';
import { PROCESS_ADMIN, type RunwardProcess, startRunwardProcess } from '../../../test/support/runward-process.js';
import { type SshHosts, startSshHosts } from '../../../test/support/ssh-hosts.js';
import type { ExecutionView } from '../../executions/contract/execution.view.js';

const TOKEN = 'a-token-of-the-monitoring-system';

let database: TestDatabase;
let gate: DatabaseGate;
let hosts: SshHosts;
let folder: string;
let runward: RunwardProcess;
let port: number;
let api: ApiClient;
const serviceAddress = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

const scrape = async (headers: Record<string, string> = {}, address = '127.0.0.1') => {
  const answer = await fetch(`http://${address}:${port}/metrics`, { headers });
  return { status: answer.status, text: await answer.text(), type: answer.headers.get('Content-Type') };
};
/** @returns value of the series whose line begins with this text and has all these labels */
const valueOf = (text: string, name: string, labels: Record<string, string> = {}): number | undefined => {
  const line = text
    .split('\n')
    .find(
      (each) =>
        each.split(/[{ ]/)[0] === name &&
        Object.entries(labels).every(([label, value]) => each.includes(`${label}="${value}"`)),
    );
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
};
const create = async (where: string, body: object): Promise<string> => {
  const answer = await api.post<{ id: string }>(where, body);
  expect([where, answer.status]).toEqual([where, 201]);
  return answer.body.id;
};

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runward-metrics-'));
  [database, hosts, port] = await Promise.all([
    createTestDatabase(),
    startSshHosts({ addresses: ['127.0.3.1'] }),
    freePort(),
  ]);
  gate = await openGate(database.appUrl);
  runward = await startRunwardProcess(database.url, folder, {
    RUNWARD_DATABASE_APP_URL: gate.url,
    RUNWARD_HEALTH_PORT: String(port),
    RUNWARD_METRICS_TOKEN: TOKEN,
    RUNWARD_HOST: '0.0.0.0',
  });
  const login = await apiClient(runward.url).post('/api/auth/login', PROCESS_ADMIN);
  api = apiClient(runward.url, { cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] });
});
afterAll(async () => {
  await runward?.end('SIGKILL');
  await gate?.cut();
  await hosts?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

describe('metrics', () => {
  it('count requests, runs, results of hosts and output of API and workers in one scrape', async () => {
    const environmentId = await create('/api/environments', { name: 'prod' });
    const sshKeyId = await create('/api/ssh-keys', { name: 'key', privateKey: hosts.key.privateKey });
    const { sshd } = hosts;
    const [hostname = ''] = sshd.addresses;
    await create('/api/inventory/servers', {
      ...{ name: 'web', hostname, port: sshd.port, username: sshd.user, sshKeyId, environmentId },
      hostKey: hosts.hostKey(hostname),
    });
    const planId = await create('/api/plans', {
      ...{ name: 'hello', environmentId, targets: 'name=web' },
      steps: [{ key: 'one', command: 'echo hello' }],
    });
    const id = await create('/api/executions', { planId, execution_mode: 'auto' });
    const run = await api.get<ExecutionView>(`/api/executions/${id}?wait=40&until=settled`);
    expect(run.body.status).toBe('SUCCEEDED');

    const { status, type, text } = await scrape();
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const [onApi, onWorker] = [{ role: 'api' }, { role: 'worker' }];
    expect(valueOf(text, 'runward_http_requests_total', { route: 'POST /api/executions', status: '2xx' })).toBe(1);
    expect(valueOf(text, 'runward_http_request_duration_seconds_count', { method: 'POST', ...onApi })).toBeGreaterThan(
      4,
    );
    expect(valueOf(text, 'runward_runs_ended_total', { status: 'SUCCEEDED', ...onWorker })).toBe(1);
    expect(valueOf(text, 'runward_run_first_command_seconds_count', onWorker)).toBe(1);
    expect(valueOf(text, 'runward_host_results_total', { status: 'SUCCEEDED', role: 'worker' })).toBe(1);
    expect(valueOf(text, 'runward_output_bytes_total', onWorker)).toBe(6);
    expect(valueOf(text, 'runward_worker_slots', { state: 'total' })).toBe(50);
    for (const role of ['api', 'worker']) {
      expect(valueOf(text, 'runward_build_info', { version: PRODUCT_VERSION, role })).toBe(1);
      expect(valueOf(text, 'nodejs_eventloop_lag_p99_seconds', { role })).toBeGreaterThan(0);
      expect(valueOf(text, 'runward_database_pool_connections', { state: 'total', role })).toBeGreaterThan(0);
    }
    expect(valueOf(text, 'runward_database_up')).toBe(1);
    expect(valueOf(text, 'runward_workers')).toBe(1);
    expect(valueOf(text, 'runward_runs', { status: 'RUNNING' })).toBe(0);
    expect(valueOf(text, 'runward_database_size_bytes')).toBeGreaterThan(1e6);
    expect(valueOf(text, 'runward_rows_outside_partitions')).toBe(0);
    for (const name of ['outbox', 'webhook', 'notification', 'schedule'])
      expect([name, valueOf(text, `runward_${name}_lag_seconds`)]).toEqual([name, 0]);
    expect(text.match(/^runward_metric_source_up\{.* 0$/gm)).toBeNull();
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length).toBeLessThan(2_000);
  });

  it('include every metric of the dashboard and the alert rules, and every rule has a runbook', async () => {
    const { text } = await scrape();
    expect(await findFaultsOfMonitoring(text)).toEqual([]);
  });

  it('need the bearer token from other machines and through proxies', async () => {
    const other = serviceAddress ?? '127.0.0.1';
    const forwarded: Record<string, string> = serviceAddress === undefined ? { 'X-Forwarded-For': '192.0.2.1' } : {};
    const status = async (headers: Record<string, string>) => (await scrape(headers, other)).status;
    expect(await status(forwarded)).toBe(401);
    expect(await status({ ...forwarded, Authorization: 'Bearer another-token-of-the-same-sort' })).toBe(401);
    expect(await status({ ...forwarded, Authorization: `Bearer ${TOKEN}` })).toBe(200);
    expect((await scrape({ 'X-Forwarded-For': '127.0.0.1' })).status).toBe(401);
  });

  it('are not on the public port, which answers with a problem instead of the dashboard', async () => {
    const answer = await fetch(`${runward.url}/metrics`, { headers: { Accept: 'text/html' } });
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
    ]);
  });

  it('have no series for paths that clients invent', async () => {
    for (const name of ['canary-one', 'canary-two']) {
      await fetch(`${runward.url}/${name}`);
      await fetch(`${runward.url}/api/${name}`);
      await fetch(`${runward.url}/api/executions/${name}`);
    }
    const { text } = await scrape();
    expect(text).not.toContain('canary');
    expect(valueOf(text, 'runward_http_requests_total', { route: 'unknown', status: '4xx' })).toBeGreaterThanOrEqual(2);
  });

  it('keep the counters of a worker that ended', async () => {
    const [pid = 0] = await runward.workers();
    process.kill(pid, 'SIGKILL');
    const text = await eventually('the next worker answers', async () => {
      const { text: scraped } = await scrape();
      const [next] = await runward.workers();
      return (
        next !== undefined &&
        next !== pid &&
        valueOf(scraped, 'runward_build_info', { role: 'worker' }) === 1 &&
        scraped
      );
    });
    expect(valueOf(text, 'runward_host_results_total', { status: 'SUCCEEDED', role: 'worker' })).toBe(1);
    expect(valueOf(text, 'runward_output_bytes_total', { role: 'worker' })).toBe(6);
  });

  it('report the process and an absent database while the database is unavailable', async () => {
    await gate.cut();
    const text = await eventually('the outage is reported', async () => {
      const { status, text: scraped } = await scrape();
      expect(status).toBe(200);
      return valueOf(scraped, 'runward_database_up') === 0 && scraped;
    });
    expect(valueOf(text, 'process_resident_memory_bytes', { role: 'api' })).toBeGreaterThan(0);
    expect(valueOf(text, 'runward_workers')).toBeUndefined();
    await gate.restore();
    await eventually('the return is reported', async () => valueOf((await scrape()).text, 'runward_database_up') === 1);
  });
});
