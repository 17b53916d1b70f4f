#!/usr/bin/env node
/**
 * Measures starts, reads of a run and lists of runs, in environments with few and many servers: time, requests a
 * second, and processor time of the API and PostgreSQL. No worker runs, so that every run stays pending.
 *
 *   npm run bench:requests -w e2e [-- --servers 10,1000,10000 --requests 1000 --connections 16 --json FILE]
 *
 * `--json FILE` saves the figures. On a shared machine, processor time per request is far more stable than time. To
 * compare two builds, alternate them.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { inRoot } from '../../scripts/lib/paths.mjs';
import { Connection } from './lib/http-connection.mjs';
import { Report } from './lib/report.mjs';
import { startRunward, readUsage } from './lib/runward.mjs';

const { startEmbeddedPostgres } = await import(inRoot('backend/dist/common/database/embedded/embedded-postgres.js'));

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '10,1000,10000' },
    requests: { type: 'string', default: '1000' },
    connections: { type: 'string', default: '16' },
    json: { type: 'string' },
  },
});
const SIZES = values.servers.split(',').map(Number);
const REQUESTS = Number(values.requests);
const CONNECTIONS = Number(values.connections);
/**
 * Only the last round counts. Earlier rounds warm caches, and Node.js compiles hot functions within about 5,000
 * requests.
 */
const ROUNDS = 6;
const GOAL_BY_FIGURE = {
  startAlone: ['starts, one after the other', { p50: { most: 10 }, p99: { most: 50 } }],
  start: [`starts, ${CONNECTIONS} connections`, { perSecond: { least: 400 } }],
  get: [`GET of a run, ${CONNECTIONS} connections`, { perSecond: { least: 1000 } }],
  list: [`list of 50 runs, ${CONNECTIONS} connections`, { perSecond: { least: 800 } }],
};
const UNITS = { p50: 'ms', p99: 'ms', perSecond: '/s', apiCpuMs: 'ms', databaseCpuMs: 'ms' };
const FIGURE_NAMES = {
  perSecond: 'a second',
  apiCpuMs: 'processor of the API',
  databaseCpuMs: 'processor of the database',
};

const folder = mkdtempSync(join(tmpdir(), 'runward-bench-'));
const ends = [() => rmSync(folder, { recursive: true, force: true })];
try {
  const runward = await startRunward(folder, { RUNWARD_ROLE: 'api', RUNWARD_RATE_LIMIT_PER_MINUTE: '1000000' });
  ends.push(runward.end);
  const { url } = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: () => undefined, share: true });
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  ends.push(() => database.end());
  const { id: keyId } = await runward.call('POST', '/api/ssh-keys', { name: 'bench', generate: { type: 'ed25519' } });
  const { token } = await runward.call('POST', '/api/tokens', { name: 'bench' });
  const report = new Report('requests');
  for (const size of SIZES) {
    const measured = await measureSize({ runward, database, keyId, token }, size);
    for (const [what, figures] of Object.entries(measured)) {
      const [name, goals] = GOAL_BY_FIGURE[what];
      for (const [figure, value] of Object.entries(figures))
        report.add({
          work: `${name}, ${size} servers`,
          figure: FIGURE_NAMES[figure] ?? figure,
          value,
          unit: UNITS[figure],
          goal: goals[figure],
        });
    }
  }
  const apiMib = Math.round(Math.max(...readUsage(runward.pid).map(({ mib }) => mib)));
  report.add({
    work: `${REQUESTS} of each`,
    figure: 'memory of the API',
    value: apiMib,
    unit: 'MiB',
    goal: { most: 250 },
  });
  report.save(values.json);
} finally {
  for (const end of ends.reverse()) await end();
}

