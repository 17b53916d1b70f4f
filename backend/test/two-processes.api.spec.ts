import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ExecutionView } from '../src/executions/contract/execution.view.js';
import { type ApiClient, apiClient } from './support/api-client.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { eventually } from './support/eventually.js';
import { isAlive } from './support/processes.js';
import { PROCESS_ADMIN, type RunwardProcess, startRunwardProcess } from './support/runward-process.js';
import { type SshHosts, startSshHosts } from './support/ssh-hosts.js';

let database: TestDatabase;
let hosts: SshHosts;
let folder: string;
const both: RunwardProcess[] = [];
let apis: ApiClient[];
let environmentId: string;

const signIn = async (url: string): Promise<ApiClient> => {
  const login = await apiClient(url).post('/api/auth/login', PROCESS_ADMIN);
  expect(login.status).toBe(200);
  return apiClient(url, { cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] });
};
const create = async (api: ApiClient, where: string, body: object): Promise<string> => {
  const answer = await api.post<{ id: string }>(where, body);
  expect([where, answer.status]).toEqual([where, 201]);
  return answer.body.id;
};
const plan = (api: ApiClient, name: string, targets: string, ...commands: string[]) =>
  create(api, '/api/plans', {
    name,
    environmentId,
    targets,
    steps: commands.map((command, index) => ({ key: `step-${index + 1}`, command })),
  });
const start = (api: ApiClient, planId: string) => create(api, '/api/executions', { planId, execution_mode: 'auto' });
const settled = async (api: ApiClient, id: string) =>
  (await api.get<ExecutionView>(`/api/executions/${id}?wait=40&until=settled`)).body;
const left = async (file: string) =>
  (await readFile(path.join(folder, file), 'utf8').catch(() => '')).split('\n').filter(Boolean);
const mark = (file: string) => `echo x >> ${folder}/${file}`;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runward-two-'));
  await chmod(folder, 0o777);
  [database, hosts] = await Promise.all([
    createTestDatabase(),
    startSshHosts({ addresses: ['127.0.2.1', '127.0.2.2'] }),
  ]);
  for (const name of ['one', 'two']) both.push(await startRunwardProcess(database.url, path.join(folder, name)));
  apis = await Promise.all(both.map(({ url }) => signIn(url)));
  const [api] = apis as [ApiClient];
  const me = await api.get<{ tenant: { id: string } }>('/api/auth/me');
  // The owner of an external database is not a superuser: it sees only rows of the tenant that it sets.
  await database.query(`select set_config('app.tenant', $1, false)`, [me.body.tenant.id]);
  environmentId = await create(api, '/api/environments', { name: 'shared' });
  const sshKeyId = await create(api, '/api/ssh-keys', { name: 'key', privateKey: hosts.key.privateKey });
  const { sshd } = hosts;
  for (const [index, hostname] of sshd.addresses.entries()) {
    const hostKey = hosts.hostKey(hostname);
    const fields = { hostname, port: sshd.port, username: sshd.user, sshKeyId, environmentId, hostKey };
    await create(api, '/api/inventory/servers', { name: `host-${index + 1}`, ...fields });
  }
});
afterAll(async () => {
  await Promise.all(both.map((each) => each.end('SIGKILL')));
  await hosts?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

describe('two installations on one database', () => {
  it('share the tenant and admin that the first one created', async () => {
    const [row] = await database.query<{ tenants: number }>('select count(*)::int as tenants from tenants');
    expect(row).toEqual({ tenants: 1 });
    const me = await Promise.all(apis.map((api) => api.get<{ id: string }>('/api/auth/me')));
    expect(me[0]?.body.id).toBe(me[1]?.body.id);
  });

  it('run a plan each without conflicts, and show both runs', async () => {
    const [first, second] = apis as [ApiClient, ApiClient];
    const plans = [
      await plan(first, 'first', 'name=host-1', `${mark('first')}; sleep 1; echo from-first`, mark('first')),
      await plan(second, 'second', 'name=host-2', `${mark('second')}; sleep 1; echo from-second`, mark('second')),
    ] as [string, string];
    const ids = await Promise.all([start(first, plans[0]), start(second, plans[1])]);
    const runs = await Promise.all([settled(first, ids[0]), settled(second, ids[1])]);
    expect(runs.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    expect(await left('first')).toHaveLength(2);
    expect(await left('second')).toHaveLength(2);
    for (const api of apis) {
      const { body } = await api.get<{ items: ExecutionView[] }>('/api/executions');
      expect(body.items.map(({ id }) => id).sort()).toEqual([...ids].sort());
      for (const [index, word] of ['from-first', 'from-second'].entries()) {
        expect((await api.get(`/api/executions/${ids[index]}/output`, { accept: 'text/plain' })).text).toContain(word);
      }
    }
  });

  it('let the second process finish a run when the first one ends within 20 s, without repeating work', async () => {
    const [first, second] = apis as [ApiClient, ApiClient];
    const wait = `${mark('rolling')}; until [ -e ${folder}/go ]; do sleep 0.05; done`;
    const id = await start(second, await plan(second, 'rolling', '', wait, mark('rolling-later')));
    await eventually('both hosts have begun', async () => (await left('rolling')).length === 2);
    const [row] = await database.query<{ pid: string }>(
      `select split_part(owner, ':', 2) as pid from executions where finished_at is null`,
    );
    const owners = await Promise.all(both.map((each) => each.workers()));
    const owner = owners.findIndex((pids) => pids.includes(Number(row?.pid)));
    const [ending, remainingApi] = owner === 0 ? [both[0], second] : [both[1], first];
    const ended = ending?.end('SIGTERM');
    await writeFile(path.join(folder, 'go'), '');
    expect(await settled(remainingApi, id)).toMatchObject({ status: 'SUCCEEDED', statusReason: null });
    const { code, ms } = (await ended) ?? { code: null, ms: Infinity };
    expect(code).toBe(0);
    expect(ms).toBeLessThan(20_000);
    expect(await left('rolling')).toHaveLength(2);
    expect(await left('rolling-later')).toHaveLength(2);
    for (const pid of owners[owner] ?? []) expect(await isAlive(pid)).toBe(false);
  });

  it('end within 20 s after SIGTERM, with their workers and without warnings', async () => {
    const workers = (await Promise.all(both.map((each) => each.workers()))).flat();
    expect(workers.length).toBeGreaterThan(0);
    for (const { code, ms } of await Promise.all(both.map((each) => each.end('SIGTERM')))) {
      expect(code).toBe(0);
      expect(ms).toBeLessThan(20_000);
    }
    for (const pid of workers) expect(await isAlive(pid)).toBe(false);
    for (const each of both) expect(each.printed()).not.toMatch(/error|failed|exception/i);
  });
});
