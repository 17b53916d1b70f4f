import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** The migrated database that test files clone. */
export const TEMPLATE_DATABASE = 'runward_test_template';

/** A database of a test file's own. */
export interface TestDatabase {
  url: string;
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

/** Clones the template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const admin = process.env.RUNWARD_TEST_DATABASE;
  if (!admin) throw new Error('The global set-up did not run.');
  const name = `runward_test_${randomBytes(6).toString('hex')}`;
  await asAdmin(admin, `create database ${name} template ${TEMPLATE_DATABASE}`);
  const url = urlOf(admin, name);
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return {
    url,
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
