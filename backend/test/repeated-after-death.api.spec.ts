import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ExecutionView } from '../src/executions/contract/execution.view.js';
import { type ApiClient, apiClient } from './support/api-client.js';
import { type CommandLine, commandLine } from './support/command-line.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { eventually } from './support/eventually.js';
import { PROCESS_ADMIN, type RunwardProcess, startRunwardProcess } from './support/runward-process.js';
import { openServiceGate, type ServiceGate } from './support/service-gate.js';

/**
 * Moments of a start at which the API is killed. A lock for which the API waits makes each moment certain; null = as
 * soon as the run is visible. Each moment has two starts: its caller repeats one; the command line retries the other
 * automatically. A gate in front of the API holds back the last response.
 */
const KILL_MOMENTS: Record<string, string | null> = {
  'before its plan was read': 'lock table plans in access exclusive mode',
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
let gate: ServiceGate;
let cli: CommandLine;
let runs = 0;

const api = (): ApiClient => apiClient(runward.url, { cookie });
const create = async (where: string, body: object): Promise<string> => {
  const answer = await api().post<{ id: string }>(where, body);
  expect([where, answer.status]).toEqual([where, 201]);
  return answer.body.id;
};
const boot = async (): Promise<void> => {
  // No worker runs, so the runs keep their initial state.
  runward = await startRunwardProcess(database.url, folder, { RUNWARD_ROLE: 'api' });
  gate.release();
  await gate.forwardTo(runward.url);
};
const asTenant = () => database.query(`select set_config('app.tenant', $1, false)`, [tenantId]);
const stored = async () => (await database.query<{ id: string }>('select id from executions')).map(({ id }) => id);

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runward-repeat-'));
  database = await createTestDatabase();
  gate = await openServiceGate();
  await boot();
  const login = await apiClient(runward.url).post('/api/auth/login', PROCESS_ADMIN);
  cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  tenantId = (await api().get<{ tenant: { id: string } }>('/api/auth/me')).body.tenant.id;
  await asTenant();
  const environmentId = await create('/api/environments', { name: 'one' });
  const sshKeyId = await create('/api/ssh-keys', { name: 'key', generate: { type: 'ed25519' } });
  const server = { name: 'a', hostname: 'a.invalid', username: 'deploy', sshKeyId, environmentId };
  await create('/api/inventory/servers', server);
  await create('/api/inventory/servers', { ...server, name: 'b', hostname: 'b.invalid', tags: { by: 'cli' } });
  // The hosts are separate, so that the two starts of a moment do not conflict.
  const plan = { environmentId, parallelSafe: true, steps: [{ key: 'one', command: 'true' }] };
  planId = await create('/api/plans', { ...plan, name: 'deploy', targets: '!by' });
  await create('/api/plans', { ...plan, name: 'deploy by command', targets: 'by=cli' });
  const { token } = (await api().post<{ token: string }>('/api/tokens', { name: 'cli' })).body;
  cli = await commandLine({ RUNWARD_URL: gate.url, RUNWARD_TOKEN: token });
});
afterAll(async () => {
  await cli.close();
  await gate.close();
  await runward.end('SIGKILL');
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Returns the number of sessions that wait for a lock. Must not run in a transaction, where the view would not be
 * updated.
 */
const waitingForLock = async (): Promise<number> => {
  await database.query('select pg_stat_clear_snapshot()');
  const [row] = await database.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return row?.count ?? 0;
};

it.each(Object.keys(KILL_MOMENTS))(
  'a start whose API is killed %s is repeated under its key to one run',
  async (moment) => {
    const lock = KILL_MOMENTS[moment];
    // With `onOverlap: queue`, one start would wait in the queue if necessary.
    const waits = moment === 'at the end of its change' ? { onOverlap: 'queue' } : {};
    const body = { planId, execution_mode: 'auto', note: moment, ...waits };
    const headers = { 'idempotency-key': moment.replaceAll(' ', '-') };
    await database.query(`begin; ${lock ?? 'lock table executions in share mode'}`);
    const lost = api()
      .post<ExecutionView>('/api/executions', body, headers)
      .catch(() => null);
    const waiting = cli.launch(['run', 'start', 'deploy by command', '--note', moment, '--json', '--retry-for', '3m']);
    await eventually('both starts wait for the lock', async () => (await waitingForLock()) >= 2);
    if (!lock) {
      gate.withholdAnswers();
      await database.query('commit');
      await eventually('both runs are committed', async () => (await stored()).length === runs + 2);
    }
    await runward.end('SIGKILL');
    gate.cut();
    if (lock) await database.query('rollback');
    await lost;
    await boot();

    const again = await api().post<ExecutionView>('/api/executions', body, headers);
    expect([again.status, again.body.note]).toEqual([201, moment]);
    const third = await api().post<ExecutionView>('/api/executions', body, headers);
    expect([third.headers.get('idempotency-replayed'), third.body]).toEqual(['true', again.body]);
    const { code, out, err } = await waiting.ended;
    expect([code, err]).toEqual([0, '']);
    const answered = JSON.parse(out) as ExecutionView;
    expect([answered.note, answered.startedVia]).toEqual([moment, 'token']);
    const all = await stored();
    runs += 2;
    expect(all).toHaveLength(runs);
    expect(all).toEqual(expect.arrayContaining([again.body.id, answered.id]));
    for (const id of [again.body.id, answered.id])
      expect((await api().post(`/api/executions/${id}/cancel`, {})).status).toBe(200);
  },
);
