import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type ApiClient, apiClient } from '../../../test/support/api-client.js';
import { type DatabaseGate, openGate } from '../../../test/support/database-gate.js';
import { type Installation, PASSWORD, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { withLockedRows } from '../../../test/support/row-lock.js';
import { createApiApp } from '../../api-app.js';

let runward: Installation;
let admin: TestMember;
let gate: DatabaseGate;
let app: NestExpressApplication;
let api: ApiClient;
let anonymous: ApiClient;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  gate = await openGate(runward.database.appUrl);
  app = await createApiApp({ ...runward.runtime, databaseUrl: gate.url }, ['fatal']);
  await app.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  api = apiClient(url, { token: admin.token });
  anonymous = apiClient(url);
});
afterAll(async () => {
  await app.close();
  await gate.cut();
  await runward.close();
});

/** Polls until the status is 200, like a load balancer. Returns the earlier statuses. */
async function waitUntilHealthy(): Promise<number[]> {
  const statuses: number[] = [];
  const deadline = Date.now() + 15_000;
  while (statuses.at(-1) !== 200 && Date.now() < deadline) {
    statuses.push((await api.get('/api/environments')).status);
  }
  return statuses;
}

describe('while the database is unavailable', () => {
  beforeAll(async () => {
    expect((await api.get('/api/environments')).status).toBe(200);
    await gate.cut();
  });
  afterAll(() => gate.restore());

  it('requests that need it get 503 with a retry time and no internals', async () => {
    const credentials = { email: admin.email, password: PASSWORD };
    const answers = [
      await api.get<object>('/api/environments'),
      await api.get<object>('/api/auth/me'),
      await api.post<object>('/api/environments', { name: 'lost' }),
      await api.post<object>('/api/environments', { name: 'lost' }, { 'idempotency-key': 'lost' }),
      await anonymous.post<object>('/api/auth/login', credentials),
      await anonymous.get<object>('/api/health/ready'),
    ];
    for (const { status, headers, body, text } of answers) {
      expect({ status, body }).toMatchObject({ status: 503, body: { code: 'database_unavailable', status: 503 } });
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
      expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(text).not.toMatch(/ECONN|127\.0\.0\.1|postgres|select|stack|terminated/i);
    }
  });

  it('the process is alive, and unauthenticated callers still get 401', async () => {
    expect((await anonymous.get('/api/health/live')).status).toBe(200);
    expect((await anonymous.get('/api/environments')).status).toBe(401);
  });
});

describe('when the database is back', () => {
  it('requests succeed without a restart', async () => {
    expect((await waitUntilHealthy()).at(-1)).toBe(200);
    expect((await anonymous.get('/api/health/ready')).status).toBe(200);
    const { items } = (await api.get<{ items: object[] }>('/api/environments?q=lost')).body;
    expect(items).toEqual([]);
  });
});

describe('when connections break', () => {
  it('running requests get 503 and change nothing, and the next ones succeed', async () => {
    const answers = await withLockedRows(
      runward.database,
      'lock table environments in access exclusive mode',
      8,
      () =>
        Promise.all(
          Array.from({ length: 8 }, (_, n) =>
            n % 2 ? api.get('/api/environments') : api.post('/api/environments', { name: `broken-${n}` }),
          ),
        ),
      () => gate.dropConnections(),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 503));
    expect((await waitUntilHealthy()).filter((status) => status !== 503)).toEqual([200]);
    expect((await api.get<{ items: object[] }>('/api/environments?q=broken')).body.items).toEqual([]);
  });

  it('requests behave the same when the server closes the connections', async () => {
    const sql =
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
    await runward.database.query(sql);
    expect((await waitUntilHealthy()).filter((status) => status !== 503)).toEqual([200]);
  });
});
