import { execFileSync } from 'node:child_process';
import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import {
  appendFile,
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { apiClient } from '../../test/support/api-client.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { eventually } from '../../test/support/eventually.js';
import { PASSWORD, type TestMember } from '../../test/support/installation.js';
import { launchProgram, type ProgramResult } from '../../test/support/run-program.js';
import { type RunLab, startRunLab } from '../../test/support/run-lab.js';
import { startRunwardProcess } from '../../test/support/runward-process.js';
import { queryAs } from '../../test/support/table-contents.js';
import { locateCluster } from '../common/database/embedded/postgres-cluster.js';
import { findRunningServer } from '../common/database/embedded/postgres-server.js';
import { startEmbeddedPostgres } from '../common/database/embedded/embedded-postgres.js';
import { TEST_MASTER_KEY } from '../../test/support/master-key.js';
import { tableKey } from './archive-format.js';
import { checkArchive, readEntries } from './archive-reader.js';
import { backUpToFile } from './backup-file.js';
import { EXCLUDED_TABLES } from './database-contents.js';
import { restoreDatabase } from './restore-database.js';

const KEY_SETTING = { RUNWARD_MASTER_KEY: TEST_MASTER_KEY.key.toString('base64') };
const EMBEDDED = { DATABASE_URL: '', RUNWARD_DATABASE_APP_URL: '', ...KEY_SETTING };
const say = () => undefined;

let lab: RunLab;
let other: TestMember;
let folder: string;
let archive: string;
let expected: Record<string, string>;
let rewritten = 0;

const admin = (args: string[], settings: NodeJS.ProcessEnv = {}, dataDir = path.join(folder, 'unused')) =>
  launchProgram('admin', args, { database: lab.runward.database, dataDir, settings });
const runAdmin = (args: string[], settings?: NodeJS.ProcessEnv, dataDir?: string): Promise<ProgramResult> =>
  admin(args, settings, dataDir).ended;
const names = async (of: string) => (await readdir(of).catch(() => [])).sort();

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runward-backup-'));
  await chmod(folder, 0o755);
  lab = await startRunLab();
  other = await lab.runward.tenant('other');
  const worker = await lab.runward.worker();
  const run = await lab.run(['seq 1 20000', 'echo "a\\tb"; printf "\\\\N\\n"; echo "Grüße 👋"']);
  expect(run.status).toBe('SUCCEEDED');
  await worker.stop();
  await lab.runward.database.query('analyze');
  archive = path.join(folder, 'backup.tar');
  expect(await runAdmin(['backup', archive])).toMatchObject({ code: 0, errors: '' });
  expected = await contents(lab.runward.database);
});
afterAll(async () => {
  await lab?.close();
  await rm(folder, { recursive: true, force: true });
});

