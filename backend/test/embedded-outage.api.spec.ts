import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ExecutionView } from '../src/executions/contract/execution.view.js';
import { findProcessesIn } from '../src/common/database/embedded/processes.js';
import { type ApiClient, apiClient } from './support/api-client.js';
import { eventually } from './support/eventually.js';
import { isAlive } from './support/processes.js';
import { PROCESS_ADMIN, type RunwardProcess, startRunwardProcess } from './support/runward-process.js';
import { type SshHosts, startSshHosts } from './support/ssh-hosts.js';

const GIVE_UP_MS = 90_000;

interface LogEntry {
  pid: number;
  message: string;
}

let hosts: SshHosts;
let folder: string;
let dataDir: string;
let runward: RunwardProcess;
let api: ApiClient;

beforeAll(async () => {
  hosts = await startSshHosts({ addresses: ['127.0.4.1'] });
});
afterAll(() => hosts?.stop());
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runward-outage-'));
  await chmod(folder, 0o777);
  dataDir = path.join(folder, 'data');
  runward = await startRunwardProcess(null, dataDir, { RUNWARD_WORKERS: '2' });
  const login = await apiClient(runward.url).post('/api/auth/login', PROCESS_ADMIN);
  api = apiClient(runward.url, { cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] });
});
afterEach(async () => {
  await runward.end('SIGKILL');
  await eventually('nothing of it is left', async () => (await databaseProcesses()).length === 0, 30_000);
  await rm(folder, { recursive: true, force: true });
});

