import { open, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Client } from 'pg';
import { createApiApp } from '../src/api-app.js';
import { migrateDatabase } from '../src/common/database/boot/migrate.js';
import { connectToDatabase } from '../src/common/database/boot/reach-database.js';
import { toParsableUrl } from '../src/common/network/database-hosts.js';
import type { ReadinessView } from '../src/common/health/health.view.js';
import type { Runtime } from '../src/common/settings/runtime.js';
import { readSettings } from '../src/common/settings/settings.js';
import { TenantCreation } from '../src/tenancy/create-tenant.js';
import { type Answer, type ApiClient, apiClient } from './support/api-client.js';
import { eventually } from './support/eventually.js';
import { PASSWORD } from './support/installation.js';
import { TEST_MASTER_KEY } from './support/master-key.js';
import { startTcpPostgres, type TcpPostgres } from './support/tcp-postgres.js';

const SECRET = 'secret-of-app';
const LOOPBACK = '127.0.0.0/8';

let postgres: TcpPostgres;
let owner: Client;
let app: NestExpressApplication;
let runtime: Runtime;
let api: ApiClient;
let anonymous: ApiClient;

const address = ({ user = 'app', password = SECRET, database = 'runward', search = 'sslmode=disable' } = {}) =>
  `postgres://${user}:${password}@${postgres.host}:5432/${database}?${search}`;
const cut = () => owner.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'`);
const codeOf = ({ status, body }: Answer<{ code?: string }>): string => `${status} ${body?.code ?? ''}`.trim();
const ready = () => anonymous.get<ReadinessView & { code?: string }>('/api/health/ready');

beforeAll(async () => {
  postgres = await startTcpPostgres([
    `hostssl all only_tls ${LOOPBACK} scram-sha-256`,
    `host all app ${LOOPBACK} scram-sha-256`,
    `host all standby ${LOOPBACK} trust`,
  ]);
  owner = new Client({ connectionString: postgres.server.url });
  await owner.connect();
  await owner.query('alter system set ssl = on');
  await owner.query('select pg_reload_conf()');
  await eventually(
    'TLS is on',
    async () => (await owner.query(`select 1 where current_setting('ssl') = 'on'`)).rowCount,
  );
  await owner.query(
    `create role app login password '${SECRET}'; create role only_tls login password '${SECRET}';
     create role standby login; alter role standby set default_transaction_read_only = on`,
  );
  await migrateDatabase(postgres.server.url, TEST_MASTER_KEY.id, 'app');
  runtime = {
    settings: readSettings({ RUNWARD_RATE_LIMIT_PER_MINUTE: '1000000', RUNWARD_MIN_FREE_DISK_MIB: '0' }),
    databaseUrl: address(),
    databaseLogin: 'own',
    databaseFolder: path.dirname(postgres.server.logFile),
    masterKey: TEST_MASTER_KEY,
    processName: 'test',
  };
  app = await createApiApp(runtime, ['fatal']);
  await app.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  anonymous = apiClient(url);
  const admin = { adminEmail: 'admin@example.test', adminName: 'Admin', adminPassword: PASSWORD };
  await app.get(TenantCreation).create({ name: 'acme', ...admin });
  const login = await anonymous.post('/api/auth/login', { email: admin.adminEmail, password: PASSWORD });
  api = apiClient(url, { cookie: login.headers.get('set-cookie')!.split(';')[0]! });
});
afterAll(async () => {
  await app?.close();
  await owner?.end();
  await postgres?.stop();
});

/** Causes tested at start and at run time, each with SQL that creates the cause and SQL that removes it. */
const CAUSES: [code: string, change: string, undo: string, search: string][] = [
  ['database_password', `alter role app password 'another'`, `alter role app password '${SECRET}'`, 'sslmode=disable'],
  ['database_login', 'alter role app nologin', 'alter role app login', 'sslmode=disable'],
  [
    'database_connections',
    'alter role app connection limit 0',
    'alter role app connection limit -1',
    'sslmode=disable',
  ],
  [
    ...['database_read_only', 'alter role app set default_transaction_read_only = on'],
    ...['alter role app reset default_transaction_read_only', 'sslmode=disable'],
  ] as [string, string, string, string],
];

