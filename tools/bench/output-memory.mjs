/**
 * Measures the effect of a flood of output: by default ten hosts print 1 GB each at the same time. Samples the memory
 * of worker and API during the run, while clients follow it, and while its stored output is downloaded and searched.
 * Prints peak resident sizes, CPU time, stored output per host and elapsed time. Build first. Usage: node
 * tools/bench/output-memory.mjs [hosts] [MB per host] [followers]
 *
 * Machines are shared and noisy: CPU time and sizes are comparable between runs, seconds only within one session.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { SERVER_OPTIONS } from '../../scripts/lib/paths.mjs';
import { ensureSshd, startSshd } from '../../scripts/lib/sshd.mjs';
import { startEmbeddedPostgres } from '../../backend/dist/common/database/embedded/embedded-postgres.js';
import { generateKeyPair } from '../../backend/dist/transport/keys/key-material.js';

const HOSTS = Number(process.argv[2] ?? 10);
const MEGABYTES = Number(process.argv[3] ?? 1024);
const FOLLOWER_COUNT = Number(process.argv[4] ?? 0);
const SAMPLE_MS = 100;
/** Time for a process to become idle after its start, and to release memory after load, in ms. */
const SETTLE_MS = 5_000;
const LIMIT = 16 * 1024 * 1024;
const TICKS_PER_SECOND = 100;
const ADMIN = { email: 'bench@example.test', password: randomBytes(12).toString('hex'), tenant: 'bench' };

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const dir = await mkdtemp(join(tmpdir(), 'runward-bench-'));
const key = await generateKeyPair({ type: 'ed25519', comment: 'bench' });
const addresses = Array.from({ length: HOSTS }, (_, index) => `127.0.3.${index + 1}`);
const sshd = await startSshd({ sshdPath: await ensureSshd(), dir, authorizedKeys: [key.publicKey], addresses });
const postgres = await startEmbeddedPostgres({ dataDir: join(dir, 'data'), log: () => undefined });
const port = await freePort();
const runward = spawn(
  process.execPath,
  [...SERVER_OPTIONS, join(import.meta.dirname, '../../backend/dist/bundle/main.js')],
  {
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
  },
);
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
  for (const [index, hostname] of addresses.entries()) {
    const server = { name: `host-${index}`, hostname, port: sshd.port, username: sshd.user, sshKeyId, environmentId };
    const { type, publicKey } = sshd.hostKeyOf(hostname);
    await create('/api/inventory/servers', { ...server, hostKey: { publicKey: `${type} ${publicKey}` } });
  }
  const command = `yes "$(printf 'x%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)" | head -c ${MEGABYTES}000000`;
  const steps = [{ key: 'flood', command, timeoutSeconds: 3600 }];
  const planId = await create('/api/plans', { name: 'flood', environmentId, steps });
  const sampler = new Sampler({ worker: await workerOf(runward.pid), api: runward.pid });
  await pause(SETTLE_MS);
  await sampler.tell('idle');

  const from = performance.now();
  const id = await create('/api/executions', { planId, execution_mode: 'auto' });
  const followers = Array.from({ length: FOLLOWER_COUNT }, () => bytesOf(`${url}/api/executions/${id}/stream`, cookie));
  let run;
  do {
    await pause(SAMPLE_MS);
    run = await (await fetch(`${url}/api/executions/${id}`, { headers: { cookie } })).json();
  } while (!run.finished);
  const seconds = (performance.now() - from) / 1000;
  console.log(`${run.status} after ${seconds.toFixed(1)} s: ${HOSTS} hosts printed ${MEGABYTES} MB each.`);
  for (const count of new Set(await Promise.all(followers))) console.log(`Followers got ${count} bytes.`);
  await sampler.tell('flood');
  await pause(SETTLE_MS);
  await sampler.tell('idle again');

  const output = `${url}/api/executions/${id}/output`;
  const downloaded = await bytesOf(output, cookie, { accept: 'text/plain' });
  await sampler.tell(`download of ${downloaded} bytes`);
  await sampler.tell(await search(output, cookie, 'nowhere to be found'));
  await sampler.tell(await search(output, cookie, 'xxx', 4));
  sampler.end();
  await checkStored();
}

async function search(output, cookie, needle, maxRequests = Infinity) {
  let requests = 0;
  let found = 0;
  let longest = 0;
  let after = null;
  do {
    const from = performance.now();
    const query = new URLSearchParams({ q: needle, ...(after ? { after } : {}) });
    const page = await (await fetch(`${output}?${query}`, { headers: { cookie } })).json();
    longest = Math.max(longest, performance.now() - from);
    requests += 1;
    found += page.items.length;
    after = page.nextAfter;
  } while (after && requests < maxRequests);
  return `search: ${found} lines in ${requests} requests, ${longest.toFixed(0)} ms the longest`;
}

async function checkStored() {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query(
    `select h.output_bytes, h.dropped_bytes, (select sum(octet_length(data)) from output_chunks c where c.server_id = h.server_id) as stored
      from host_results h`,
  );
  await client.end();
  const kinds = rows.map(({ output_bytes, dropped_bytes, stored }) => {
    return `seen ${output_bytes}, stored ${stored}, dropped ${dropped_bytes}`;
  });
  for (const kind of new Set(kinds)) console.log(`${kinds.filter((each) => each === kind).length} hosts: ${kind}`);
  const isWithinLimit = rows.every(({ output_bytes, dropped_bytes, stored }) => {
    const all = Number(output_bytes) === MEGABYTES * 1e6;
    return all && Number(stored) <= LIMIT && Number(stored) + Number(dropped_bytes) === Number(output_bytes);
  });
  console.log(isWithinLimit ? 'Stored output is within the limit, and what was dropped is counted.' : 'OVER THE LIMIT');
}

/** Samples the memory of processes and prints the peak values since the previous report. */
class Sampler {
  constructor(pids) {
    this.pids = Object.entries(pids);
    this.highest = {};
    this.seconds = {};
    this.timer = setInterval(() => void this.sample(), SAMPLE_MS);
  }

  async sample() {
    for (const [name, pid] of this.pids) {
      this.highest[name] = Math.max(this.highest[name] ?? 0, await residentMegabytes(pid));
    }
  }

  async tell(what) {
    await this.sample();
    const parts = [];
    for (const [name, pid] of this.pids) {
      const seconds = await processorSeconds(pid);
      const [now, used] = [await residentMegabytes(pid), seconds - (this.seconds[name] ?? 0)];
      parts.push(
        `${name} ${this.highest[name].toFixed(0)} MB at most, ${now.toFixed(0)} now, ${used.toFixed(1)} s CPU`,
      );
      this.seconds[name] = seconds;
      this.highest[name] = now;
    }
    console.log(`  ${what}: ${parts.join('; ')}`);
  }

  end() {
    clearInterval(this.timer);
  }
}

async function bytesOf(url, cookie, headers = {}) {
  const { body } = await fetch(url, { headers: { cookie, ...headers } });
  let count = 0;
  for await (const piece of body) count += piece.length;
  return count;
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

async function processorSeconds(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) / TICKS_PER_SECOND;
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

try {
  await bench();
} finally {
  const exited = new Promise((resolve) => runward.once('exit', resolve));
  runward.kill('SIGTERM');
  await exited;
  await postgres.stop();
  await sshd.stop();
  await rm(dir, { recursive: true, force: true });
}