describe('a backup', () => {
  it('contains every table of the database, except a short list with reasons', async () => {
    const { header } = await checkArchive(archive);
    const found = await lab.runward.database.query<{ name: string }>(
      `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind = 'r' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`,
    );
    const excluded = Object.keys(EXCLUDED_TABLES);
    const expected = found
      .map(({ name }) => name)
      .filter((name) => !excluded.includes(name) && !/queue_stats/.test(name));
    expect(header.tables.map(tableKey).sort()).toEqual(expected.sort());
    for (const reason of Object.values(EXCLUDED_TABLES)) expect(reason).toMatch(/\w+ \w+ \w+/);
  });

  it('names versions, installation, migrations, counts, checksums and audit heads, and contains no master key', async () => {
    const manifest = await checkArchive(archive);
    const [row] = await lab.runward.database.query<{ identity: string }>('select identity from installation');
    expect(manifest.header).toMatchObject({ format: 1, masterKeyId: TEST_MASTER_KEY.id, installation: row });
    expect(manifest.header.migrations.length).toBeGreaterThan(10);
    expect(manifest.auditHeads.map(({ tenant }) => tenant).sort()).toEqual([lab.admin.tenantId, other.tenantId].sort());
    expect(manifest.tables.find(({ table }) => table === 'public.users')?.rows).toBe(2);
    const entries: string[] = [];
    for await (const { name, content } of readEntries(archive)) {
      entries.push(name);
      expect(content.includes(TEST_MASTER_KEY.key)).toBe(false);
      expect(content.includes(TEST_MASTER_KEY.key.toString('base64'))).toBe(false);
    }
    expect(entries.slice(0, 2)).toEqual(['runward-backup.json', 'README.txt']);
    expect(entries.slice(-2)).toEqual(['manifest.json', 'sha256']);
    expect(execFileSync('tar', ['-tf', archive]).toString().trim().split('\n')).toEqual(entries);
    expect((await stat(archive)).mode & 0o777).toBe(0o600);
  });

  it('is written to standard output without any other text', async () => {
    const { child, ended } = admin(['backup', '-']);
    const file = path.join(folder, 'output.tar');
    const copy = createWriteStream(file);
    child.stdout?.pipe(copy);
    const { code, errors } = await ended;
    await new Promise((resolve) => copy.end(resolve));
    expect(code).toBe(0);
    expect(errors).toMatch(/^Backup of .*: \d+ tables, \d+ rows, \d+ bytes\.\n.*does not contain the master key/);
    expect((await checkArchive(file)).tables).toHaveLength((await checkArchive(archive)).tables.length);
  });

  it('contains the master key only for the owner of the private key', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 3072 });
    const pem = path.join(folder, 'recipient.pem');
    await writeFile(pem, publicKey.export({ type: 'spki', format: 'pem' }));
    const file = path.join(folder, 'sealed.tar');
    expect(await runAdmin(['backup', file, '--seal-key-to', pem])).toMatchObject({ code: 0, errors: '' });
    const sealed = execFileSync('tar', ['-xOf', file, 'master-key.sealed']);
    const opened = privateDecrypt(
      { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
      sealed,
    );
    expect(opened.toString()).toBe(TEST_MASTER_KEY.key.toString('base64'));
    await writeFile(pem, 'no key');
    const refused = await runAdmin(['backup', path.join(folder, 'refused.tar'), '--seal-key-to', pem]);
    expect(refused).toMatchObject({ code: 1, output: '' });
    expect(refused.errors).toMatch(/recipient\.pem is not a public key in PEM format/);
  });

  it('never replaces a file, and leaves nothing if the folder is missing', async () => {
    const before = await readFile(archive);
    expect(await runAdmin(['backup', archive])).toMatchObject({
      code: 1,
      errors: `${archive} exists. Choose another name.\n`,
    });
    expect(await readFile(archive)).toEqual(before);
    const missing = await runAdmin(['backup', path.join(folder, 'missing/backup.tar')]);
    expect(missing).toMatchObject({ code: 1, output: '' });
    expect(missing.errors).toMatch(/cannot be written/);
  });

  it('is consistent while tenants, rows and partitions are created', async () => {
    const file = path.join(folder, 'busy.tar');
    const writer = await startWriter();
    try {
      // The archive is read slowly, so that writes happen in the middle of it.
      const child = backUpToFile(lab.runward.database.url, file);
      await writer.partition();
      await lab.runward.tenant('made meanwhile');
      await child;
    } finally {
      await writer.stop();
    }
    const restored = await restoreInto(file, { compare: true });
    try {
      expect(await orphans(restored)).toEqual([]);
    } finally {
      await restored.drop();
    }
  });

  it('leaves only a partial file when it is killed, which the next backup replaces', async () => {
    const file = path.join(folder, 'killed.tar');
    const { child, ended } = admin(['backup', file]);
    await eventually('it writes', async () => (await names(folder)).includes('killed.tar.partial'));
    child.kill('SIGKILL');
    await ended;
    expect(await names(folder)).not.toContain('killed.tar');
    expect(await runAdmin(['backup', file])).toMatchObject({ code: 0 });
    expect(await names(folder)).not.toContain('killed.tar.partial');
    await checkArchive(file);
  });
});

