/** Starts a built Runward in a separate installation and measures its processes. Linux only. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { inRoot, SERVER_ENVIRONMENT, SERVER_OPTIONS, SERVER_PROGRAM } from '../../../scripts/lib/paths.mjs';

const READY_MS = 60_000;

export const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

export async function timed(work) {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/**
 * Starts API, worker and database.
 * @param folder data folder
 * @param settings additional environment variables
 */
export async function startRunward(folder, settings = {}) {
  const port = await freePort();
  const password = randomBytes(12).toString('base64url');
  const child = spawn(process.execPath, [...SERVER_OPTIONS, inRoot(SERVER_PROGRAM)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      ...SERVER_ENVIRONMENT,
      RUNWARD_PORT: String(port),
      RUNWARD_DATA_DIR: join(folder, 'data'),
      RUNWARD_ADMIN_EMAIL: 'admin@bench.test',
      RUNWARD_ADMIN_PASSWORD: password,
      ...settings,
    },
  });
  const end = () =>
    new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve).kill('SIGTERM') : resolve()));
  const base = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${base}/api/health/ready`)).ok);
  const login = await fetch(`${base}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'admin@bench.test', password }),
  });
  const cookie = login.headers.get('set-cookie').split(';')[0];
  const call = async (method, path, body) => {
    const answer = await fetch(base + path, {
      method,
      headers: { cookie, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body && JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const databasePid = () =>
    Number(readFileSync(join(folder, 'data/postgres/data/postmaster.pid'), 'utf8').split('\n')[0]);
  return { base, call, pid: child.pid, databasePid, end };
}

/**
 * Creates the environment `bench`. Registers all addresses of the fleet as servers that are one machine. Returns the ID
 * of the environment.
 */
export async function registerFleet({ call }, fleet, addresses, sshKeyId) {
  const { id: environmentId } = await call('POST', '/api/environments', { name: 'bench' });
  const hostKey = { publicKey: `${fleet.hostKey.type} ${fleet.hostKey.publicKey}` };
  for (const [index, hostname] of addresses.entries()) {
    const { id } = await call('POST', '/api/inventory/servers', {
      name: hostname,
      hostname,
      port: fleet.port,
      username: fleet.user,
      sshKeyId,
      environmentId,
      hostKey,
    });
    // All servers are one machine, so each needs its own file names.
    await call('PUT', `/api/inventory/servers/${id}/variables/host`, { value: hostname, type: 'string' });
    if (index === 0) await call('PUT', `/api/inventory/servers/${id}/host-key/shared`, { shared: true });
  }
  return environmentId;
}

export async function measureRun({ call }, planId, executionMode = 'auto', variables = {}) {
  const begin = performance.now();
  const run = await call('POST', '/api/executions', { planId, execution_mode: executionMode, variables });
  let end = run;
  while (!end.finished) end = await call('GET', `/api/executions/${run.id}?wait=55&until=settled`);
  if (end.status !== 'SUCCEEDED') throw new Error(`The run ended ${end.status}: ${end.statusReason?.text}`);
  return performance.now() - begin;
}

/** Returns peak memory in MiB and processor time of each Runward process (proc(5)), without the database. */
export function readUsage(pid) {
  const usage = [];
  for (const each of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${each}/status`, 'utf8');
      const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
      if (Number(each) !== pid && parent !== pid) continue;
      if (!readFileSync(`/proc/${each}/cmdline`, 'utf8').includes('main.js')) continue;
      const role = /(?:^|\0)RUNWARD_ROLE=(\w+)/.exec(readFileSync(`/proc/${each}/environ`, 'utf8'))?.[1] ?? 'all';
      const ticks = readFileSync(`/proc/${each}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13).map(Number);
      const cpuMs = (ticks[0] + ticks[1]) * 10;
      usage.push({ pid: each, role, mib: Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024, cpuMs });
    } catch (error) {
      if (!['ENOENT', 'ESRCH'].includes(error.code)) throw error;
    }
  }
  return usage;
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function until(condition) {
  const deadline = Date.now() + READY_MS;
  while (!(await condition().catch(() => false))) {
    if (Date.now() > deadline) throw new Error('Runward was not ready in time.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
