/**
 * What the host journal costs: the same command over one warm connection with a journal and without, in turns, on a
 * real sshd on loopback. Prints medians, their ratio, and how many processes the host starts for a command. Each
 * command with a journal also removes what the one before it left. Build first; run with: node backend/bench/journal-cost.mjs
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSshd, startSshd } from '../../scripts/lib/sshd.mjs';
import { generateKeyPair } from '../dist/transport/keys/key-material.js';
import { openConnection } from '../dist/transport/connection/ssh-connection.js';

const ROUNDS = Number(process.argv[2] ?? 200);
const WARM_UP = 10;
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
try {
  await mkdir(home);
  const idOf = (flag) => Number(execFileSync('id', [flag, sshd.user], { encoding: 'utf8' }));
  if (process.getuid() === 0) await chown(home, idOf('-u'), idOf('-g'));
  const { port, user: username, hostKey } = sshd;
  const connection = await openConnection({ host: '127.0.0.1', port, username, privateKey: key.privateKey, hostKey });
  for (const [name, script] of Object.entries(COMMANDS)) {
    const runId = randomUUID();
    let forget = [];
    const sides = {
      plain: { ms: [], processes: [], run: () => exec(connection, { script }) },
      journal: {
        ms: [],
        processes: [],
        run: async () => {
          const dispatchId = randomUUID();
          await exec(connection, { script, journal: { runId, dispatchId, epoch: 1, spoolBytes: 1 << 20, forget } });
          forget = [dispatchId];
        },
      },
    };
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      // Each is first as often as the other; the first rounds only warm up.
      const order = round % 2 === 0 ? ['plain', 'journal'] : ['journal', 'plain'];
      for (const side of order.map((each) => sides[each])) {
        const started = processesStarted();
        const from = performance.now();
        await side.run();
        const ms = performance.now() - from;
        if (round >= 0) side.ms.push(ms) && side.processes.push(processesStarted() - started);
      }
    }
    const [plain, journal] = [median(sides.plain.ms), median(sides.journal.ms)];
    process.stdout.write(
      `${name}: ${journal.toFixed(2)} ms with a journal, ${plain.toFixed(2)} ms without; ratio ${(journal / plain).toFixed(2)}; ` +
        `processes ${median(sides.journal.processes)} and ${median(sides.plain.processes)}\n`,
    );
    await connection.forget(runId, { whole: true });
  }
  process.stdout.write(`${ROUNDS} commands each, one after another over one connection\n`);
  connection.end();
} finally {
  await sshd.stop();
  await rm(dir, { recursive: true, force: true });
}

async function exec(connection, request) {
  const command = await connection.exec({ ...request, onOutput: () => undefined });
  const result = await command.result;
  if (result.exitCode !== 0 || command.journaled !== Boolean(request.journal)) throw new Error(JSON.stringify(result));
}

/** Processes and threads that this machine has started since it was booted. */
function processesStarted() {
  return Number(/^processes (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))[1]);
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