describe('a restore', () => {
  it('has all rows of all tables, and is held', async () => {
    const restored = await restoreInto(archive, { compare: true });
    try {
      const found = await contents(restored);
      expect(found).toEqual(expected);
      const [state] = await restored.query('select state, cause, reason from installation');
      expect(state).toEqual({
        state: 'held',
        cause: 'person',
        reason: expect.stringMatching(/^Restored from the backup of \d{4}-.*Z\.$/),
      });
    } finally {
      await restored.drop();
    }
  });

  it('into a new data folder signs members in, opens secrets, verifies audit trails and continues after the hold', async () => {
    const dataDir = path.join(folder, 'restored');
    await mkdir(dataDir);
    await writeFile(path.join(dataDir, 'master.key'), KEY_SETTING.RUNWARD_MASTER_KEY, { mode: 0o600 });
    const settings = { ...EMBEDDED, RUNWARD_MASTER_KEY: '' };
    const restored = await runAdmin(['backup', 'restore', archive], settings, dataDir);
    expect(restored).toMatchObject({ code: 0, errors: '' });
    expect(restored.output).toMatch(/Restored installation .* It is held\./);
    expect(await names(dataDir)).toEqual(['master.key', 'postgres']);
    const process = await startRunwardProcess(null, dataDir, settings);
    try {
      expect(process.printed()).toMatch(/This installation is held/);
      const client = apiClient(process.url);
      const login = await client.post('/api/auth/login', { email: lab.admin.email, password: PASSWORD });
      expect(login.status).toBe(200);
      const session = apiClient(process.url, { cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] });
      expect((await session.get('/api/executions')).body).toMatchObject({ items: [{ status: 'SUCCEEDED' }] });
      expect((await session.post('/api/environments', { name: 'new' })).status).toBe(503);
      expect((await runAdmin(['audit', 'verify'], settings, dataDir)).output).toMatch(/intact, \d+ entries/);
      expect(await runAdmin(['resume', '--as-original'], settings, dataDir)).toMatchObject({ code: 0, errors: '' });
      await eventually(
        'it is active',
        async () => (await session.post('/api/environments', { name: 'new' })).status === 201,
      );
      const checked = await session.post(`/api/inventory/servers/${lab.servers[0]?.id}/check`, {});
      expect(checked).toMatchObject({ status: 200, body: { state: 'reachable' } });
    } finally {
      await process.end('SIGTERM');
    }
    // The folder is in use from now on.
    const again = await runAdmin(['restore', archive], settings, dataDir);
    expect(again).toMatchObject({ code: 1, output: '' });
    expect(again.errors).toMatch(/^The database is not empty: it has tenants\. Nothing was changed\./);
  });

  it('is refused over a running installation, which does not change', async () => {
    const before = await contents(lab.runward.database);
    const external = await runAdmin(['restore', archive]);
    expect(external).toMatchObject({ code: 1, output: '' });
    expect(external.errors).toMatch(/^The database is not empty: it has tenants\. Nothing was changed\./);
    expect(await contents(lab.runward.database)).toEqual(before);
    const dataDir = path.join(folder, 'live');
    const server = await startEmbeddedPostgres({ dataDir, log: say });
    try {
      // The test process owns the folder.
      const live = await runAdmin(['restore', archive], EMBEDDED, dataDir);
      expect(live.errors).toMatch(/in use by another Runward/);
    } finally {
      await server.stop();
    }
  });

  it('needs the master key of the backup, and generates none', async () => {
    const dataDir = path.join(folder, 'keyless');
    const none = await runAdmin(['restore', archive], { ...EMBEDDED, RUNWARD_MASTER_KEY: '' }, dataDir);
    expect(none).toMatchObject({ code: 1, output: '' });
    expect(none.errors).toMatch(new RegExp(`needs the master key ${TEST_MASTER_KEY.id}\\. Copy it to `));
    const wrong = { ...EMBEDDED, RUNWARD_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') };
    for (const args of [
      ['restore', archive],
      ['backup', 'verify', archive],
    ]) {
      const refused = await runAdmin(args, wrong, dataDir);
      expect(refused.code).toBe(1);
      expect(refused.errors).toMatch(/is not the one that encrypted the secrets of/);
    }
    expect(await names(dataDir)).toEqual([]);
  });

  it('that was killed prevents a start, and can be repeated', async () => {
    const dataDir = path.join(folder, 'interrupted');
    const { child, ended } = admin(['restore', archive], EMBEDDED, dataDir);
    const settings = { ...EMBEDDED, RUNWARD_DATA_DIR: dataDir };
    await eventually('it restores', async () => {
      const data = await locateCluster(dataDir);
      const server = data === undefined ? undefined : await findRunningServer(data);
      if (!server) return false;
      const url = `postgresql://postgres@localhost:${server.port}/runward?host=${encodeURIComponent(server.folder)}`;
      const client = new Client({ connectionString: url });
      client.on('error', () => undefined);
      try {
        await client.connect();
        const { rows } = await client.query<{ there: boolean }>(
          `select to_regclass('runward_restore') is not null as there`,
        );
        return rows[0]?.there;
      } catch {
        return false;
      } finally {
        await client.end().catch(() => undefined);
      }
    });
    child.kill('SIGKILL');
    await ended;
    const start = await runAdmin(['tenant', 'list'], settings, dataDir);
    expect(start).toMatchObject({ code: 1, output: '' });
    expect(start.errors).toMatch(/A restore into this database was not finished\. Run it again/);
    expect(await runAdmin(['restore', archive], EMBEDDED, dataDir)).toMatchObject({ code: 0, errors: '' });
    expect((await runAdmin(['tenant', 'list'], settings, dataDir)).output).toMatch(/other/);
  });

  it('of an external database that was killed in the middle prevents a start, and can be repeated', async () => {
    const database = await emptyDatabase();
    try {
      const settings = { DATABASE_URL: database.url, RUNWARD_DATABASE_APP_URL: database.appUrl };
      const { child, ended } = admin(['restore', archive], settings);
      await eventually('it is marked', async () => {
        const [row] = await database.query<{ there: boolean }>(
          `select to_regclass('runward_restore') is not null as there`,
        );
        return row?.there;
      });
      child.kill('SIGKILL');
      await ended;
      const start = await runAdmin(['tenant', 'list'], settings);
      expect(start).toMatchObject({ code: 1, output: '' });
      expect(start.errors).toMatch(/A restore into this database was not finished\. Run it again/);
      expect(await runAdmin(['restore', archive], settings)).toMatchObject({ code: 0, errors: '' });
      expect((await runAdmin(['tenant', 'list'], settings)).output).toMatch(/other/);
    } finally {
      await database.drop();
    }
  });

  it('of an older version runs the migrations that are missing', async () => {
    const database = await restoreInto(archive);
    try {
      await database.query('drop table backups');
      await database.query(`delete from runward_migrations where name like 'Backups%'`);
      const file = path.join(folder, 'older.tar');
      await backUpToFile(database.url, file);
      const upgraded = await restoreInto(file, { compare: true });
      try {
        expect(await upgraded.query('select count(*)::int as count from backups')).toEqual([{ count: 0 }]);
        expect(await upgraded.query('select name from tenants order by name')).toContainEqual({ name: 'other' });
      } finally {
        await upgraded.drop();
      }
    } finally {
      await database.drop();
    }
  });

  it('keeps the jobs of another version of the queue library', async () => {
    const database = await restoreInto(archive);
    try {
      await database.query(`alter table pgboss.job add column spent text default 'x'`);
      await database.query(
        `insert into pgboss.job (name, data) select name, '{"kept":true}' from pgboss.queue limit 1`,
      );
      const file = path.join(folder, 'queue.tar');
      await backUpToFile(database.url, file);
      const restored = await restoreInto(file);
      try {
        expect(await restored.query(`select data from pgboss.job where data->>'kept' = 'true'`)).toHaveLength(1);
      } finally {
        await restored.drop();
      }
    } finally {
      await database.drop();
    }
  });

  it('works with an owner that row-level security restricts', async () => {
    const database = await emptyDatabase();
    const role = `runward_owner_${process.pid}`;
    try {
      await database.query(`create role ${role} login nosuperuser createrole nobypassrls`);
      await database.query(`grant runward_app to ${role} with admin option`);
      const [name] = await database.query<{ name: string }>('select current_database() as name');
      await database.query(`alter database ${name?.name} owner to ${role}`);
      await database.query(`alter role ${role} set role none`);
      const as = `${database.url}${database.url.includes('?') ? '&' : '?'}options=${encodeURIComponent(`-c role=${role}`)}`;
      const manifest = await checkArchive(archive);
      await restoreDatabase(as, { file: archive, manifest, masterKeyId: null, appLogin: null, compare: true, say });
      const file = path.join(folder, 'restricted.tar');
      await backUpToFile(as, file);
      const [first, second] = [manifest, await checkArchive(file)].map(({ tables }) =>
        Object.fromEntries(tables.map(({ table, rows }) => [table, rows])),
      );
      expect(second).toEqual(first);
    } finally {
      await database.query(`reassign owned by ${role} to current_user; drop owned by ${role}`).catch(() => undefined);
      await database.drop();
      const [rest] = [await createTestDatabase()];
      await rest.query(`drop role if exists ${role}`);
      await rest.drop();
    }
  });
});