describe('a cause for an unusable database', () => {
  it.each(CAUSES)('is reported by start, readiness and requests: %s', async (code, change, undo, search) => {
    expect(codeOf(await ready())).toBe('200');
    await owner.query(change);
    await cut();
    try {
      await expect(connectToDatabase(address({ search }), 'DATABASE_URL')).rejects.toThrow(
        /^DATABASE_URL postgres:[^\n]+$/,
      );
      await expect(connectToDatabase(address({ search }), 'DATABASE_URL')).rejects.not.toThrow(SECRET);
      await eventually(`readiness says ${code}`, async () => codeOf(await ready()) === `503 ${code}`);
      const made = await api.post<{ code?: string }>('/api/environments', { name: code });
      expect(codeOf(made)).toBe(`503 ${code}`);
    } finally {
      await owner.query(undo);
      await cut();
    }
    await eventually(
      'a change is made',
      async () => (await api.post('/api/environments', { name: `after ${code}` })).status === 201,
    );
  });

  it.each([
    ['The database refused the password', () => address({ password: 'wrong' })],
    ['The server has no database of this name', () => address({ database: 'other' })],
    ['The database refuses this login without TLS', () => address({ user: 'only_tls' })],
    ['The certificate of the database is not trusted', () => address({ search: 'sslmode=verify-full' })],
    ['The database does not answer', () => address().replace(':5432', ':1')],
    ['The host name of the database has no IP address', () => address().replace(postgres.host, 'nowhere.invalid')],
    ['The database is a read-only standby', () => address({ user: 'standby' })],
  ])('prevents the start, with one line and without the password: %s', async (words, url) => {
    const refusal = await connectToDatabase(url(), 'DATABASE_URL').catch((error: Error) => error.message);
    expect(refusal).toMatch(new RegExp(`^DATABASE_URL postgres://[^\\n]*: ${words}[^\\n]*$`));
    expect(refusal).not.toMatch(new RegExp(`${SECRET}|wrong`));
  });

  it('is reported as missing TLS if the address requires it', async () => {
    await owner.query('alter system set ssl = off');
    await owner.query('select pg_reload_conf()');
    const url = address({ search: 'sslmode=no-verify' });
    await eventually('the server is without TLS', async () => {
      const refusal = await connectToDatabase(url, 'DATABASE_URL').catch((error: Error) => error.message);
      return refusal.includes('The address of the database requires TLS, but the server does not support it.');
    });
  });
});

describe('an address with several hosts', () => {
  it('connects to the host that is reachable and writable, also for pooled connections', async () => {
    const several = address({ search: 'sslmode=disable&target_session_attrs=read-write' }).replace(
      `@${postgres.host}:5432`,
      `@127.0.0.1:1,${postgres.host}:5432`,
    );
    const url = await connectToDatabase(toParsableUrl(several), 'DATABASE_URL');
    expect(new URL(url).host).toBe(`${postgres.host}:5432`);
    const other = await createApiApp({ ...runtime, databaseUrl: toParsableUrl(several) }, ['fatal']);
    await expect(other.init()).resolves.toBeDefined();
    await other.close();
  });

  it('is refused if all reachable hosts are read-only', async () => {
    const several = address({ user: 'standby' }).replace('@', '@127.0.0.1:1,');
    await expect(connectToDatabase(toParsableUrl(several), 'DATABASE_URL')).rejects.toThrow(/read-only standby/);
  });
});

describe('a disk with little free space', () => {
  const filler = () => path.join(postgres.folder, 'filler');
  afterEach(async () => {
    runtime.settings = { ...runtime.settings, minFreeDiskMib: 0 };
    await rm(filler(), { force: true });
  });

  it('is reported by readiness and refuses new runs below the minimum', async () => {
    const spaceIs = (state: string) =>
      eventually(`the space is ${state}`, async () => (await ready()).body.diskSpace === state);
    await spaceIs('ok');
    runtime.settings = { ...runtime.settings, minFreeDiskMib: 1_000_000_000 };
    await spaceIs('too_low');
    const id = '0192d3a0-0000-7000-8000-000000000000';
    expect(codeOf(await api.post<{ code?: string }>('/api/executions', { planId: id, execution_mode: 'auto' }))).toBe(
      '503 disk_space_low',
    );
    expect((await api.post('/api/environments', { name: 'still saved' })).status).toBe(201);
  });

  it('is reported by requests and readiness when full, and recovers when space is freed', async () => {
    if (postgres.onOwnDisk) await fill(filler());
    else await owner.query(FULL_DISK_FUNCTION);
    const save = (name: string) => api.post<{ code?: string }>('/api/scripts', { name, content: noise(200_000) });
    const answers: string[] = [];
    for (let n = 0; n < 40 && answers.at(-1) !== '503 database_full'; n += 1)
      answers.push(codeOf(await save(`full-${n}`)));
    expect(answers.at(-1)).toBe('503 database_full');
    expect(codeOf(await ready())).toBe('503 database_full');
    expect((await api.get('/api/environments')).status).toBe(200);
    await rm(filler(), { force: true });
    if (!postgres.onOwnDisk) await owner.query('drop function full_disk cascade');
    expect(codeOf(await save('freed'))).toBe('201');
    expect(codeOf(await ready())).toBe('200');
  });
});

/** Raises the error of a full disk. Used if the test cannot mount a small disk. */
const FULL_DISK_FUNCTION = `create function full_disk() returns trigger language plpgsql as
  'begin raise exception using errcode = ''disk_full'', message = ''could not extend file''; end';
  create trigger full_disk before insert on script_revisions for each row execute function full_disk()`;

async function fill(file: string): Promise<void> {
  const handle = await open(file, 'w');
  try {
    for (const size of [1024 * 1024, 4096]) {
      const block = Buffer.alloc(size);
      while (
        await handle.write(block).then(
          ({ bytesWritten }) => bytesWritten === size,
          () => false,
        )
      );
    }
  } finally {
    await handle.close();
  }
}

const noise = (characters: number): string => {
  let text = '#!/bin/sh\n# ';
  for (let seed = characters; text.length < characters; seed += 1) text += Math.sin(seed).toString(36).slice(3);
  return text;
};
