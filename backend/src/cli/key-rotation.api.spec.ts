import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, apiClient } from '../../test/support/api-client.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { made, makeScene } from '../../test/support/environment-scene.js';
import { eventually } from '../../test/support/eventually.js';
import { TEST_MASTER_KEY } from '../../test/support/master-key.js';
import { PROCESS_ADMIN, type RunwardProcess, startRunwardProcess } from '../../test/support/runward-process.js';
import { seededRandom } from '../../test/support/seeded-random.js';
import { type SshHosts, startSshHosts } from '../../test/support/ssh-hosts.js';
import { launchProgram } from '../../test/support/run-program.js';
import { queryAs } from '../../test/support/table-contents.js';
import { openSealedValue, sealValue } from '../common/crypto/envelope.js';
import { generateMasterKey, type MasterKey, parseMasterKey } from '../common/crypto/master-key.js';
import { newId } from '../common/ids.js';
import { SEALED_VARIABLES } from '../environments/variables/variable-vault.js';
import type { ExecutionView } from '../executions/contract/execution.view.js';
import { SEALED_COLUMNS } from '../boot/sealed-columns.js';

const OLD = TEST_MASTER_KEY.key.toString('base64');
const RECORD_COUNT = 3_000;
const KILLS = 3;

let database: TestDatabase;
let hosts: SshHosts;
let folder: string;
let dataDir: string;
let planId: string;
let tenantIds: string[];

/** An empty variable counts as absent, so the key comes from the data folder. */
const KEY_IN_FOLDER = { RUNWARD_MASTER_KEY: '' };
const keyFile = (suffix = '') => path.join(dataDir, `master.key${suffix}`);
const keyIn = async (file: string): Promise<MasterKey> => parseMasterKey((await readFile(file, 'utf8')).trim());

const launch = (args: string[], settings: NodeJS.ProcessEnv = KEY_IN_FOLDER) =>
  launchProgram('admin', args, { database, dataDir, settings });
const runAdmin = (args: string, settings?: NodeJS.ProcessEnv) => launch(args.split(' '), settings).ended;

/** Counts values by the key that opens them. Fails if neither key opens a value in its place. */
async function countByKey(old: MasterKey, next: MasterKey): Promise<{ old: number; next: number }> {
  const counts = { old: 0, next: 0 };
  for (const tenantId of tenantIds) {
    await database.query(`select set_config('app.tenant', $1, false)`, [tenantId]);
    for (const { table, column, version, context } of SEALED_COLUMNS) {
      const rows = await database.query<{ id: string; version: number; sealed: Buffer }>(
        `select id, (${version})::int as version, ${column} as sealed from ${table} where tenant_id = $1 and ${column} is not null`,
        [tenantId],
      );
      for (const row of rows) {
        const countSealedUnder = (key: MasterKey): number => {
          try {
            return Math.min(1, openSealedValue(key, row.sealed, context(tenantId, row.id, row.version)).length);
          } catch {
            return 0;
          }
        };
        const [openedByOld, openedByNext] = [countSealedUnder(old), countSealedUnder(next)];
        expect({ table, id: row.id, keys: openedByOld + openedByNext }).toEqual({ table, id: row.id, keys: 1 });
        counts.old += openedByOld;
        counts.next += openedByNext;
      }
    }
  }
  return counts;
}

async function countRewrapped(): Promise<number> {
  let sum = 0;
  for (const tenantId of tenantIds) {
    const [row] = await queryAs<{ n: number }>(
      database,
      tenantId,
      `select count(*)::int as n from environment_variables
        where tenant_id = $1 and encode(substring(sealed_value from 2 for 8), 'hex') <> $2`,
      [tenantId, TEST_MASTER_KEY.id],
    );
    sum += row?.n ?? 0;
  }
  return sum;
}

async function signIn(url: string): Promise<ApiClient> {
  const login = await apiClient(url).post('/api/auth/login', PROCESS_ADMIN);
  expect(login.status).toBe(200);
  return apiClient(url, { cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] });
}

async function runs(api: ApiClient): Promise<ExecutionView> {
  const body = { planId, execution_mode: 'auto', variables: { GIVEN: 'given-at-start' } };
  const id = await made(api.post('/api/executions', body));
  return (await api.get<ExecutionView>(`/api/executions/${id}?wait=40&until=settled`)).body;
}

const started: RunwardProcess[] = [];
async function startRunward(settings: NodeJS.ProcessEnv = KEY_IN_FOLDER): Promise<RunwardProcess> {
  const runward = await startRunwardProcess(database.url, dataDir, settings);
  started.push(runward);
  return runward;
}

