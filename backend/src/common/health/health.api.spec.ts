import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { freePort } from '../../../test/support/free-port.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { makeOneOfEach } from '../../../test/support/one-of-each.js';
import { startWorkerProcess, type WorkerProcess } from '../../../test/support/worker-process.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { ReadinessView } from './health.view.js';
import { WorkerHeartbeat } from '../queue/worker-heartbeat.js';

let runward: Installation;
let admin: TestMember;
let worker: WorkerProcess | null = null;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant();
});
afterEach(async () => {
  await worker?.end('SIGKILL');
  worker = null;
});
afterAll(() => runward.close());

const ready = async () => (await runward.anonymous.get<ReadinessView>('/api/health/ready')).body;
const expectReady = (expected: object) =>
  eventually(`readiness says ${JSON.stringify(expected)}`, async () => {
    const body = await ready();
    return Object.entries(expected).every(([name, value]) => body[name as keyof ReadinessView] === value);
  });

describe('API readiness', () => {
  it('reports how long the oldest run has waited for a worker, or null', async () => {
    expect(await ready()).toEqual({
      ...{ status: 'ok', installation: 'active', workers: 0, oldestWaitingSeconds: null, diskSpace: null },
    });
    await makeOneOfEach(admin, 'waiting');
    await runward.database.query(
      `update pgboss.job set created_on = created_on - interval '5 minutes', start_after = start_after - interval '5 minutes'
        where name = 'advance-run'`,
    );
    const state = await eventually('readiness reports the run', async () => {
      const body = await ready();
      return body.oldestWaitingSeconds !== null && body;
    });
    expect(state.workers).toBe(0);
    expect(state.oldestWaitingSeconds).toBeGreaterThanOrEqual(300);
  });

  it('counts live workers, without stopped and silent ones', async () => {
    worker = await startWorkerProcess(runward);
    await expectReady({ workers: 1, oldestWaitingSeconds: null });
    worker.signal('SIGSTOP');
    await runward.database.query(`update worker_heartbeats set seen_at = seen_at - interval '1 minute'`);
    await expectReady({ workers: 0 });
    worker.signal('SIGCONT');
    await expectReady({ workers: 1 });
    await worker.end('SIGTERM');
    await expectReady({ workers: 0 });
  });
});

describe('worker health', () => {
  it('is served on its own port, without other routes, until the worker ends', async () => {
    const port = await freePort();
    worker = await startWorkerProcess(runward, { RUNWARD_HEALTH_PORT: String(port) });
    const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method });
    expect((await ask('/api/health/live')).status).toBe(200);
    expect(await (await ask('/api/health/ready')).json()).toEqual({ status: 'ok' });
    expect((await ask('/api/health/ready', 'POST')).status).toBe(405);
    for (const path of ['/', '/api/executions', '/api/auth/login', '/api/health/ready/..'])
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
    expect((await worker.end('SIGTERM')).code).toBe(0);
    await expect(ask('/api/health/live')).rejects.toThrow();
  });

  it('stops a worker whose port is in use, with one line that names the setting', async () => {
    const port = new URL(runward.url).port;
    await expect(startWorkerProcess(runward, { RUNWARD_HEALTH_PORT: port })).rejects.toThrow(
      new RegExp(`The worker ended: Port ${port} of 127.0.0.1 is in use\\. .* RUNWARD_HEALTH_PORT`),
    );
  });

  it('is good only while the latest heartbeat is recent', async () => {
    let now = 0;
    let away = false;
    const units = {
      runWithoutTenant: () => (away ? Promise.reject(new Error('away')) : Promise.resolve()),
    } as unknown as UnitOfWork;
    const heartbeat = new WorkerHeartbeat(
      units,
      'one',
      { version: '0.0.0', runSlots: 1, hostSlots: 1 },
      undefined,
      () => now,
    );
    expect(heartbeat.isFresh).toBe(false);
    await heartbeat.start();
    expect(heartbeat.isFresh).toBe(true);
    away = true;
    now += 14_000;
    expect(heartbeat.isFresh).toBe(true);
    now += 2_000;
    expect(heartbeat.isFresh).toBe(false);
    await heartbeat.stop();
    expect(heartbeat.isFresh).toBe(false);
  });
});
