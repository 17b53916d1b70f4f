/** Starts a built Runward on a separate embedded PostgreSQL and measures its processes. Linux only. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { SERVER_ENVIRONMENT, SERVER_OPTIONS } from '../../../scripts/lib/paths.mjs';
import { WORKER_NODE_OPTIONS } from '../../../backend/dist/boot/worker-processes.js';
import { startEmbeddedPostgres } from '../../../backend/dist/common/database/embedded/embedded-postgres.js';

/** Clock ticks per second: the unit of CPU time in /proc. */
const TICKS_PER_SECOND = 100;
const MAIN_PROGRAM = join(import.meta.dirname, '../../../backend/dist/bundle/main.js');
const ADMIN = { email: 'bench@example.test', password: randomBytes(12).toString('hex'), tenant: 'bench' };

export const load = () =>
  loadavg()
    .map((each) => each.toFixed(1))
    .join(' ');
export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * Starts the database and the API. `worker()` starts a worker.
 * @param common environment variables of all processes
 * @param program main file of all processes
 * @param apiOptions further Node.js options of the API
 */
export async function startBench(common = {}, { program = MAIN_PROGRAM, apiOptions = [] } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'runward-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir: join(dir, 'data'), log: () => undefined });
  const masterKey = randomBytes(32).toString('base64');
  const port = await freePort();
  const processes = [];
  const start = (role, settings = {}, options = []) => {
    const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('RUNWARD_')));
    const child = spawn(process.execPath, [...options, program], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...own,
        ...SERVER_ENVIRONMENT,
        DATABASE_URL: postgres.url,
        RUNWARD_ROLE: role,
        RUNWARD_PORT: String(port),
        RUNWARD_DATA_DIR: join(dir, `runward-${processes.length}`),
        RUNWARD_MASTER_KEY: masterKey,
        RUNWARD_RATE_LIMIT_PER_MINUTE: '1000000',
        RUNWARD_ADMIN_EMAIL: ADMIN.email,
        RUNWARD_ADMIN_PASSWORD: ADMIN.password,
        RUNWARD_TENANT: ADMIN.tenant,
        ...common,
        ...settings,
      },
    });
    processes.push(child);
    return child;
  };
  const api = start('api', {}, [...SERVER_OPTIONS, ...apiOptions]);
  api.stdout.resume();
  const url = `http://127.0.0.1:${port}`;
  while ((await fetch(`${url}/api/health/ready`).catch(() => null))?.status !== 200) {
    if (api.exitCode !== null) throw new Error('Runward ended.');
    await pause(100);
  }
  const login = await fetch(`${url}/api/auth/login`, request(ADMIN));
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0];
  const tenantId = (await login.json()).tenant.id;
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`select set_config('app.tenant', $1, false)`, [tenantId]);

  return {
    dir,
    tenantId,
    api: api.pid,
    url,
    cookie,
    sql: async (text, values) => (await client.query(text, values)).rows,
    async get(path) {
      const answer = await fetch(url + path, { headers: { cookie } });
      if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    },
    async send(method, path, body) {
      const answer = await fetch(url + path, { ...request(body, cookie), method });
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    },
    /** Starts a worker with the options that `RUNWARD_ROLE=all` uses, and waits until it is ready. */
    async worker(settings = {}, options = []) {
      const child = start('worker', settings, [...WORKER_NODE_OPTIONS, ...options]);
      let printed = '';
      await new Promise((resolve, reject) => {
        child.once('exit', () => reject(new Error(`The worker ended: ${printed}`)));
        child.stdout.on('data', (bytes) => {
          printed += bytes;
          if (printed.includes('worker is ready')) resolve();
        });
      });
      return { pid: child.pid, end: () => end(child), kill: () => end(child, 'SIGKILL') };
    },
    /** Measures `work`: elapsed ms, MB of write-ahead log and CPU seconds of the database. */
    async cost(work) {
      const [{ lsn }] = await this.sql('select pg_current_wal_lsn() as lsn');
      const cpu = await databaseSeconds(postgres);
      const from = performance.now();
      const result = await work();
      const ms = performance.now() - from;
      const [{ bytes }] = await this.sql('select pg_current_wal_lsn() - $1::pg_lsn as bytes', [lsn]);
      return { result, ms, walMb: Number(bytes) / 1e6, databaseCpu: (await databaseSeconds(postgres)) - cpu };
    },
    async close() {
      for (const child of processes) await end(child);
      await client.end();
      await postgres.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function end(child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exited;
}

function request(body, cookie) {
  const headers = { 'content-type': 'application/json', ...(cookie ? { cookie } : {}) };
  return { method: 'POST', headers, body: JSON.stringify(body) };
}

/** Returns the CPU time of the process since its start, in seconds. */
export async function processorSeconds(pid) {
  const [user, system] = (await fieldsOf(pid)).slice(11, 13);
  return (Number(user) + Number(system)) / TICKS_PER_SECOND;
}

export async function peakMegabytes(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** Returns the CPU time of all database processes in seconds, including processes that have ended. */
async function databaseSeconds(postgres) {
  const all = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => ({ pid: Number(pid), fields: await fieldsOf(pid).catch(() => null) })),
  );
  const main = await mainProcess(postgres);
  return all
    .filter(({ pid, fields }) => fields && (pid === main || Number(fields[1]) === main))
    .reduce((sum, { pid, fields }) => {
      // When a parent has waited for an ended child, Linux adds the child's time to the parent's.
      const cpuFields = pid === main ? fields.slice(11, 15) : fields.slice(11, 13);
      return sum + cpuFields.reduce((partSum, each) => partSum + Number(each), 0) / TICKS_PER_SECOND;
    }, 0);
}

const mainProcesses = new Map();
async function mainProcess(postgres) {
  const known = mainProcesses.get(postgres.url);
  if (known) return known;
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const pid = Number((await fieldsOf(rows[0].pid))[1]);
  await client.end();
  mainProcesses.set(postgres.url, pid);
  return pid;
}

/** Returns the fields of /proc/PID/stat, beginning with the process state. */
async function fieldsOf(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