async function storeManyRecords(tenantId: string): Promise<void> {
  await database.query(`select set_config('app.tenant', $1, false)`, [tenantId]);
  const environmentId = newId();
  await database.query(`insert into environments (id, tenant_id, name, description) values ($1, $2, 'many', '')`, [
    environmentId,
    tenantId,
  ]);
  const ids = Array.from({ length: RECORD_COUNT }, newId);
  const values = ids.map((id) =>
    sealValue(TEST_MASTER_KEY, Buffer.from('"x"'), SEALED_VARIABLES.context(tenantId, id, 1)),
  );
  await database.query(
    `insert into environment_variables (id, tenant_id, environment_id, key, type, secret, sealed_value, updated_by, updated_by_name)
      select x.id, $1, $2, 'V' || x.n, 'secret', true, x.value, $1, 'x' from unnest($3::uuid[], $4::bytea[]) with ordinality as x (id, value, n)`,
    [tenantId, environmentId, ids, values],
  );
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runward-rotation-'));
  dataDir = path.join(folder, 'data');
  await mkdir(dataDir, { mode: 0o700 });
  await writeFile(keyFile(), `${OLD}\n`, { mode: 0o600 });
  [database, hosts] = await Promise.all([createTestDatabase(), startSshHosts({ addresses: ['127.0.4.1'] })]);
});
afterAll(async () => {
  for (const each of started) await each.end('SIGKILL');
  await hosts?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

describe('npm run admin -- key rotate', () => {
  it('is refused in one line while Runward runs', async () => {
    const runward = await startRunward();
    try {
      const api = await signIn(runward.url);
      const { hostKey, port, user, addresses } = hosts.sshd;
      const keyId = await made(api.post('/api/ssh-keys', { name: 'hosts', privateKey: hosts.key.privateKey }));
      const scene = await makeScene(api, {
        name: 'scene',
        keyId,
        hostname: addresses[0],
        port,
        username: user,
        hostKey: { publicKey: `${hostKey.type} ${hostKey.publicKey}` },
        plan: {
          variables: [{ name: 'GIVEN', type: 'secret', required: true }],
          steps: [{ key: 'use', command: 'test "$STORED $GIVEN" = "stored-before given-at-start"' }],
        },
      });
      planId = scene.planId;
      const put = await api.put(`/api/environments/${scene.environmentId}/variables/STORED`, {
        value: 'stored-before',
        secret: true,
      });
      expect(put.status).toBe(200);
      expect(await runs(api)).toMatchObject({ status: 'SUCCEEDED' });
      expect(await runAdmin('key rotate')).toEqual({
        code: 1,
        output: '',
        errors: 'Runward is running on this database. Stop all of its processes, then change the master key.\n',
      });
    } finally {
      await runward.end('SIGTERM');
    }
    expect((await runAdmin('tenant create --name other --admin-email other@example.test')).code).toBe(0);
    tenantIds = (await database.query<{ id: string }>('select id from tenants')).map(({ id }) => id);
    expect(tenantIds).toHaveLength(2);
    for (const tenantId of tenantIds) await storeManyRecords(tenantId);
    await rm(keyFile('.next'), { force: true });
  });

  it('loses nothing when killed repeatedly, and continues until all values use the new key', async () => {
    const trail = (await runAdmin('audit verify')).output;
    const random = seededRandom(20261120);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = await countRewrapped();
      const killAfterCount = before + random.int(300);
      // The first kill comes once the new key exists, each later kill after more values use that key.
      const reachedCount =
        kill === 0
          ? () =>
              access(keyFile('.next')).then(
                () => true,
                () => false,
              )
          : async () => (await countRewrapped()) > killAfterCount;
      const { child, ended } = launch(['key', 'rotate']);
      let over = false;
      void ended.then(() => (over = true));
      await eventually(`kill ${kill}`, async () => over || (await reachedCount()));
      child.kill('SIGKILL');
      expect({ kill, code: (await ended).code }).toEqual({ kill, code: null });
      const now = await countByKey(TEST_MASTER_KEY, await keyIn(keyFile('.next')));
      expect(now.next).toBeGreaterThanOrEqual(before);
      expect(now.old).toBeGreaterThan(0);
    }
    expect(await countRewrapped()).toBeGreaterThan(0);
    await expect(startRunward()).rejects.toThrow(/A change of the master key was interrupted. Finish it with/);
    const next = await keyIn(keyFile('.next'));
    const done = await runAdmin('key rotate');
    expect(done).toMatchObject({ code: 0, errors: '' });
    expect(done.output).toMatch(
      /^ssh_keys: \d+ values .*\nenvironment_variables: \d+ values .*\nserver_variables: \d+ values .*\nexecutions: \d+ values .*\nschedules: \d+ values .*\ngit_sources: \d+ values .*\nwebhooks: \d+ values .*\nnotification_rules: \d+ values .*\nThe new master key is in /,
    );
    expect(await countByKey(TEST_MASTER_KEY, next)).toEqual({ old: 0, next: 2 * RECORD_COUNT + 3 });
    expect((await keyIn(keyFile())).id).toBe(next.id);
    expect((await readdir(dataDir)).filter((name) => name.startsWith('master.key'))).toEqual(['master.key']);
    expect(await runAdmin('audit verify')).toEqual({ code: 0, output: trail, errors: '' });
  });

  it('allows Runward to start only with the new key; runs and audit chain continue', async () => {
    await expect(startRunward({ RUNWARD_MASTER_KEY: OLD })).rejects.toThrow(/is not the one that encrypted/);
    const runward = await startRunward();
    try {
      const api = await signIn(runward.url);
      expect(await runs(api)).toMatchObject({ status: 'SUCCEEDED' });
      const { items } = (await api.get<{ items: { id: string }[] }>('/api/inventory/servers')).body;
      const check = await api.post(`/api/inventory/servers/${items[0]?.id}/check`);
      expect([check.status, check.body]).toEqual([
        200,
        expect.objectContaining({ lastCheck: expect.objectContaining({ state: 'reachable' }) }),
      ]);
      expect((await api.get('/api/audit-logs/verify')).body).toMatchObject({ intact: true });
    } finally {
      await runward.end('SIGTERM');
    }
  });

  it('completes an interrupted change in which only the key file was not replaced', async () => {
    await rename(keyFile(), keyFile('.next'));
    await writeFile(keyFile(), `${OLD}\n`, { mode: 0o600 });
    expect((await runAdmin('tenant list')).errors).toMatch(/finish it with npm run admin -- key rotate\.\n$/);
    const next = await keyIn(keyFile('.next'));
    const done = await runAdmin('key rotate');
    expect(done).toMatchObject({ code: 0, errors: '' });
    expect(done.output).toMatch(/^All secrets already used the new master key\.\n/);
    expect((await keyIn(keyFile())).id).toBe(next.id);
    expect((await runAdmin('audit verify')).code).toBe(0);
  });

  it('reads the new key from the environment if the old one comes from there', async () => {
    const currentKey = await keyIn(keyFile());
    const [third, fourth] = [generateMasterKey(), generateMasterKey()];
    const RUNWARD_MASTER_KEY = currentKey.key.toString('base64');
    const missing = await runAdmin('key rotate', { RUNWARD_MASTER_KEY });
    expect(missing).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^The master key comes from the env.*\n$/),
    });
    const sameKeyResult = await runAdmin('key rotate', {
      RUNWARD_MASTER_KEY,
      RUNWARD_NEW_MASTER_KEY: RUNWARD_MASTER_KEY,
    });
    expect(sameKeyResult).toMatchObject({
      code: 1,
      errors: 'The new master key is the same as the current one. Generate another one.\n',
    });
    const wrongKeys = { RUNWARD_MASTER_KEY: fourth.base64, RUNWARD_NEW_MASTER_KEY: third.base64 };
    expect((await runAdmin('key rotate', wrongKeys)).errors).toMatch(/^The master key \(\w+\) is not the one/);
    expect(await countByKey(currentKey, third.masterKey)).toMatchObject({ next: 0 });
    const rightKeys = { RUNWARD_MASTER_KEY, RUNWARD_NEW_MASTER_KEY: third.base64 };
    expect(await runAdmin('key rotate', rightKeys)).toMatchObject({ code: 0, errors: '' });
    expect(await countByKey(currentKey, third.masterKey)).toMatchObject({ old: 0 });
    expect((await runAdmin('key rotate', rightKeys)).output).toMatch(/^All secrets already used the new master key/);
    expect((await runAdmin('audit verify', { RUNWARD_MASTER_KEY: third.base64 })).code).toBe(0);
    await writeFile(keyFile(), `${third.base64}\n`);
  });
});

describe('start', () => {
  it('is refused in one line if a stored secret is plain or cannot be opened', async () => {
    const [key] = await database.query<{ id: string; tenant_id: string; sealed: Buffer }>(
      `select id, tenant_id, sealed_private_key as sealed, set_config('app.tenant', tenant_id::text, false) from ssh_keys where name = 'hosts'`,
    );
    const store = (value: Buffer) =>
      database.query('update ssh_keys set sealed_private_key = $1 where id = $2', [value, key?.id]);
    const sealed = key?.sealed ?? Buffer.alloc(0);
    expect((await runAdmin('tenant list')).code).toBe(0);
    await store(Buffer.from(hosts.key.privateKey));
    expect(await runAdmin('tenant list')).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^Table ssh_keys contains a private key in plain text \(record [^\n]*\n$/),
    });
    await store(Buffer.concat([sealed.subarray(0, -1), Buffer.of((sealed.at(-1) ?? 0) ^ 1)]));
    expect(await runAdmin('tenant list')).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^A secret in table ssh_keys \(record [^\n]*cannot be decrypted[^\n]*\n$/),
    });
    await store(sealed);
    expect((await runAdmin('tenant list')).code).toBe(0);
  });
});
