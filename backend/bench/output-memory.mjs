/**
 * What a flood of output costs a worker: ten hosts print 1 GB each at the same time, and the memory of the worker's
 * process is sampled meanwhile. Prints the highest resident size, how much was stored of each host's output, and how
 * long it took. Build first; run with: node backend/bench/output-memory.mjs [hosts] [MB per host]
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { ensureSshd, startSshd } from '../../scripts/lib/sshd.mjs';
import { startEmbeddedPostgres } from '../dist/common/database/embedded-postgres.js';
import { generateKeyPair } from '../dist/transport/key-material.js';

const HOSTS = Number(process.argv[2] ?? 10);
const MEGABYTES = Number(process.argv[3] ?? 1024);
const SAMPLE_MS = 200;
const LIMIT = 16 * 1024 * 1024;
const ADMIN = { email: 'bench@example.test', password: randomBytes(12).toString('hex'), tenant: 'bench' };

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const dir = await mkdtemp(join(tmpdir(), 'runward-bench-'));
const key = await generateKeyPair({ type: 'ed25519', comment: 'bench' });
const addresses = Array.from({ length: HOSTS }, (_, index) => `127.0.3.${index + 1}`);
const sshd = await startSshd({ sshdPath: await ensureSshd(), dir, authorizedKeys: [key.publicKey], addresses });
const postgres = await startEmbeddedPostgres({ dataDir: join(dir, 'data'), log: () => undefined });
const port = await freePort();
const runward = spawn(process.execPath, [join(import.meta.dirname, '../dist/main.js')], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    ...process.env,
    DATABASE_URL: postgres.url,
    RUNWARD_PORT: String(port),
    RUNWARD_DATA_DIR: join(dir, 'runward'),
    RUNWARD_MASTER_KEY: randomBytes(32).toString('base64'),
    RUNWARD_WORKERS: '1',
    RUNWARD_OUTPUT_LIMIT_BYTES: String(LIMIT),
    RUNWARD_ADMIN_EMAIL: ADMIN.email,
    RUNWARD_ADMIN_PASSWORD: ADMIN.password,
    RUNWARD_TENANT: ADMIN.tenant,
  },
});
try {
  await bench();
} finally {
  const gone = new Promise((resolve) => runward.once('exit', resolve));
  runward.kill('SIGTERM');
  await gone;
  await postgres.stop();
  await sshd.stop();
  await rm(dir, { recursive: true, force: true });
}

async function bench() {
  const url = `http://127.0.0.1:${port}`;
  while ((await fetch(`${url}/api/health/ready`).catch(() => null))?.status !== 200) await pause(100);
  const login = await fetch(`${url}/api/auth/login`, request(ADMIN));
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0];
  const create = async (path, body) => {
    const answer = await fetch(url + path, request(body, cookie));
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()).id;
  };
  const environmentId = await create('/api/environments', { name: 'bench' });
  const sshKeyId = await create('/api/ssh-keys', { name: 'bench', privateKey: key.privateKey });
  const hostKey = { publicKey: `${sshd.hostKey.type} ${sshd.hostKey.publicKey}` };
  for (const [index, hostname] of addresses.entries()) {
    const server = { name: `host-${index}`, hostname, port: sshd.port, username: sshd.user, sshKeyId, environmentId };
    await create('/api/inventory/servers', { ...server, hostKey });
  }
  const command = `yes "$(printf 'x%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)" | head -c ${MEGABYTES}000000`;
  const steps = [{ key: 'flood', command, timeoutSeconds: 3600 }];
  const planId = await create('/api/plans', { name: 'flood', environmentId, steps });
  const worker = await workerOf(runward.pid);
  const idle = await residentMegabytes(worker);
  const from = performance.now();
  const id = await create('/api/executions', { planId, execution_mode: 'auto' });
  let highest = idle;
  let run;
  do {
    await pause(SAMPLE_MS);
    highest = Math.max(highest, await residentMegabytes(worker));
    run = await (await fetch(`${url}/api/executions/${id}`, { headers: { cookie } })).json();
  } while (!run.finished);
  const seconds = (performance.now() - from) / 1000;
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query(
    `select h.output_bytes, h.dropped_bytes, (select sum(octet_length(data)) from output_chunks c where c.server_id = h.server_id) as stored
      from host_results h`,
  );
  await client.end();
  console.log(`${run.status} after ${seconds.toFixed(1)} s: ${HOSTS} hosts printed ${MEGABYTES} MB each.`);
  console.log(`Worker: ${idle.toFixed(0)} MB before, ${highest.toFixed(0)} MB at most.`);
  for (const { output_bytes, dropped_bytes, stored } of rows)
    console.log(`seen ${output_bytes}, stored ${stored}, dropped ${dropped_bytes}`);
  const within = rows.every(({ output_bytes, dropped_bytes, stored }) => {
    return Number(stored) <= LIMIT && Number(stored) + Number(dropped_bytes) === Number(output_bytes);
  });
  console.log(within ? 'Stored output is within the limit, and what was dropped is counted.' : 'OVER THE LIMIT');
}

function request(body, cookie) {
  const headers = { 'content-type': 'application/json', ...(cookie ? { cookie } : {}) };
  return { method: 'POST', headers, body: JSON.stringify(body) };
}

async function workerOf(parent) {
  for (;;) {
    for (const name of (await readdir('/proc')).filter((each) => /^\d+$/.test(each))) {
      const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
      if (Number(/\) \S (\d+)/.exec(stat)?.[1]) === parent) return Number(name);
    }
    await pause(100);
  }
}

async function residentMegabytes(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port: free } = server.address();
      server.close(() => resolve(free));
    });
  });
}
