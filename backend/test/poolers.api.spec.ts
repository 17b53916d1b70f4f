import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '../src/common/database/boot/migrate.js';
import { apiClient } from './support/api-client.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { eventually } from './support/eventually.js';
import { type Pooler, startPooler } from './support/pooler.js';
import { PROCESS_ADMIN, type RunwardProcess, startRunwardProcess } from './support/runward-process.js';

let database: TestDatabase;
let folder: string;
let pooler: Pooler | null = null;
let runward: RunwardProcess | null = null;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'runward-pooled-'));
});
afterEach(async () => {
  await runward?.end('SIGKILL');
  await pooler?.stop();
  [runward, pooler] = [null, null];
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function start(mode: 'session' | 'transaction'): Promise<RunwardProcess> {
  pooler = await startPooler(mode, [database.url, database.appUrl]);
  runward = await startRunwardProcess(pooler.through(database.url), folder, {
    RUNWARD_DATABASE_APP_URL: pooler.through(database.appUrl),
  });
  return runward;
}

describe('a PgBouncer with default settings', () => {
  it('prevents the start in transaction mode, with one line and without a remaining lock', async () => {
    const refusal = await start('transaction').catch((error: Error) => error.message);
    expect(refusal).toMatch(
      /^Runward ended: DATABASE_URL postgres:\S+: A pooler in transaction mode is between Runward and the database\. .* Set the pooler to session mode [^\n]*\n$/,
    );
    // The pooler still holds the connections.
    await expect(migrateDatabase(database.url, null, null, () => undefined, 100)).resolves.toBeUndefined();
  });

  it('in session mode serves the API, the worker and their notifications', async () => {
    const { url } = await start('session');
    const login = await apiClient(url).post('/api/auth/login', PROCESS_ADMIN);
    expect(login.status).toBe(200);
    await eventually('a worker lives', async () => {
      const { body } = await apiClient(url).get<{ workers?: number }>('/api/health/ready');
      return body.workers === 1;
    });
    expect((await runward!.end('SIGTERM')).code).toBe(0);
  });
});
