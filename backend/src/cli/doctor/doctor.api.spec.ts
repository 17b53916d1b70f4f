import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation } from '../../../test/support/installation.js';
import { freePort } from '../../../test/support/free-port.js';
import { startMailServer } from '../../../test/support/mail-server.js';
import { launchProgram } from '../../../test/support/run-program.js';
import { startWorkerProcess, type WorkerProcess } from '../../../test/support/worker-process.js';
import { PRODUCT_VERSION } from '../../common/product-version.js';
import type { InstallationStatus } from './read-status.js';
import type { CheckReport } from './run-checks.js';

let runward: Installation;
let worker: WorkerProcess;
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'runward-doctor-'));
  runward = await startInstallation();
  worker = await startWorkerProcess(runward, { RUNWARD_RUN_SLOTS: '3' });
});
afterAll(async () => {
  await worker?.end('SIGKILL');
  await runward?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const runAdmin = async (args: string[], settings: NodeJS.ProcessEnv = {}, database = runward.database) =>
  launchProgram('admin', args, {
    database,
    dataDir,
    settings: { RUNWARD_PORT: new URL(runward.url).port, ...settings },
  }).ended;
const doctor = async (settings: NodeJS.ProcessEnv = {}, database = runward.database) => {
  const { code, output, errors } = await runAdmin(['doctor', '--json'], settings, database);
  expect(errors).toBe('');
  const { checks } = JSON.parse(output) as { checks: CheckReport[] };
  return { code, output, of: (id: string) => checks.find((check) => check.id === id), checks };
};
const unreachable = async () => {
  const url = `postgres://runward:planted-secret@127.0.0.1:${await freePort()}/runward`;
  return { ...runward.database, url, appUrl: url };
};

describe('npm run admin -- status', () => {
  it('shows version, state, and each worker with version and slots', async () => {
    const { code, output } = await runAdmin(['status', '--json']);
    const status = JSON.parse(output) as InstallationStatus;
    expect([code, status.version]).toEqual([0, PRODUCT_VERSION]);
    expect(status.database).toMatchObject({
      installation: { state: 'active' },
      workers: [{ version: PRODUCT_VERSION, runSlots: 3 }],
      waitingRuns: 0,
      latestBackup: null,
    });
    const text = await runAdmin(['status']);
    expect(text.output).toContain('Latest backup: no backup recorded.');
    expect(text.output).toContain('3 run slots');
  });

  it('exits with code 1 and the reason while the database is unavailable, without its password', async () => {
    const { code, output, errors } = await runAdmin(['status'], {}, await unreachable());
    expect([code, errors]).toEqual([1, '']);
    expect(output).toContain('Database: DATABASE_URL postgres://runward:***@127.0.0.1');
    expect(output).not.toContain('planted-secret');
  });
});

describe('npm run admin -- doctor', () => {
  it('finds no failure in a running installation, and recommends a backup', async () => {
    const { code, of, checks } = await doctor();
    expect(checks.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(code).toBe(0);
    expect(of('backup')).toMatchObject({ status: 'warning', text: 'No backup recorded.' });
    expect(of('port')?.text).toMatch(/^Runward answers/);
    expect(of('row_level_security')?.status).toBe('ok');
    expect(of('workers')?.text).toContain(PRODUCT_VERSION);
  });

  it('still checks the machine while the database is unavailable', async () => {
    const { code, output, of } = await doctor({}, await unreachable());
    expect(code).toBe(1);
    expect([of('database')?.status, of('clock')?.status, of('disk')?.status]).toEqual(['failed', 'failed', 'ok']);
    expect(output).not.toContain('planted-secret');
  });

  it('reports a table without row-level security', async () => {
    await runward.database.query('alter table servers no force row level security');
    try {
      const { code, of } = await doctor();
      expect([code, of('row_level_security')?.status]).toEqual([1, 'failed']);
      expect(of('row_level_security')?.text).toContain('servers');
    } finally {
      await runward.database.query('alter table servers force row level security');
    }
  });

  it('reports a table that the application may not read', async () => {
    await runward.database.query('revoke select on plans from runward_app');
    try {
      expect((await doctor()).of('roles')).toMatchObject({ status: 'failed', text: expect.stringContaining('plans') });
    } finally {
      await runward.database.query('grant select on plans to runward_app');
    }
  });

  it('reports a port that another program uses, an unknown host name, and too little disk space', async () => {
    const other = createServer((socket) => socket.end('no HTTP'));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { of } = await doctor({
      RUNWARD_PORT: String((other.address() as AddressInfo).port),
      RUNWARD_PUBLIC_URL: 'https://runward.invalid',
      RUNWARD_MIN_FREE_DISK_MIB: String(1024 * 1024),
    });
    other.close();
    expect([of('port')?.status, of('dns')?.status, of('disk')?.status]).toEqual(['failed', 'warning', 'failed']);
    expect(of('dns')?.text).toContain('runward.invalid');
  });

  it('signs in to the mail server, and reports a refused connection', async () => {
    const mail = await startMailServer();
    const settings = (port: number) => ({
      RUNWARD_SMTP_URL: `smtp://127.0.0.1:${port}?starttls=off`,
      RUNWARD_SMTP_FROM: 'runward@example.org',
    });
    const reached = await doctor(settings(mail.port));
    await mail.close();
    expect(reached.of('smtp')?.status).toBe('ok');
    expect((await doctor(settings(await freePort()))).of('smtp')?.status).toBe('failed');
  });

  it('reports that no worker lives', async () => {
    await worker.end('SIGTERM');
    const { code, of } = await doctor();
    expect([code, of('workers')?.status]).toEqual([1, 'failed']);
  });
});
