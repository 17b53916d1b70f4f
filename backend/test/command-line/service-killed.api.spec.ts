import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ApiClient, apiClient } from '../support/api-client.js';
import { type CommandLine, commandLine } from '../support/command-line.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { PROCESS_ADMIN, type RunwardProcess, startRunwardProcess } from '../support/runward-process.js';
import { openServiceGate, type ServiceGate } from '../support/service-gate.js';
import { type SshHosts, startSshHosts } from '../support/ssh-hosts.js';

/** Number of lines that the plan prints while the service is killed and restarted. */
const LINES = 320;

let database: TestDatabase;
let hosts: SshHosts;
let folder: string;
let service: RunwardProcess;
let gate: ServiceGate;
let cli: CommandLine;

const launch = () => startRunwardProcess(database.url, folder);

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runward-killed-'));
  [database, hosts, gate] = await Promise.all([
    createTestDatabase(),
    startSshHosts({ addresses: ['127.0.2.1'] }),
    openServiceGate(),
  ]);
  service = await launch();
  await gate.forwardTo(service.url);
  const login = await apiClient(service.url).post('/api/auth/login', PROCESS_ADMIN);
  const api: ApiClient = apiClient(service.url, { cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] });
  const create = async (where: string, body: object) => {
    const answer = await api.post<{ id: string; token: string }>(where, body);
    expect([where, answer.status]).toEqual([where, 201]);
    return answer.body;
  };
  const { id: environmentId } = await create('/api/environments', { name: 'lab' });
  const { id: sshKeyId } = await create('/api/ssh-keys', { name: 'key', privateKey: hosts.key.privateKey });
  const { sshd } = hosts;
  const [hostname = ''] = sshd.addresses;
  const hostKey = hosts.hostKey(hostname);
  const server = { name: 'web-1', hostname, port: sshd.port, username: sshd.user, sshKeyId, environmentId, hostKey };
  await create('/api/inventory/servers', server);
  const command = `for n in $(seq ${LINES}); do echo "line $n"; sleep 0.1; done; exit 3`;
  await create('/api/plans', { name: 'counting', environmentId, steps: [{ key: 'one', command }] });
  const { token } = await create('/api/tokens', { name: 'cli' });
  cli = await commandLine({ RUNWARD_URL: gate.url, RUNWARD_TOKEN: token });
});
afterAll(async () => {
  await cli?.close();
  for (const pid of (await service?.workers()) ?? []) end(pid);
  await service?.end('SIGKILL');
  await gate?.close();
  await hosts?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process had already ended.
  }
}

it('follows a run across a kill -9 of the service: each line once and in order, with the exit code of the run', async () => {
  const following = cli.launch(['run', 'start', 'counting', '--follow']);
  const lines = () =>
    following
      .printed()
      .out.split('\n')
      .filter((line) => line.startsWith('web-1 | '));
  await eventually('some of it came', () => lines().length >= 20);
  const workers = await service.workers();
  expect(workers.length).toBeGreaterThan(0);
  await service.end('SIGKILL');
  for (const pid of workers) end(pid);
  await eventually('it says so', () => following.printed().err.includes('Trying again'));
  const seen = lines().length;
  expect(seen).toBeLessThan(LINES);
  service = await launch();
  await gate.forwardTo(service.url);
  // A worker can take over the run of a dead worker only after 20 s.
  const { code, out } = await following.ended;
  expect([code, lines()]).toEqual([1, Array.from({ length: LINES }, (_, index) => `web-1 | line ${index + 1}`)]);
  expect(out).toMatch(/First failure: web-1 in one: FAILED, exit code 3/);
}, 120_000);