describe('npm run admin -- backup verify', () => {
  it('restores into a temporary server and reports what it verified', async () => {
    const temporary = path.join(folder, 'temporary');
    await mkdir(temporary);
    const { code, output, errors } = await runAdmin(['backup', 'verify', archive], { ...EMBEDDED, TMPDIR: temporary });
    expect([code, errors]).toEqual([0, '']);
    expect(output).toMatch(/^Checksums: \d+ entries are intact\.$/m);
    expect(output).toMatch(/^Content: \d+ tables with \d+ rows have the counts and checksums of the manifest\.$/m);
    expect(output).toMatch(/^Row-level security: complete\.$/m);
    expect(output.match(/: intact, \d+ entries/g)).toHaveLength(2);
    expect(output).toMatch(/is a complete backup of .*, made by Runward/);
    expect(await names(temporary)).toEqual([]);
  });

  it('finds an audit trail that was changed before the backup', async () => {
    const database = await restoreInto(archive);
    try {
      await queryAs(database, lab.admin.tenantId, `update audit_entries set actor_name = 'nobody' where sequence = 2`);
      const file = path.join(folder, 'forged.tar');
      await backUpToFile(database.url, file);
      const found = await runAdmin(['backup', 'verify', file], EMBEDDED);
      expect(found.code).toBe(1);
      expect(found.output).toMatch(/NOT INTACT\. Entry 2 was changed or moved/);
      expect(found.errors).toBe('An audit trail of the backup is not intact.\n');
    } finally {
      await database.drop();
    }
  });

  it('refuses damaged, truncated, foreign and newer archives with the reason', async () => {
    const { size } = await stat(archive);
    const reasonOf = (file: string) =>
      checkArchive(file).then(
        () => 'intact',
        (error: Error) => error.message,
      );
    for (let n = 0; n < 20; n += 1) {
      const file = await changedCopy(async (copy) => {
        const handle = await open(copy, 'r+');
        const at = Math.floor(((size - 1) * n) / 19);
        const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at);
        await handle.write(Buffer.from([(buffer[0] ?? 0) ^ 0x10]), 0, 1, at);
        await handle.close();
      });
      expect(await reasonOf(file)).toMatch(n === 0 ? /is not a backup of Runward/ : /is damaged or incomplete/);
    }
    for (const length of [0, 1, 100, 511, 5000, Math.floor(size / 2), size - 1024, size - 1])
      expect(await reasonOf(await changedCopy((copy) => truncate(copy, length)))).toMatch(
        /is not a backup of Runward|is damaged or incomplete/,
      );
    expect(await reasonOf(await changedCopy((copy) => appendFile(copy, 'x')))).toMatch(/is damaged or incomplete/);
    expect(await reasonOf(await changedCopy((copy) => writeFile(copy, 'pg_dump\n'.repeat(10_000))))).toMatch(
      /is not a backup of Runward\.$/,
    );
    expect(await reasonOf(path.join(folder, 'none.tar'))).toMatch(/cannot be read/);
    expect(await reasonOf(folder)).toMatch(/is not a file/);
  });

  it('refuses an archive of a newer version, and changes nothing', async () => {
    const database = await restoreInto(archive);
    const dataDir = path.join(folder, 'newer');
    try {
      await database.query(
        `insert into runward_migrations (timestamp, name) values (20990101000000, 'Later20990101000000')`,
      );
      const file = path.join(folder, 'newer.tar');
      await backUpToFile(database.url, file);
      const refused = await runAdmin(['restore', file], EMBEDDED, dataDir);
      expect(refused).toMatchObject({ code: 1, output: '' });
      expect(refused.errors).toMatch(
        /is a backup of Runward .*, which is newer than this version .*Later20990101000000\. Install that version or a later one/,
      );
      expect(await names(dataDir)).toEqual([]);
    } finally {
      await database.drop();
    }
  });
});

