import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** The migrated database that test files clone. */
export const TEMPLATE_DATABASE = 'runward_test_template';

/** A database of a test file's own. */
export interface TestDatabase {
  /** Connection URL of the owner. */
  url: string;
  /** Connection URL of the application, whose login owns nothing. */
  appUrl: string;
  /** Runs SQL as the owner, beside the application; row-level security applies to the owner too unless it is a superuser. */
  query<R>(text: string, values?: unknown[]): Promise<R[]>;
  drop(): Promise<void>;
}

/** The same server, another database. */
export function urlOf(url: string, database: string): string {
  const parsed = new URL(url);
  parsed.pathname = `/${database}`;
  return parsed.toString();
}

/** The same database as the application signs in to it. */
export function appUrlOf(ownerUrl: string): string {
  const server = process.env.RUNWARD_TEST_DATABASE_APP;
  if (!server) throw new Error('The global set-up did not run.');
  return urlOf(server, new URL(ownerUrl).pathname.slice(1));
}

/** Clones the template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const admin = process.env.RUNWARD_TEST_DATABASE;
  if (!admin) throw new Error('The global set-up did not run.');
  const name = `runward_test_${randomBytes(6).toString('hex')}`;
  await asAdmin(admin, `create database ${name} template ${TEMPLATE_DATABASE} strategy file_copy`);
  const url = urlOf(admin, name);
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return {
    url,
    appUrl: appUrlOf(url),
    query: async <R>(text: string, values?: unknown[]) => (await client.query(text, values)).rows as R[],
    drop: async () => {
      await client.end();
      await asAdmin(admin, `drop database if exists ${name} with (force)`);
    },
  };
}

async function asAdmin(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
