#!/usr/bin/env node
/**
 * One command on many loopback hosts: Runward, from POST to its final status, beside clush or pdsh, in turns; and the
 * most memory that each of Runward's processes had at any time, and its processor time. A peer runs one step only.
 *
 *   npm run bench -w e2e [-- --hosts 50 --rounds 5 --command true --steps 1 --strategy barrier]
 *
 * Quote the ratios of one run: machines are shared and noisy. The peer's key exchange is pinned to curve25519, the
 * fair comparison; its own default costs a client several times as much.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inRoot } from '../../scripts/lib/paths.mjs';
import { ensureSshd, startSshd } from '../../scripts/lib/sshd.mjs';

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '5' },
    command: { type: 'string', default: 'true' },
    steps: { type: 'string', default: '1' },
    strategy: { type: 'string', default: 'barrier' },
  },
});
const HOSTS = Number(values.hosts);
const ROUNDS = Number(values.rounds);
const COMMAND = values.command;
const STEPS = Number(values.steps);
const READY_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'runward-bench-'));
const ends = [() => rmSync(folder, { recursive: true, force: true })];

async function main() {
  const addresses = Array.from({ length: HOSTS }, (_, n) => `127.0.${1 + Math.floor(n / 250)}.${1 + (n % 250)}`);
  const fleet = await startSshd({
    sshdPath: await ensureSshd({ log: console.error }),
    dir: join(folder, 'fleet'),
    addresses,
    // Hundreds of servers of their own would be what is measured.
    oneMachine: true,
  });
  ends.push(() => fleet.stop());
  const runward = await startRunward();
  const key = await runward.call('POST', '/api/ssh-keys', { name: 'bench', generate: { type: 'ed25519' } });
  await fleet.addAuthorizedKey(key.publicKey);
  const planId = await register(runward, fleet, addresses, key.id);
  const peer = STEPS === 1 ? peerFor(fleet, addresses, key.privateKey) : null;

  const rows = [];
  const usedBefore = usageOf(runward.pid);
  // The first round warms caches on both sides and is not counted.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const theirs = peer ? await timed(peer.run) : null;
    const ours = await timedRun(runward, planId);
    if (round > 0) rows.push({ ours, theirs });
    console.log(
      `${round === 0 ? 'warm-up' : `round ${round}`}: Runward ${ours.toFixed(0)} ms${theirs ? `, ${peer.name} ${theirs.toFixed(0)} ms, ratio ${(ours / theirs).toFixed(2)}` : ''}`,
    );
  }
  const ratios = rows.filter((row) => row.theirs).map((row) => row.ours / row.theirs);
  console.log(
    `\n${HOSTS} hosts, ${ROUNDS} rounds, medians: Runward ${median(rows.map((row) => row.ours)).toFixed(0)} ms${ratios.length > 0 ? `, ${peer.name} ${median(rows.map((row) => row.theirs)).toFixed(0)} ms, ratio ${median(ratios).toFixed(2)}` : ' (install clustershell or pdsh for a comparison)'}`,
  );
  for (const { pid, role, mib, cpuMs } of usageOf(runward.pid)) {
    const used = cpuMs - (usedBefore.find((before) => before.pid === pid)?.cpuMs ?? 0);
    const perHost = (used / HOSTS / (ROUNDS + 1)).toFixed(1);
    console.log(`${role}: at most ${mib.toFixed(0)} MiB, processor time ${perHost} ms per host and round`);
  }
}

/** The most memory of each process of the product, in MiB, and its processor time (proc(5)); the database's not. */
function usageOf(pid) {
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
      // A process may end while it is looked at.
      if (!['ENOENT', 'ESRCH'].includes(error.code)) throw error;
    }
  }
  return usage;
}

async function startRunward() {
  const port = await freePort();
  const password = randomBytes(12).toString('base64url');
  const child = spawn(process.execPath, [inRoot('backend/dist/main.js')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      RUNWARD_PORT: String(port),
      RUNWARD_DATA_DIR: join(folder, 'data'),
      RUNWARD_ADMIN_EMAIL: 'admin@bench.test',
      RUNWARD_ADMIN_PASSWORD: password,
    },
  });
  ends.push(
    () => new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve).kill('SIGTERM') : resolve())),
  );
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
  return { call, pid: child.pid };
}

async function register({ call }, fleet, addresses, sshKeyId) {
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
    if (index === 0) await call('PUT', `/api/inventory/servers/${id}/host-key/shared`, { shared: true });
  }
  const plan = await call('POST', '/api/plans', {
    name: 'bench',
    environmentId,
    strategy: values.strategy,
    steps: Array.from({ length: STEPS }, (_, n) => ({ key: `step-${n + 1}`, command: COMMAND })),
  });
  return plan.id;
}

async function timedRun({ call }, planId) {
  const begin = performance.now();
  const run = await call('POST', '/api/executions', { planId, execution_mode: 'auto' });
  let end = run;
  while (!end.finished) end = await call('GET', `/api/executions/${run.id}?wait=55&until=settled`);
  if (end.status !== 'SUCCEEDED') throw new Error(`The run ended ${end.status}: ${end.statusReason?.text}`);
  return performance.now() - begin;
}

function peerFor(fleet, addresses, privateKey) {
  const config = join(folder, 'ssh_config');
  const identity = join(folder, 'id');
  const known = join(folder, 'known_hosts');
  const list = join(folder, 'hosts');
  writeFileSync(identity, privateKey, { mode: 0o600 });
  writeFileSync(
    known,
    addresses.map((host) => `[${host}]:${fleet.port} ${fleet.hostKey.type} ${fleet.hostKey.publicKey}\n`).join(''),
  );
  writeFileSync(list, `${addresses.join('\n')}\n`);
  writeFileSync(
    config,
    `Host *\n  User ${fleet.user}\n  Port ${fleet.port}\n  IdentityFile ${identity}\n  IdentitiesOnly yes\n  UserKnownHostsFile ${known}\n  GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking yes\n  UpdateHostKeys no\n  GSSAPIAuthentication no\n  BatchMode yes\n  LogLevel ERROR\n  KexAlgorithms curve25519-sha256\n`,
  );
  if (isThere('clush')) {
    return {
      name: 'clush',
      run: () => ended('clush', ['-S', '-f', '64', '-o', `-F ${config}`, '--hostfile', list, COMMAND]),
    };
  }
  if (isThere('pdsh')) {
    const env = { ...process.env, PDSH_SSH_ARGS_APPEND: `-F ${config}` };
    return { name: 'pdsh', run: () => ended('pdsh', ['-S', '-R', 'ssh', '-f', '32', '-w', `^${list}`, COMMAND], env) };
  }
  return null;
}

function isThere(program) {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function ended(program, args, env = process.env) {
  const [code] = await once(spawn(program, args, { env, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit');
  if (code !== 0) throw new Error(`${program} ended with code ${code}.`);
}

async function timed(work) {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
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
    if (Date.now() > deadline) throw new Error('Runward did not get ready in time.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

try {
  await main();
} finally {
  for (const end of ends.reverse()) await end();
}
