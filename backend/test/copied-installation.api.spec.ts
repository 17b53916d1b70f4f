import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { ReadinessView } from '../src/common/health/health.view.js';
import type { InstallationView } from '../src/common/installation/installation.view.js';
import type { ExecutionView } from '../src/executions/contract/execution.view.js';
import type { ScheduleView } from '../src/schedules/schedules.view.js';
import { type ApiClient, apiClient } from './support/api-client.js';
import { eventually } from './support/eventually.js';
import { launchProgram } from './support/run-program.js';
import { PROCESS_ADMIN, type RunwardProcess, startRunwardProcess } from './support/runward-process.js';
import { type SshHosts, startSshHosts } from './support/ssh-hosts.js';

const run = promisify(execFile);
const KEY = { RUNWARD_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };

let hosts: SshHosts;
let folder: string;
const started = new Map<string, RunwardProcess>();
let runId: string;
let scheduleId: string;

const at = (name: string) => path.join(folder, name);
const copyFolder = (from: string, to: string) => run('cp', ['-a', at(from), at(to)]);

async function startIn(name: string, settings: NodeJS.ProcessEnv = {}): Promise<RunwardProcess> {
  const runward = await startRunwardProcess(null, at(name), settings);
  started.set(name, runward);
  return runward;
}

async function signIn(url: string): Promise<ApiClient> {
  const login = await apiClient(url).post('/api/auth/login', PROCESS_ADMIN);
  expect(login.status).toBe(200);
  return apiClient(url, { cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] });
}

async function create(api: ApiClient, where: string, body: object): Promise<string> {
  const answer = await api.post<{ id: string }>(where, body);
  expect([where, answer.status]).toEqual([where, 201]);
  return answer.body.id;
}

const administer = (name: string, ...args: string[]) =>
  launchProgram('admin', args, { database: { url: '', appUrl: '' }, dataDir: at(name), settings: KEY }).ended;

