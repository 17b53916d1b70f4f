import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { parseMasterKey } from '../dist/common/crypto/master-key.js';
import { startEmbeddedPostgres } from '../dist/common/database/embedded-postgres.js';
import { migrateDatabase } from '../dist/common/database/migrate.js';

/** The same as in support/database.ts and support/master-key.ts, which this file, outside of the transform, can't import. */
const TEMPLATE_DATABASE = 'runward_test_template';
const MASTER_KEY = parseMasterKey(Buffer.alloc(32, 7).toString('base64'));

/**
 * One PostgreSQL for all test files: the outside one of DATABASE_URL, else the embedded one. Its migrated template is
 * cloned by each file that needs a database. Runs the built code: build before you test.
 */
export default async function globalSetup() {
  const outside = process.env.DATABASE_URL;
  if (outside) process.env.RUNWARD_TEST_DATABASE = outside;
  else await startOwn();
  delete process.env.DATABASE_URL;
  const admin = process.env.RUNWARD_TEST_DATABASE;
  const client = new Client({ connectionString: admin });
  await client.connect();
  await client.query(`drop database if exists ${TEMPLATE_DATABASE} with (force)`);
  await client.query(`create database ${TEMPLATE_DATABASE}`);
  await client.end();
  const template = new URL(admin);
  template.pathname = `/${TEMPLATE_DATABASE}`;
  await migrateDatabase(template.toString(), MASTER_KEY.id);
}

async function startOwn() {
  const dataDir = await mkdtemp(join(tmpdir(), 'runward-test-'));
  const postgres = await startEmbeddedPostgres({
    dataDir,
    log: () => undefined,
    settings: { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' },
  });
  process.env.RUNWARD_TEST_DATABASE = postgres.url;
  globalThis.stopTestDatabase = async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
