import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export const TEMPLATE_DATABASE = 'runward_test_template';

export interface TestDatabase {
  url: string;
  appUrl: string;
  /** Runs SQL as the owner. Row-level security applies unless the owner is a superuser. */
  query<R>(text: string, values?: unknown[]): Promise<R[]>;
  drop(): Promise<void>;
}

export function urlOf(url: string, database: string): string {
  const parsed = new URL(url);
  parsed.pathname = `/${database}`;
  return parsed.toString();
}

export function appUrlOf(ownerUrl: string): string {
  const server = process.env.RUNWARD_TEST_DATABASE_APP;
  if (!server) throw new Error('The global set-up did not run.');
  return urlOf(server, new URL(ownerUrl).pathname.slice(1));
}

export const createTestDatabase = (): Promise<TestDatabase> => cloneDatabase(TEMPLATE_DATABASE);

export const createEmptyDatabase = (): Promise<TestDatabase> => cloneDatabase('template0');

/** Clones a database in use. Its sessions are ended, so processes must reconnect. */
export async function copyDatabase({ url }: TestDatabase): Promise<TestDatabase> {
  const name = new URL(url).pathname.slice(1);
  await asAdmin(
    administrator(),
    `alter database ${name} with allow_connections false`,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
  );
  try {
    return await cloneDatabase(name);
  } finally {
    await asAdmin(administrator(), `alter database ${name} with allow_connections true`);
  }
}

function administrator(): string {
  const admin = process.env.RUNWARD_TEST_DATABASE;
  if (!admin) throw new Error('The global set-up did not run.');
  return admin;
}

async function cloneDatabase(template: string): Promise<TestDatabase> {
  const admin = administrator();
  const name = `runward_test_${randomBytes(6).toString('hex')}`;
  await asAdmin(admin, `create database ${name} template ${template} strategy file_copy`);
  const url = urlOf(admin, name);
  let session: Promise<Client> | null = null;
  const signIn = async (): Promise<Client> => {
    const client = new Client({ connectionString: url });
    client.on('error', () => (session = null));
    await client.connect();
    return client;
  };
  const client = () => (session ??= signIn());
  await client();
  return {
    url,
    appUrl: appUrlOf(url),
    query: async <R>(text: string, values?: unknown[]) => (await (await client()).query(text, values)).rows as R[],
    drop: async () => {
      await (await client()).end();
      await asAdmin(admin, `drop database if exists ${name} with (force)`);
    },
  };
}

async function asAdmin(url: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
