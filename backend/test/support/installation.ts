import { argon2Sync, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApiApp } from '../../src/api-app.js';
import type { Role } from '../../src/common/access/principal.js';
import { newId } from '../../src/common/ids.js';
import type { Runtime } from '../../src/common/settings/runtime.js';
import { readSettings } from '../../src/common/settings/settings.js';
import { Worker } from '../../src/common/queue/worker.js';
import { emailKey, TenantCreation } from '../../src/tenancy/create-tenant.js';
import { WorkerModule } from '../../src/worker.module.js';
import { type ApiClient, apiClient } from './api-client.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { TEST_MASTER_KEY } from './master-key.js';

export const PASSWORD = 'correct horse battery staple';
/** Hashed at the lowest cost: tests sign in thousands of times, and verification costs as much as hashing. */
const PASSWORD_HASH = hashAtLeastCost(PASSWORD);

export interface TestWorker {
  stop(): Promise<void>;
}

export interface TestMember {
  userId: string;
  tenantId: string;
  email: string;
  token: string;
  api: ApiClient;
}

/** A complete Runward with its own database and any number of API processes and workers. */
export interface Installation {
  database: TestDatabase;
  runtime: Runtime;
  app: NestExpressApplication;
  url: string;
  anonymous: ApiClient;
  /** @returns the admin of the new tenant */
  tenant(name?: string): Promise<TestMember>;
  member(admin: TestMember, role: Role): Promise<TestMember>;
  /** Starts another API process on the same database. @returns its URL */
  anotherApi(): Promise<string>;
  /** @param on database other than that of the installation */
  worker(settings?: Partial<Runtime['settings']>, on?: TestDatabase): Promise<TestWorker>;
  close(): Promise<void>;
}

/** Starts an installation. `settings` are environment variables, such as `{ RUNWARD_HOST_SLOTS: '5' }`. */
export async function startInstallation(
  settings: NodeJS.ProcessEnv = {},
  more: Pick<Runtime, 'poolSize'> = {},
): Promise<Installation> {
  const database = await createTestDatabase();
  const runtime: Runtime = {
    // Tests send far more requests per address and member than people do.
    settings: readSettings({ RUNWARD_RATE_LIMIT_PER_MINUTE: '1000000', ...settings }),
    databaseUrl: database.appUrl,
    databaseLogin: 'own',
    masterKey: TEST_MASTER_KEY,
    processName: `test:${process.pid}:${randomBytes(4).toString('hex')}`,
    ...more,
  };
  const apps: NestExpressApplication[] = [];
  const workers = new Set<TestWorker>();
  const startApi = async (): Promise<[NestExpressApplication, string]> => {
    const app = await createApiApp(runtime, ['error', 'fatal']);
    await app.listen(0, '127.0.0.1');
    apps.push(app);
    return [app, `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`];
  };
  const [app, url] = await startApi();
  let numbered = 0;

  const signIn = async (email: string, tenant: string): Promise<TestMember> => {
    const login = await apiClient(url).post('/api/auth/login', { email, password: PASSWORD, tenant });
    const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const session = apiClient(url, { cookie });
    const created = await session.post('/api/tokens', { name: 'test' });
    const me = login.body as { id: string; tenant: { id: string } };
    const { token } = created.body as { token: string };
    return { userId: me.id, tenantId: me.tenant.id, email, token, api: apiClient(url, { token }) };
  };

  return {
    database,
    runtime,
    app,
    url,
    anonymous: apiClient(url),
    async tenant(name) {
      numbered += 1;
      const tenant = name ?? `tenant-${numbered}`;
      const email = `admin-${numbered}@example.test`;
      await app
        .get(TenantCreation)
        .create({ name: tenant, adminEmail: email, adminName: `Admin ${numbered}`, adminPassword: PASSWORD });
      return signIn(email, tenant);
    },
    async member(admin, role) {
      numbered += 1;
      const email = `${role}-${numbered}@example.test`;
      const id = newId();
      const [tenant] = await database.query<{ name: string }>('select name from tenants where id = $1', [
        admin.tenantId,
      ]);
      await database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
      await database.query(
        `insert into users (id, tenant_id, email, name, role, password_hash) values ($1, $2, $3, $4, $5, $6)`,
        [id, admin.tenantId, email, `${role} ${numbered}`, role, PASSWORD_HASH],
      );
      await database.query(
        `insert into auth_directory (kind, key, tenant_id, record_id) values ('email', $1, $2, $3)`,
        [emailKey(email), admin.tenantId, id],
      );
      return signIn(email, tenant?.name ?? '');
    },
    async anotherApi() {
      const [, address] = await startApi();
      return address;
    },
    async worker(changed = {}, on = database) {
      const own: Runtime = {
        ...runtime,
        databaseUrl: on.appUrl,
        settings: { ...runtime.settings, ...changed },
        processName: `test:${process.pid}:${randomBytes(4).toString('hex')}`,
      };
      const context = await NestFactory.createApplicationContext(WorkerModule.for(own), {
        logger: ['error', 'fatal'],
        abortOnError: false,
      });
      const started = context.get(Worker);
      await started.start();
      const worker: TestWorker = {
        stop: async () => {
          if (!workers.delete(worker)) return;
          await started.drain();
          await context.close();
        },
      };
      workers.add(worker);
      return worker;
    },
    async close() {
      for (const worker of [...workers]) await worker.stop();
      for (const each of apps) await each.close();
      await database.drop();
    },
  };
}

function hashAtLeastCost(password: string): string {
  const nonce = randomBytes(16);
  const cost = { memory: 8, passes: 1, parallelism: 1 };
  const tag = argon2Sync('argon2id', { ...cost, nonce, message: Buffer.from(password), tagLength: 32 });
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${hash}`;
}
