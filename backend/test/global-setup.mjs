import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { parseMasterKey } from '../dist/common/crypto/master-key.js';
import { startEmbeddedPostgres } from '../dist/common/database/embedded/embedded-postgres.js';
import { migrateDatabase } from '../dist/common/database/boot/migrate.js';

/**
 * Must equal the values in support/database.ts and support/master-key.ts. This file cannot import them, because it runs
 * outside the transform.
 */
const TEMPLATE_DATABASE = 'runward_test_template';
const MASTER_KEY = parseMasterKey(Buffer.alloc(32, 7).toString('base64'));

/**
 * Starts one PostgreSQL for all test files: that of DATABASE_URL if set, otherwise the embedded one. Each file that
 * needs a database clones the migrated template. Uses compiled code, so build before testing.
 */
export default async function globalSetup() {
  const outside = process.env.DATABASE_URL;
  if (outside) await useOutsideDatabase(outside);
  else await startOwnDatabase();
  delete process.env.DATABASE_URL;
  const admin = process.env.RUNWARD_TEST_DATABASE;
  await ask(admin, `drop database if exists ${TEMPLATE_DATABASE} with (force)`);
  await ask(admin, `create database ${TEMPLATE_DATABASE}`);
  const template = new URL(admin);
  template.pathname = `/${TEMPLATE_DATABASE}`;
  const appLogin = outside ? new URL(process.env.RUNWARD_TEST_DATABASE_APP).username : null;
  await migrateDatabase(template.toString(), MASTER_KEY.id, appLogin);
  // Some tests make the application role the owner of tables and expect an error. This needs membership of that role.
  if (outside) await ask(admin, 'grant runward_app to current_user');
}

/** Creates an application login for this test run, unless RUNWARD_DATABASE_APP_URL is set. */
async function useOutsideDatabase(url) {
  process.env.RUNWARD_TEST_DATABASE = url;
  const given = process.env.RUNWARD_DATABASE_APP_URL;
  delete process.env.RUNWARD_DATABASE_APP_URL;
  const app = new URL(given || url);
  if (!given) {
    app.username = `runward_test_${randomBytes(6).toString('hex')}`;
    app.password = randomBytes(16).toString('hex');
    await ask(url, `create role ${app.username} login password '${app.password}'`);
    globalThis.stopTestDatabase = () => ask(url, `drop role ${app.username}`);
  }
  process.env.RUNWARD_TEST_DATABASE_APP = app.toString();
}

async function ask(url, sql) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function startOwnDatabase() {
  const dataDir = await mkdtemp(join(tmpdir(), 'runward-test-'));
  const postgres = await startEmbeddedPostgres({
    dataDir,
    log: () => undefined,
    settings: { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' },
  });
  process.env.RUNWARD_TEST_DATABASE = postgres.url;
  process.env.RUNWARD_TEST_DATABASE_APP = postgres.appUrl;
  globalThis.stopTestDatabase = async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