const data = () => path.join(dataDir, 'postgres/data');
const databaseProcesses = () => findProcessesIn(data(), 'postgres');
const mainPid = async () =>
  Number((await readFile(path.join(data(), 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0]);
const isReady = async () => (await apiClient(runward.url).get('/api/health/ready')).status === 200;
const linesOf = (text: string) => text.split('\n').filter(Boolean);

async function killDatabase(): Promise<void> {
  process.kill(await mainPid(), 'SIGKILL');
}

/** Stops the database for about 10 s: its main process is killed, but another one hangs and must be ended first. */
async function killDatabaseForLong(): Promise<void> {
  const main = await mainPid();
  const [hung] = (await databaseProcesses()).filter((pid) => pid !== main);
  process.kill(hung ?? 0, 'SIGSTOP');
  process.kill(main, 'SIGKILL');
}

async function create(where: string, body: object): Promise<string> {
  const answer = await api.post<{ id: string }>(where, body);
  expect([where, answer.status]).toEqual([where, 201]);
  return answer.body.id;
}

/** Starts a run whose first step waits for the file `go`. Each command appends to a file when it starts. */
async function startRun(): Promise<string> {
  const environmentId = await create('/api/environments', { name: 'main' });
  const sshKeyId = await create('/api/ssh-keys', { name: 'key', privateKey: hosts.key.privateKey });
  const { sshd } = hosts;
  await create('/api/inventory/servers', {
    ...{ name: 'host-1', hostname: sshd.addresses[0], port: sshd.port, username: sshd.user, sshKeyId, environmentId },
    hostKey: { publicKey: `${sshd.hostKey.type} ${sshd.hostKey.publicKey}` },
  });
  const note = (step: string) => `echo ${step} >> ${folder}/started`;
  const steps = [
    `${note('one')}; for n in $(seq 400); do echo line $n; sleep 0.02; done; until [ -e ${folder}/go ]; do sleep 0.05; done; echo end-one`,
    `${note('two')}; echo end-two`,
  ].map((command, index) => ({ key: `step-${index + 1}`, command }));
  const planId = await create('/api/plans', { name: 'plan', environmentId, steps });
  const id = await create('/api/executions', { planId, execution_mode: 'auto' });
  await eventually('the first command runs', async () => (await started()).length === 1);
  return id;
}

const started = async () => linesOf(await readFile(path.join(folder, 'started'), 'utf8').catch(() => ''));

/** Waits for the end of the run. Retries while the database is unavailable. */
const ended = (id: string) =>
  eventually(
    'the run has ended',
    async () => {
      const { status, body } = await api.get<ExecutionView>(`/api/executions/${id}`);
      return status === 200 && body.finished ? body : null;
    },
    60_000,
  );

describe('a Runward process whose embedded database is killed', () => {
  it('recovers automatically, and the run continues with each command started once and complete output', async () => {
    const id = await startRun();
    for (let kills = 1; kills <= 2; kills += 1) {
      const before = await mainPid();
      await killDatabase();
      await eventually('another one runs', async () => ![before, 0].includes(await mainPid()));
      await eventually('it is ready again', isReady);
    }
    await writeFile(path.join(folder, 'go'), '');
    expect(await ended(id)).toMatchObject({ status: 'SUCCEEDED', statusReason: null });
    expect(await started()).toEqual(['one', 'two']);
    const { text } = await api.get(`/api/executions/${id}/output`, { accept: 'text/plain' });
    const numbers = [...text.matchAll(/line (\d+)$/gm)].map(([, n]) => Number(n));
    expect(numbers).toEqual(Array.from({ length: 400 }, (_, n) => n + 1));
    expect(text).toMatch(/end-one[\s\S]*end-two/);
    expect(runward.printed().match(/The embedded database ended\./g)).toHaveLength(2);
  });

  it('answers 503 with Retry-After, logs each message once, and recovers', async () => {
    const before = linesOf(runward.printed()).length;
    await killDatabaseForLong();
    const anonymous = apiClient(runward.url);
    const answers = await eventually('it is noticed everywhere', async () => {
      const all = [await anonymous.get('/api/health/ready'), await api.get('/api/environments')];
      return all.every(({ status }) => status === 503) && all;
    });
    for (const { headers } of answers) expect(headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
    expect((await anonymous.get('/api/health/live')).status).toBe(200);
    await eventually('it is ready again', isReady, 40_000);
    expect((await api.get('/api/environments')).status).toBe(200);
    const said = linesOf(runward.printed()).slice(before);
    const warnings = said.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as LogEntry);
    const texts = warnings
      .map(({ pid, message }) => `${pid} ${message}`)
      .filter((text) => !text.includes('(repeated '));
    expect(texts).not.toEqual([]);
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
    // Each of three processes logs only a few kinds of error, however long the outage lasts.
    expect(said.length).toBeLessThan(45);
    expect(said.filter((line) => /The embedded database is available again/.test(line))).toHaveLength(1);
  });

  it('ends on SIGTERM during the outage, with its workers and without leftover processes', async () => {
    const workers = await runward.workers();
    expect(workers).toHaveLength(2);
    await killDatabaseForLong();
    await eventually('it is noticed', () => /The embedded database ended\./.test(runward.printed()));
    const { ms } = await runward.end('SIGTERM');
    expect(ms).toBeLessThan(25_000);
    for (const pid of workers) expect(await isAlive(pid)).toBe(false);
    expect(await databaseProcesses()).toEqual([]);
  });

  it(
    'exits with one line and a special status after repeated crashes, without leftover processes',
    async () => {
      const workers = await runward.workers();
      let over = false;
      const code = runward.ended().finally(() => (over = true));
      const killing = (async () => {
        for (let last = 0; !over; ) {
          const pid = await mainPid();
          if (pid && pid !== last && (await isReady().catch(() => false))) process.kill((last = pid), 'SIGKILL');
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      })();
      expect(await code).toBe(1);
      await killing;
      const last = linesOf(runward.printed()).filter((line) => /so Runward ends/.test(line));
      expect(last).toHaveLength(1);
      expect(last[0]).toContain('after 5 restarts within 10 minutes');
      expect(last[0]).toContain(path.join(dataDir, 'postgres/server.log'));
      for (const pid of workers) expect(await isAlive(pid)).toBe(false);
      expect(await databaseProcesses()).toEqual([]);
    },
    GIVE_UP_MS,
  );

  it('can be restarted with the same data if it was killed together with its database', async () => {
    const id = await startRun();
    const workers = await runward.workers();
    await killDatabase();
    await runward.end('SIGKILL');
    await writeFile(path.join(folder, 'go'), '');
    runward = await startRunwardProcess(null, dataDir, { RUNWARD_WORKERS: '2' });
    const login = await apiClient(runward.url).post('/api/auth/login', PROCESS_ADMIN);
    api = apiClient(runward.url, { cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] });
    expect((await ended(id)).status).toBe('SUCCEEDED');
    expect(await started()).toEqual(['one', 'two']);
    for (const pid of workers) await eventually('the old workers end', async () => !(await isAlive(pid)), 30_000);
  });
});
