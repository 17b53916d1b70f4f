/**
 * Measures how much slower lists become with history: runs and audit entries, with few and with many stored rows. Tests
 * each filter of the API description as members who see all, some, few and many environments. Prints a table:
 * milliseconds (median of alternating requests), 8 KiB blocks that the statements read, and the ratios. The JSON line
 * at the end contains all values. Build first. Usage: node tools/bench/growth.mjs [runs] [entries] [few runs] [few
 * entries]
 *
 * Machines are shared and noisy, so blocks are the better measure than times. Needs about 1 KB of disk per run or
 * entry.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createApiApp } from '../../backend/dist/api-app.js';
import { generateMasterKey } from '../../backend/dist/common/crypto/master-key.js';
import { startEmbeddedPostgres } from '../../backend/dist/common/database/embedded/embedded-postgres.js';
import { migrateDatabase } from '../../backend/dist/common/database/boot/migrate.js';
import { readSettings } from '../../backend/dist/common/settings/settings.js';
import { TenantCreation } from '../../backend/dist/tenancy/create-tenant.js';
import '../lib/typescript.mjs';
import { load, median } from './lib/bench-runward.mjs';

const { makeHistoryScene } = await import('../../backend/test/growth/history-scene.ts');
const { queriesOf } = await import('../../backend/test/growth/filter-cases.ts');
const { readOf } = await import('../../backend/test/growth/row-counts.ts');
const { statementsOf } = await import('../../backend/test/growth/statement-tap.ts');

const [RUNS, ENTRIES, FEW_RUNS, FEW_ENTRIES] = [1_000_000, 10_000_000, 1_000, 1_000].map((defaultCount, index) =>
  Number(process.argv[index + 2] ?? defaultCount),
);
const ROUNDS = Number(process.env.ROUNDS ?? 7);
const PASSWORD = randomBytes(12).toString('hex');
const document = JSON.parse(await readFile(join(import.meta.dirname, '../../openapi.json'), 'utf8'));
const LISTS = ['/api/executions', '/api/audit-logs'].map((path) => ({ path, ...document.paths[path].get }));

const textOf = (query) => new URLSearchParams(query).toString();
const dir = await mkdtemp(join(tmpdir(), 'runward-bench-'));
const postgres = await startEmbeddedPostgres({ dataDir: join(dir, 'data'), log: () => undefined });
const databases = [];
try {
  const { masterKey } = generateMasterKey();
  const urls = await twoDatabases(masterKey.id);
  databases.push(await start('few', urls[0], masterKey), await start('many', urls[1], masterKey));
  for (const [side, runs, entries] of [
    [databases[0], FEW_RUNS, FEW_ENTRIES],
    [databases[1], RUNS, ENTRIES],
  ]) {
    const from = performance.now();
    side.scene = await makeHistoryScene(side, runs, entries);
    await side.sql(`select set_config('app.tenant', $1, false)`, [side.scene.history.tenantId]);
    process.stderr.write(
      `${runs} runs and ${entries} entries in ${((performance.now() - from) / 1000).toFixed(0)} s\n`,
    );
  }
  const rows = [];
  for (const list of LISTS) {
    for (const name of Object.keys(databases[0].scene.callers)) {
      if (list.path === '/api/audit-logs' && name !== 'admin') continue;
      const [few, manyQuery] = databases.map((side) => queriesOf(list, side.scene.values));
      for (const [index, query] of few.entries()) rows.push(await compare(list, name, query, manyQuery[index]));
      process.stderr.write(`${list.path} as ${name}: done\n`);
    }
  }
  const text = toTable(rows);
  process.stdout.write(`${text}\n${JSON.stringify({ runs: RUNS, entries: ENTRIES, load: load(), rows })}\n`);
  if (process.env.TABLE) await writeFile(process.env.TABLE, text);
} finally {
  for (const side of databases) await side.close();
  await postgres.stop();
  await rm(dir, { recursive: true, force: true });
}

async function twoDatabases(masterKeyId) {
  const admin = new Client({ connectionString: postgres.url });
  await admin.connect();
  const urls = [];
  for (const name of ['bench_few', 'bench_many']) {
    await admin.query(`create database ${name}`);
    const url = Object.assign(new URL(postgres.url), { pathname: `/${name}` }).toString();
    await migrateDatabase(url, masterKeyId);
    urls.push(url);
  }
  await admin.end();
  return urls;
}

async function start(name, url, masterKey) {
  const runtime = {
    settings: readSettings({ RUNWARD_RATE_LIMIT_PER_MINUTE: '1000000' }),
    databaseUrl: url,
    databaseLogin: 'owner',
    masterKey,
    processName: `bench:${name}`,
  };
  const app = await createApiApp(runtime, ['error', 'fatal']);
  await app.listen(0, '127.0.0.1');
  const base = `http://127.0.0.1:${app.getHttpServer().address().port}`;
  const owner = new Client({ connectionString: url });
  await owner.connect();
  let numbered = 0;
  const signIn = async (email, tenant) => {
    const login = await fetch(`${base}/api/auth/login`, asJson({ email, password: PASSWORD, tenant }));
    const me = await login.json();
    if (!login.ok) throw new Error(JSON.stringify(me));
    const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0];
    const get = async (path) => {
      const answer = await fetch(base + path, { headers: { cookie } });
      return { status: answer.status, body: await answer.json() };
    };
    const post = async (path, body) => (await fetch(base + path, asJson(body, cookie))).json();
    return { userId: me.id, tenantId: me.tenant.id, tenant, get, post };
  };
  return {
    name,
    sql: async (text, values) => (await owner.query(text, values)).rows,
    database: { query: async (text, values) => (await owner.query(text, values)).rows },
    async tenant() {
      const account = { name: 'bench', adminEmail: 'admin@example.test', adminName: 'Admin', adminPassword: PASSWORD };
      await app.get(TenantCreation).create(account);
      return signIn(account.adminEmail, account.name);
    },
    async member(admin, role) {
      numbered += 1;
      const email = `${role}-${numbered}@example.test`;
      const made = await admin.post('/api/members', { email, name: `${role} ${numbered}`, role, password: PASSWORD });
      if (!made.id) throw new Error(JSON.stringify(made));
      return signIn(email, admin.tenant);
    },
    async close() {
      await owner.end();
      await app.close();
    },
  };
}

function asJson(body, cookie) {
  const headers = { 'content-type': 'application/json', ...(cookie ? { cookie } : {}) };
  return { method: 'POST', headers, body: JSON.stringify(body) };
}

/** Runs one query on both databases. The database that comes first alternates. */
async function compare(list, caller, few, manyQuery) {
  const paths = [few, manyQuery].map((query) => `${list.path}?${textOf(query)}`);
  const ms = [[], []];
  let pages = [];
  for (let round = -2; round < ROUNDS; round += 1) {
    for (const side of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const from = performance.now();
      pages[side] = await databases[side].scene.callers[caller].get(paths[side]);
      if (round >= 0) ms[side].push(performance.now() - from);
    }
  }
  const measuredRows = [];
  for (const side of [0, 1]) measuredRows.push(await countBlocks(databases[side], caller, paths[side]));
  const [fewRunsMs, manyRunsMs] = ms.map(median);
  const sizes = pages.map(({ body }) => `${body.items.length}${body.nextCursor ? '+' : ''}`);
  const queryText = few.map(([name, value]) => `${name}=${nameOf(value)}`).join(' ') || '(none)';
  return {
    path: list.path,
    caller,
    query: queryText,
    fewMs: fewRunsMs,
    manyMs: manyRunsMs,
    few: measuredRows[0],
    many: measuredRows[1],
    sizes,
  };
}

