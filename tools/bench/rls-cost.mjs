/**
 * Measures the cost of row-level security on an indexed read. Runs the same unit of work (begin, set tenant, read one
 * server by tenant and ID, commit) as the application role and as a role that bypasses the policies. Both alternate on
 * one embedded PostgreSQL. Prints medians and their ratio. Build first. Usage: node tools/bench/rls-cost.mjs
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { generateMasterKey } from '../../backend/dist/common/crypto/master-key.js';
import { startEmbeddedPostgres } from '../../backend/dist/common/database/embedded/embedded-postgres.js';
import { migrateDatabase } from '../../backend/dist/common/database/boot/migrate.js';

const TENANTS = 50;
const SERVERS = 1_000;
const ROUNDS = 40;
const READS = 250;
const READ = 'select * from servers where tenant_id = $1 and id = $2';

const dataDir = await mkdtemp(join(tmpdir(), 'runward-bench-'));
const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined });
try {
  await migrateDatabase(postgres.url, generateMasterKey().masterKey.id);
  const rows = await fill();
  const databases = {
    'with row-level security': { reader: await connect('runward_app'), unit: [], read: [] },
    without: { reader: await connect('bench_without_walls'), unit: [], read: [] },
  };
  const names = Object.keys(databases);
  for (let round = -4; round < ROUNDS; round += 1) {
    // The role that comes first alternates. Negative rounds only warm up.
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const { reader, unit, read } = databases[name];
      for (let n = 0; n < READS; n += 1) {
        const [whole, one] = await measure(reader, rows[(round * READS + n * 7919 + 10_000_000) % rows.length]);
        if (round >= 0) unit.push(whole) && read.push(one);
      }
    }
  }
  for (const kind of ['unit', 'read']) {
    const [isolated, open] = names.map((name) => median(databases[name][kind]));
    const what = kind === 'unit' ? 'whole unit of work' : 'the read alone';
    process.stdout.write(
      `${what}: ${isolated.toFixed(1)} µs with, ${open.toFixed(1)} µs without row-level security; ratio ${(isolated / open).toFixed(3)}\n`,
    );
  }
  process.stdout.write(`${ROUNDS * READS} reads each, ${rows.length} servers of ${TENANTS} tenants\n`);
  for (const name of names) await databases[name].reader.end();
} finally {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}

/** @returns microseconds of the whole unit of work and of its read */
async function measure(reader, { tenant, id }) {
  const from = performance.now();
  await reader.query('begin');
  await reader.query(`select set_config('app.tenant', $1, true)`, [tenant]);
  const read = performance.now();
  const { rowCount } = await reader.query(READ, [tenant, id]);
  const done = performance.now();
  await reader.query('commit');
  const end = performance.now();
  if (rowCount !== 1) throw new Error('The row was not found.');
  return [(end - from) * 1000, (done - read) * 1000];
}

/**
 * Fills the tables as the owner.
 * @returns `{ tenant, id }` per server
 */
async function fill() {
  const owner = new Client({ connectionString: postgres.url });
  await owner.connect();
  await owner.query(`
    create role bench_without_walls nologin bypassrls;
    grant usage on schema public to bench_without_walls;
    grant select on servers to bench_without_walls;
    insert into tenants (id, name) select gen_random_uuid(), 'tenant ' || n from generate_series(1, ${TENANTS}) n;
    insert into environments (id, tenant_id, name, description) select gen_random_uuid(), id, 'main', '' from tenants;
    insert into ssh_keys (id, tenant_id, name, type, public_key, fingerprint, sealed_private_key)
      select gen_random_uuid(), id, 'main', 'ed25519', '', '', '' from tenants;
    insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id)
      select gen_random_uuid(), e.tenant_id, e.id, 'server ' || n, 'host', 22, 'deploy', k.id
      from environments e join ssh_keys k using (tenant_id) cross join generate_series(1, ${SERVERS}) n;
    analyze;
  `);
  const { rows } = await owner.query('select tenant_id as tenant, id from servers order by id');
  await owner.end();
  return rows;
}

async function connect(role) {
  const client = new Client({ connectionString: postgres.url, options: `-c role=${role}` });
  await client.connect();
  return client;
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