async function changedCopy(change: (file: string) => Promise<void>): Promise<string> {
  const file = path.join(folder, `changed-${(rewritten += 1)}.tar`);
  await copyFile(archive, file);
  await change(file);
  return file;
}

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await database.query(
    'drop schema if exists pgboss cascade; drop schema public cascade; create schema public authorization pg_database_owner',
  );
  return database;
}

async function restoreInto(file: string, { compare = false } = {}): Promise<TestDatabase> {
  const database = await emptyDatabase();
  const manifest = await checkArchive(file);
  await restoreDatabase(database.url, {
    ...{ file, manifest, compare, say },
    masterKeyId: TEST_MASTER_KEY.id,
    appLogin: new URL(database.appUrl).username || null,
  });
  return database;
}

/** Number and hash of the rows of each table, except those that a restore or a later request changes. */
async function contents(database: TestDatabase): Promise<Record<string, string>> {
  const changing = ['installation', 'backups', 'worker_heartbeats', 'runward_migrations', 'sessions', 'api_tokens'];
  const tables = await database.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'pgboss') and c.relkind = 'r' and c.relname <> 'version' order by 1`,
  );
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    if (changing.includes(name)) continue;
    const [row] = await database.query<{ content: string }>(
      `select count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as content from only ${name} t`,
    );
    found[name] = row?.content ?? '';
  }
  return found;
}

/** Rows whose reference to another row is broken. */
async function orphans(database: TestDatabase): Promise<string[]> {
  const found = await database.query<{ name: string }>(
    `select 'label of server ' || server_id as name from server_labels l where not exists (select from servers s where s.id = l.server_id)
      union all select 'user ' || id from users u where not exists (select from tenants t where t.id = u.tenant_id)
      union all select 'head of ' || tenant_id from audit_heads h where sequence <> (select max(sequence) from audit_entries e where e.tenant_id = h.tenant_id)`,
  );
  return found.map(({ name }) => name);
}

/** Writes audited rows and output all the time. */
async function startWriter() {
  let stopped = false;
  const environments = async () => {
    for (let n = 0; !stopped; n += 1) await lab.environment(`busy-${n}`);
  };
  const done = environments();
  return {
    async partition() {
      const client = new Client({ connectionString: lab.runward.database.url });
      await client.connect();
      try {
        await client.query('select make_month_partitions(6)');
      } catch (error) {
        // The backup has locked the partitions; workers try again later.
        expect((error as { code?: string }).code).toBe('55P03');
      } finally {
        await client.end();
      }
    },
    async stop() {
      stopped = true;
      await done;
    },
  };
}
