/**
 * Measures the cost of the host journal. Runs the same command with and without a journal over one warm connection to
 * an sshd on loopback, in alternating turns. Each command with a journal also makes the host forget the previous one.
 * Prints medians per command:
 * - duration
 * - processes that the host forked, CPU time of the host and of this process
 * - bytes and round trips (changes of direction towards the host), counted by a relay on a separate connection
 *
 * Processes and CPU time of the host are counted in a separate process namespace. Without the right to create one
 * (root), the process count is that of the whole machine in the quietest turn, and CPU time of the host is not
 * available.
 *
 * Build first. Usage: node tools/bench/journal-cost.mjs [turns]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSshd, startSshd } from '../../scripts/lib/sshd.mjs';

const NAMESPACE_MARKER = 'RUNWARD_BENCH_NAMESPACE';
const isolated = process.env[NAMESPACE_MARKER] === '1';
if (!isolated) {
  const again = 'node "$@"; exit $?'; // the shell is process 1 of the namespace and adopts orphans
  const unshareOptions = ['--pid', '--fork', '--kill-child', '--mount-proc'];
  if (spawnSync('unshare', [...unshareOptions, 'true'], { stdio: 'ignore' }).status === 0) {
    const env = { ...process.env, [NAMESPACE_MARKER]: '1' };
    const run = ['sh', '-c', again, 'sh', ...process.argv.slice(1)];
    process.exit(spawnSync('unshare', [...unshareOptions, ...run], { stdio: 'inherit', env }).status ?? 1);
  }
}
const dist = process.env.RUNWARD_BENCH_DIST ?? '../../backend/dist';
const { generateKeyPair } = await import(`${dist}/transport/keys/key-material.js`);
const { openConnection } = await import(`${dist}/transport/connection/ssh-connection.js`);

const TURN_COUNT = Number(process.argv[2] ?? 12);
const COMMANDS_PER_TURN = 20;
const COMMANDS = {
  true: 'true',
  'a command of 200 lines': Array.from(
    { length: 200 },
    (_, n) => `value_${n}='${'x'.repeat(40)}'; echo "line ${n}"`,
  ).join('\n'),
};

const dir = await mkdtemp(join(tmpdir(), 'runward-bench-'));
const home = join(dir, 'home');
const key = await generateKeyPair({ type: 'ed25519', comment: 'bench' });
const sshd = await startSshd({
  sshdPath: await ensureSshd(),
  dir,
  authorizedKeys: [key.publicKey],
  extraConfig: `SetEnv HOME=${home}`,
});
const relayCounts = { bytes: 0, turns: 0, toHost: false };
const relay = net.createServer((clientSocket) => {
  const far = net.connect(sshd.port, '127.0.0.1');
  const count = (toHost) => (piece) => {
    relayCounts.bytes += piece.length;
    if (toHost && !relayCounts.toHost) relayCounts.turns += 1;
    relayCounts.toHost = toHost;
  };
  clientSocket.on('data', count(true)).pipe(far);
  far.on('data', count(false)).pipe(clientSocket);
  for (const socket of [clientSocket, far]) socket.on('error', () => undefined);
});
try {
  await mkdir(home);
  const readId = (flag) => Number(execFileSync('id', [flag, sshd.user], { encoding: 'utf8' }));
  if (process.getuid() === 0) await chown(home, readId('-u'), readId('-g'));
  await new Promise((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const { user: username, hostKey } = sshd;
  const to = (port) =>
    openConnection({ host: '127.0.0.1', port, username, privateKey: key.privateKey, hostKeys: [hostKey] });
  const [connection, relayConnection] = [await to(sshd.port), await to(relay.address().port)];
  for (const [name, script] of Object.entries(COMMANDS)) {
    const sides = { plain: [], journal: [] };
    const variants = { plain: () => exec(connection, { script }), journal: makeJournaled(connection, script) };
    for (let turn = -1; turn < TURN_COUNT; turn += 1) {
      // The side that comes first alternates. Turn -1 only warms up.
      for (const side of turn % 2 === 0 ? ['plain', 'journal'] : ['journal', 'plain']) {
        const before = snapshot();
        for (let n = 0; n < COMMANDS_PER_TURN; n += 1) await variants[side]();
        const after = snapshot();
        if (turn >= 0) sides[side].push(after.map((value, at) => (value - before[at]) / COMMANDS_PER_TURN));
      }
    }
    const relayVariants = {
      plain: () => exec(relayConnection, { script }),
      journal: makeJournaled(relayConnection, script),
    };
    const medians = {};
    for (const [side, turns] of Object.entries(sides)) {
      await relayVariants[side]();
      Object.assign(relayCounts, { bytes: 0, turns: 0 });
      for (let n = 0; n < COMMANDS_PER_TURN; n += 1) await relayVariants[side]();
      const column = (at) => turns.map((turn) => turn[at]).toSorted((a, b) => a - b);
      const medianAt = (at) => column(at)[Math.floor(TURN_COUNT / 2)];
      const [ms, ownCpu, hostCpu] = [medianAt(0), medianAt(1), isolated ? medianAt(2) : NaN];
      const processes = isolated ? medianAt(3) : column(3)[0];
      const [bytes, trips] = [relayCounts.bytes, relayCounts.turns].map((count) => count / COMMANDS_PER_TURN);
      medians[side] = { ms, ownCpu, hostCpu, processes, bytes, trips };
    }
    for (const what of Object.keys(medians.plain)) {
      const [journalMs, plainMs] = [medians.journal[what], medians.plain[what]];
      process.stdout.write(
        `${name}: ${what}: ${journalMs.toFixed(2)} with a journal, ${plainMs.toFixed(2)} without; ratio ${(journalMs / plainMs).toFixed(2)}\n`,
      );
    }
  }
  process.stdout.write(
    `${TURN_COUNT} turns of ${COMMANDS_PER_TURN} commands each, one after another over one connection\n`,
  );
  connection.end();
  relayConnection.end();
} finally {
  relay.close();
  await sshd.stop();
  await rm(dir, { recursive: true, force: true });
}

function makeJournaled(connection, script) {
  const folderId = randomUUID();
  let forget = [];
  const pending = [];
  return async () => {
    const dispatchId = randomUUID();
    const remove = pending.length < 16 ? [] : pending.splice(0);
    pending.push(...forget);
    await exec(connection, {
      script,
      journal: { folderId, dispatchId, generation: 1, spoolBytes: 1 << 20, forget, remove },
    });
    forget = [dispatchId];
  };
}

async function exec(connection, request) {
  const command = await connection.exec({ ...request, onOutput: () => undefined });
  const result = await command.result;
  if (result.exitCode !== 0 || command.journaled !== Boolean(request.journal)) throw new Error(JSON.stringify(result));
}

/** Returns elapsed time, CPU time of this process and of the host (all in ms), and the number of started processes. */
function snapshot() {
  const { user, system } = process.cpuUsage();
  return [performance.now(), (user + system) / 1000, isolated ? hostCpuMs() : 0, countProcesses()];
}

function hostCpuMs() {
  const TICK_MS = 10;
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1).split(' ');
      for (const at of [11, 12, 13, 14]) ticks += Number(fields[at]);
    } catch {
      // The process has ended; its parent includes its time.
    }
  }
  return ticks * TICK_MS;
}

/**
 * Number of process IDs assigned so far, including those of threads. Counts the separate namespace, or the whole
 * machine without one.
 */
function countProcesses() {
  if (isolated) return Number(readFileSync('/proc/loadavg', 'utf8').trim().split(' ').at(-1));
  return Number(/^processes (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))[1]);
}
