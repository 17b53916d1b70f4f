import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, apiClient } from '../../test/support/api-client.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { eventually } from '../../test/support/eventually.js';
import { PROCESS_ADMIN, type RunwardProcess, startRunwardProcess } from '../../test/support/runward-process.js';

type Line = Record<string, string | number>;

let database: TestDatabase;
let folder: string;
let runward: RunwardProcess;
let api: ApiClient;
let me: { id: string; tenant: { id: string } };

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runward-log-'));
  database = await createTestDatabase();
  runward = await startRunwardProcess(database.url, folder, {
    RUNWARD_LOG_FORMAT: 'json',
    RUNWARD_REQUEST_LOG: 'all',
  });
  const login = await apiClient(runward.url).post('/api/auth/login', PROCESS_ADMIN);
  api = apiClient(runward.url, { cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] });
  me = (await api.get<typeof me>('/api/auth/me')).body;
});
afterAll(async () => {
  await runward?.end('SIGKILL');
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

const lines = () =>
  runward
    .printed()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
const lineWith = (message: RegExp, fields: Line = {}) =>
  eventually(`a line matches ${message}`, () =>
    lines().find(
      (line) =>
        message.test(String(line.message)) && Object.entries(fields).every(([name, value]) => line[name] === value),
    ),
  );
const create = async (where: string, body: object): Promise<string> => {
  const answer = await api.post<{ id: string }>(where, body);
  expect([where, answer.status]).toEqual([where, 201]);
  return answer.body.id;
};

describe('the log in JSON', () => {
  it('has a time, a level and a message in each line, also at the start', async () => {
    await lineWith(/^Runward is ready at http/);
    for (const line of lines())
      expect(line).toMatchObject({
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        level: expect.stringMatching(/^(?:info|warn|error)$/),
        message: expect.any(String),
      });
  });

  it('names request, tenant and user of a request, and neither its query string nor its body', async () => {
    const answer = await api.get('/api/environments?canary=query');
    const request = answer.headers.get('x-request-id') ?? '';
    expect(await lineWith(/^GET \/api\/environments 400 in \d+ ms$/, { request })).toMatchObject({
      ...{ level: 'info', context: 'Request', route: 'GET /api/environments', status: 400 },
      ...{ tenant: me.tenant.id, user: me.id },
    });
    await api.post('/api/environments', { name: 'canary-body' });
    await lineWith(/^POST \/api\/environments 201/);
    expect(runward.printed()).not.toContain('canary');
  });

  it('has one line at the start and one at the end of each run, with its tenant and requester', async () => {
    const environmentId = await create('/api/environments', { name: 'prod' });
    const sshKeyId = await create('/api/ssh-keys', { name: 'key', generate: { type: 'ed25519' } });
    const server = { name: 'web', hostname: '127.0.3.9', port: 9, username: 'ops', sshKeyId, environmentId };
    await create('/api/inventory/servers', server);
    const steps = [{ key: 'one', command: 'true' }];
    const planId = await create('/api/plans', { name: 'hello', environmentId, targets: 'name=web', steps });
    const run = await create('/api/executions', { planId, execution_mode: 'auto' });
    await lineWith(/ ended /, { run });
    const own = lines().filter((line) => line.context === 'Run');
    expect(own).toMatchObject([
      { run, tenant: me.tenant.id, user: me.id, plan: planId, status: 'RUNNING', level: 'info' },
      { run, tenant: me.tenant.id, user: me.id, plan: planId, status: 'FAILED', level: 'info' },
    ]);
  });

  it('has the same form while the installation is held, when workers run no application', async () => {
    await database.query(`update installation set state = 'held', cause = 'person', reason = 'Maintenance'`);
    const held = await startRunwardProcess(database.url, path.join(folder, 'held'), { RUNWARD_LOG_FORMAT: 'json' });
    try {
      const heldLines = () =>
        held
          .printed()
          .split('\n')
          .filter((line) => line !== '');
      const writers = await eventually('the process and its worker say that the installation is held', () => {
        const pids = heldLines().flatMap((line) => (/is held/.test(line) ? [(JSON.parse(line) as Line).pid] : []));
        return new Set(pids).size >= 2 && pids;
      });
      expect(writers.length).toBeGreaterThanOrEqual(2);
      for (const line of heldLines()) expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) });
    } finally {
      await held.end('SIGKILL');
      await database.query(`update installation set state = 'active', cause = null, reason = null`);
    }
  });
});