/** Replaces IDs by descriptions, so that both databases produce the same text. */
function nameOf(value) {
  const { history, values } = databases[0].scene;
  const { environments, starters } = history;
  const knownName = Object.entries({ ...environments, ...starters }).find(([, id]) => id === value)?.[0];
  if (knownName) return knownName;
  for (const list of Object.values(values)) {
    const at = list.indexOf(value);
    if (at >= 0 && /^[0-9a-f-]{36}$/.test(value))
      return at === list.length - 1 ? 'never' : ['often', 'seldom', 'old'][at];
  }
  return value.replace(/T.*/, '');
}

/**
 * Counts the blocks and history rows that the statements of a request read, as the database role of the application.
 */
async function countBlocks(side, caller, path) {
  const member = side.scene.callers[caller];
  const statements = await statementsOf(() => member.get(path));
  let [blocks, rows] = [0, 0];
  await side.sql('begin');
  await side.sql('set local role runward_app');
  for (const { text, values } of statements) {
    const [row] = await side.sql(`explain (analyze, buffers, format json) ${text}`, values);
    const measuredRows = readOf(row['QUERY PLAN'][0].Plan, (table) =>
      /^(executions|execution_hosts|audit_entries)/.test(table),
    );
    blocks += measuredRows.blocks;
    rows += measuredRows.rows;
  }
  await side.sql('rollback');
  return { blocks, rows, statements: statements.length };
}

function toTable(rows) {
  const lines = rows.map(({ path, caller, query, fewMs, manyMs, few, many, sizes }) =>
    [
      path.replace('/api/', ''),
      caller,
      query,
      `${sizes[0]} · ${sizes[1]}`,
      `${fewMs.toFixed(1)} · ${manyMs.toFixed(1)}`,
      (manyMs / fewMs).toFixed(2),
      `${few.rows} · ${many.rows}`,
      `${few.blocks} · ${many.blocks}`,
    ].join(' | '),
  );
  return `| list | caller | filters | items | ms | ratio | rows read | blocks |\n|---|---|---|---|---|---|---|---|\n${lines.map((line) => `| ${line} |`).join('\n')}\n`;
}