async function measureSize({ runward, database, keyId, token }, size) {
  // Each start needs a free server, so small sizes use several environments.
  const environments = Math.ceil(REQUESTS / size);
  const targets = [];
  let planId;
  for (let index = 0; index < environments; index += 1) {
    const { id: environmentId } = await runward.call('POST', '/api/environments', { name: `of-${size}-${index}` });
    planId ??= (
      await runward.call('POST', '/api/plans', {
        name: `of ${size}`,
        environmentId,
        parallelSafe: true,
        steps: [{ key: 'one', command: 'true' }],
      })
    ).id;
    await insertServers(database, { environmentId, keyId, size, name: `s${size}-${index}-` });
    for (let n = 1; n <= size && targets.length < REQUESTS; n += 1)
      targets.push({ planId, environmentId, execution_mode: 'auto', targets: `name=s${size}-${index}-${n}` });
  }
  await database.query('analyze');
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => Connection.open(runward.base, { authorization: `Bearer ${token}` })),
  );
  const started = [];
  const start = (connection, each) => async () => {
    started.push((await connection.call('POST', '/api/executions', targets[each])).id);
  };
  const idle = Math.min(100, Math.floor(REQUESTS / 5));
  const measured = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    await release(database);
    started.length = 0;
    measured.startAlone = await load(runward, connections.slice(0, 1), idle, start);
    measured.start = await load(runward, connections, REQUESTS - idle, (connection, each) =>
      start(connection, idle + each),
    );
  }
  // PostgreSQL would analyze the tables a minute later.
  await database.query('analyze');
  const get = (connection, each) => () => connection.call('GET', `/api/executions/${started[each % started.length]}`);
  const list = (connection) => () => connection.call('GET', '/api/executions?limit=50');
  for (let round = 0; round < ROUNDS; round += 1) {
    measured.get = await load(runward, connections, REQUESTS, get);
    measured.list = await load(runward, connections, REQUESTS, list);
  }
  for (const each of connections) each.close();
  await release(database);
  return measured;
}

async function load(runward, connections, count, requestOf) {
  const times = [];
  let next = 0;
  const before = cpu(runward);
  const begin = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      while (next < count) {
        const request = requestOf(connection, next++);
        const from = performance.now();
        await request();
        times.push(performance.now() - from);
      }
    }),
  );
  const ms = performance.now() - begin;
  const after = cpu(runward);
  times.sort((a, b) => a - b);
  const at = (part) => Number(times[Math.floor((times.length - 1) * part)].toFixed(1));
  return {
    p50: at(0.5),
    p99: at(0.99),
    perSecond: Math.round((count / ms) * 1000),
    apiCpuMs: Number(((after.api - before.api) / count).toFixed(2)),
    databaseCpuMs: Number(((after.database - before.database) / count).toFixed(2)),
  };
}

/** Returns the processor time of the process and its database so far, in ms. */
function cpu({ pid, databasePid }) {
  const api = readUsage(pid).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  return { api, database: cpuOfTree(databasePid()) };
}

/** Returns the processor time of a process and its children, including ended children, in ms. */
function cpuOfTree(pid) {
  let ticks = 0;
  for (const each of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${each}/stat`, 'utf8').split(') ')[1].split(' ');
      if (Number(each) === pid)
        ticks += fields
          .slice(11, 15)
          .map(Number)
          .reduce((a, b) => a + b);
      else if (Number(fields[1]) === pid) ticks += Number(fields[11]) + Number(fields[12]);
    } catch (error) {
      if (!['ENOENT', 'ESRCH'].includes(error.code)) throw error;
    }
  }
  return ticks * 10;
}

async function release(database) {
  await database.query(`update executions set status = 'CANCELLED', finished_at = now() where finished_at is null`);
  await database.query('delete from guard_keys');
  await database.query('delete from pgboss.job');
  await database.query('checkpoint');
}

async function insertServers(database, { environmentId, keyId, size, name }) {
  await database.query(
    `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, tags, host_key)
      select gen_random_uuid(), e.tenant_id, e.id, $3 || n, $3 || n || '.bench.test', 22, 'deploy', $2,
          jsonb_build_object('role', 'web', 'number', n::text),
          jsonb_build_object('type', 'ssh-ed25519', 'publicKey', encode(sha256(($3 || n)::bytea), 'base64'),
            'fingerprint', 'SHA256:' || rtrim(encode(sha256(($3 || n)::bytea), 'base64'), '='))
        from environments e, generate_series(1, $4::int) n where e.id = $1`,
    [environmentId, keyId, name, size],
  );
}
