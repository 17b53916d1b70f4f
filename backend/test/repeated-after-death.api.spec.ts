import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ExecutionView } from '../src/executions/contract/execution.view.js';
import { type ApiClient, apiClient } from './support/api-client.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { eventually } from './support/eventually.js';
import { PROCESS_ADMIN, type RunwardProcess, startRunwardProcess } from './support/runward-process.js';

/**
 * Moments of a start at which the API is killed, each made certain by a lock that it waits for; null: as soon as the
 * run can be seen.
 */
const MOMENTS: Record<string, string | null> = {
  'before its change began': 'lock table idempotency_keys in access exclusive mode',
  'in the middle of its change': 'lock table guard_keys in access exclusive mode',
  'at the end of its change': 'lock table audit_entries in access exclusive mode',
  'when it was committed': null,
};

let database: TestDatabase;
let folder: string;
let runward: RunwardProcess;
let cookie: string;
let tenantId: string;
let planId: string;
let runs = 0;

const api = (): ApiClient => apiClient(runward.url, { cookie });
const create = async (where: string, body: object): Promise<string> => {
  const answer = await api().post<{ id: string }>(where, body);
  expect([where, answer.status]).toEqual([where, 201]);
  return answer.body.id;
};
const boot = async (): Promise<void> => {
  // Without a worker: the runs stay as they were accepted.
  runward = await startRunwardProcess(database.url, folder, { RUNWARD_ROLE: 'api' });
};
const asTenant = () => database.query(`select set_config('app.tenant', $1, false)`, [tenantId]);
const stored = async () => (await database.query<{ id: string }>('select id from executions')).map(({ id }) => id);

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runward-repeat-'));
  database = await createTestDatabase();
  await boot();
  const login = await apiClient(runward.url).post('/api/auth/login', PROCESS_ADMIN);
  cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  tenantId = (await api().get<{ tenant: { id: string } }>('/api/auth/me')).body.tenant.id;
  await asTenant();
  const environmentId = await create('/api/environments', { name: 'one' });
  const sshKeyId = await create('/api/ssh-keys', { name: 'key', generate: { type: 'ed25519' } });
  const server = { name: 'a', hostname: 'a.invalid', username: 'deploy', sshKeyId, environmentId };
  await create('/api/inventory/servers', server);
  planId = await create('/api/plans', { name: 'deploy', environmentId, steps: [{ key: 'one', command: 'true' }] });
});
afterAll(async () => {
  await runward.end('SIGKILL');
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

it.each(Object.keys(MOMENTS))('a start whose API is killed %s is repeated under its key to one run', async (moment) => {
  const lock = MOMENTS[moment];
  const body = { planId, execution_mode: 'auto', note: moment };
  const headers = { 'idempotency-key': moment.replaceAll(' ', '-') };
  if (lock) await database.query(`begin; ${lock}`);
  const lost = api()
    .post<ExecutionView>('/api/executions', body, headers)
    .catch(() => null);
  if (lock) {
    await eventually('the start waits for the lock', async () => {
      // Inside of a transaction the view would show what it showed first.
      await database.query('select pg_stat_clear_snapshot()');
      const [row] = await database.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return (row?.count ?? 0) > 0;
    });
  } else {
    await eventually('the run is committed', async () => (await stored()).length > runs);
  }
  await runward.end('SIGKILL');
  if (lock) await database.query('rollback');
  await lost;
  await boot();

  const again = await api().post<ExecutionView>('/api/executions', body, headers);
  expect([again.status, again.body.note]).toEqual([201, moment]);
  const third = await api().post<ExecutionView>('/api/executions', body, headers);
  expect([third.headers.get('idempotency-replayed'), third.body]).toEqual(['true', again.body]);
  const all = await stored();
  runs += 1;
  expect(all).toHaveLength(runs);
  expect(all).toContain(again.body.id);
  expect((await api().post(`/api/executions/${again.body.id}/cancel`, {})).status).toBe(200);
});