async function inDatabase<T>(name: string, work: (client: Client) => Promise<T>): Promise<T> {
  const [, , , port, socket] = (await readFile(at(`${name}/postgres/data/postmaster.pid`), 'utf8')).split('\n');
  const client = new Client({ host: socket, port: Number(port), user: 'postgres', database: 'runward' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const stateOf = async (url: string) => (await apiClient(url).get<InstallationView>('/api/installation')).body;
const runAt = async (api: ApiClient) => (await api.get<ExecutionView>(`/api/executions/${runId}`)).body;
const scheduleAt = async (api: ApiClient) => (await api.get<ScheduleView>(`/api/schedules/${scheduleId}`)).body;
const evidence = async () => (await readFile(at('evidence'), 'utf8')).split('\n').filter(Boolean);
const incarnationOf = (name: string) =>
  inDatabase(name, async (client) => {
    const { rows } = await client.query<{ identity: string; incarnation: string }>(
      'select identity, incarnation from installation',
    );
    return rows[0];
  });

/**
 * Starts a run whose first step waits for the file `go`, and creates a schedule that becomes due while no worker runs.
 */
beforeAll(async () => {
  hosts = await startSshHosts({ addresses: ['127.0.5.1'] });
  folder = await mkdtemp(path.join(os.tmpdir(), 'rc-'));
  await chmod(folder, 0o777);
  const begun = await startIn('original');
  const api = await signIn(begun.url);
  const environmentId = await create(api, '/api/environments', { name: 'main' });
  const sshKeyId = await create(api, '/api/ssh-keys', { name: 'key', privateKey: hosts.key.privateKey });
  const { sshd } = hosts;
  await create(api, '/api/inventory/servers', {
    ...{ name: 'host-1', hostname: sshd.addresses[0], port: sshd.port, username: sshd.user, sshKeyId, environmentId },
    hostKey: hosts.hostKey(),
  });
  const note = (word: string) => `echo ${word} >> ${at('evidence')}`;
  const plan = (caller: ApiClient, name: string, ...commands: string[]) =>
    create(caller, '/api/plans', {
      ...{ name, environmentId, targets: '', parallelSafe: true },
      steps: commands.map((command, index) => ({ key: `step-${index + 1}`, command })),
    });
  const planId = await plan(
    api,
    'two steps',
    `${note('one')}; until [ -e ${at('go')} ]; do sleep 0.05; done`,
    note('two'),
  );
  runId = await create(api, '/api/executions', { planId, execution_mode: 'auto' });
  await eventually('the first step runs', async () => (await evidence().catch(() => [])).length === 1);
  await begun.end('SIGTERM');

  const idle = await startIn('original', { RUNWARD_ROLE: 'api' });
  const caller = await signIn(idle.url);
  scheduleId = await create(caller, '/api/schedules', {
    ...{ name: 'every minute', planId: await plan(caller, 'scheduled', note('scheduled')), execution_mode: 'auto' },
    ...{ cron: '* * * * *', timeZone: 'UTC', onOverlap: 'queue', onMissed: 'once' },
  });
  await inDatabase('original', (client) => client.query('update schedules set due_at = now()'));
  await idle.end('SIGTERM');
});
afterAll(async () => {
  await Promise.all([...started.values()].map((each) => each.end('SIGKILL')));
  await hosts?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('copies of the data folder next to the original', () => {
  it('are held and start nothing, while the original finishes its run and fires its schedule once', async () => {
    await Promise.all(['copy-1', 'copy-2'].map((name) => copyFolder('original', name)));
    const [original, ...copies] = await Promise.all(['original', 'copy-1', 'copy-2'].map((name) => startIn(name)));
    const api = await signIn(original?.url ?? '');
    await writeFile(at('go'), '');
    await eventually('the original is through', async () => (await evidence()).length === 3);
    await eventually('the run has ended', async () => (await runAt(api)).status === 'SUCCEEDED');
    expect(await stateOf(original?.url ?? '')).toMatchObject({ state: 'active', reason: null });

    for (const copy of copies) {
      expect(copy.printed()).toContain('This installation is held');
      expect(copy.printed()).toContain(`the data folder ${at('original/postgres/data')}`);
      expect(await stateOf(copy.url)).toMatchObject({
        state: 'held',
        reason: {
          code: 'copied_installation',
          text: 'The data folder is a copy, or was moved to another file system.',
        },
        howToEnd: expect.stringContaining('npm run admin -- resume --as-original'),
      });
      const page = await apiClient(copy.url).get('/');
      expect(page.headers.get('runward-installation')).toBe('held; cause=copy');
      const readiness = await apiClient(copy.url).get<ReadinessView>('/api/health/ready');
      expect(readiness.body).toMatchObject({ status: 'ok', installation: 'held', workers: 0 });
      const held = await signIn(copy.url);
      expect(await runAt(held)).toMatchObject({ status: 'RUNNING', statusReason: { code: 'installation_held' } });
      const { planId, lastFire } = await scheduleAt(held);
      expect(lastFire).toBeNull();
      const refused = await held.post('/api/executions', { planId, execution_mode: 'auto' });
      expect(refused).toMatchObject({ status: 503, body: { code: 'installation_held' } });
      expect(refused.text).toContain('--as-copy');
    }
    expect(await evidence()).toEqual(expect.arrayContaining(['one', 'two', 'scheduled']));
    expect(await evidence()).toHaveLength(3);
  });

  it('become separate installations by one command, without the runs and schedules of the original', async () => {
    const copy = started.get('copy-1');
    const { planId } = await scheduleAt(await signIn(copy?.url ?? ''));
    const before = await incarnationOf('copy-1');
    const refused = await administer('copy-1', 'resume');
    expect(refused).toMatchObject({ code: 1, output: '' });
    expect(refused.errors).toContain('--as-copy');
    const resumed = await administer('copy-1', 'resume', '--as-copy');
    expect(resumed).toMatchObject({ code: 0, errors: '' });
    expect(resumed.output).toContain('acme: ended 1 open runs and disabled 1 schedules');
    expect((await incarnationOf('copy-1'))?.identity).not.toBe(before?.identity);

    const api = await signIn(copy?.url ?? '');
    expect(await runAt(api)).toMatchObject({ status: 'INTERRUPTED', statusReason: { code: 'copied_installation' } });
    expect(await scheduleAt(api)).toMatchObject({ enabled: false, lastFire: null });
    await eventually('the copy takes writes', async () => (await stateOf(copy?.url ?? '')).state === 'active');
    // The copy does not know the result of the original's command on the host. A person must resolve it before the next
    // run.
    const [unknown] = (await runAt(api)).unknownHosts;
    const resolved = await api.post(`/api/executions/${runId}/hosts/${unknown?.serverId}/resolve`, {
      ...{ stepKey: 'step-1', action: 'mark_succeeded' },
    });
    expect(resolved.status).toBe(200);
    await create(api, '/api/executions', { planId, execution_mode: 'auto' });
    await eventually('its own run has run', async () => (await evidence()).length === 4);
    await copy?.end('SIGTERM');
  });

  it('can replace the original with a higher incarnation', async () => {
    const before = await incarnationOf('copy-2');
    const resumed = await administer('copy-2', 'resume', '--as-original');
    expect(resumed).toMatchObject({ code: 0, errors: '' });
    const after = await incarnationOf('copy-2');
    expect(after?.identity).toBe(before?.identity);
    expect(Number(after?.incarnation)).toBeGreaterThan(Number(before?.incarnation));
    await eventually('it acts', async () => (await stateOf(started.get('copy-2')?.url ?? '')).state === 'active');
    // The copy continues the run, whose commands have ended on the host, and repeats none of them.
    const api = await signIn(started.get('copy-2')?.url ?? '');
    await eventually('its run has ended', async () => (await runAt(api)).finished);
    expect(await runAt(api)).toMatchObject({ status: 'INTERRUPTED' });
    expect((await evidence()).filter((word) => word === 'two')).toHaveLength(1);
    await started.get('copy-2')?.end('SIGTERM');
  });
});

describe('the original', () => {
  it('stays active after its folder was renamed and after a backup was restored in its path', async () => {
    await started.get('original')?.end('SIGTERM');
    await rename(at('original'), at('renamed'));
    const moved = await startIn('renamed');
    expect(moved.printed()).toContain(`The data folder was moved from ${at('original/postgres/data')}`);
    expect(await stateOf(moved.url)).toMatchObject({ state: 'active' });
    const before = await incarnationOf('renamed');
    await moved.end('SIGTERM');

    await copyFolder('renamed', 'backup');
    await rm(at('renamed'), { recursive: true });
    await copyFolder('backup', 'renamed');
    const restored = await startIn('renamed');
    expect(await stateOf(restored.url)).toMatchObject({ state: 'active' });
    const after = await incarnationOf('renamed');
    expect(after?.identity).toBe(before?.identity);
    expect(Number(after?.incarnation)).toBeGreaterThan(Number(before?.incarnation));

    // The second copy is not the original: this machine has recorded the folder of the first one.
    await rename(at('backup'), at('original'));
    const second = await startIn('original');
    expect(await stateOf(second.url)).toMatchObject({ state: 'held', reason: { code: 'copied_installation' } });
    await Promise.all([restored.end('SIGTERM'), second.end('SIGTERM')]);
  });
});
