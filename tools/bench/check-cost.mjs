/**
 * Measures the cost of scheduled and requested server checks. All servers are one sshd; each has its own loopback
 * address. Prints, per 1,000 checks, the CPU time of worker and database and the size of the write-ahead log, and the
 * peak memory of the worker. Build first. Usage: node tools/bench/check-cost.mjs [servers] [requested checks]
 *
 * Machines are shared and noisy: CPU time and sizes are comparable between runs, seconds only within one run.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureSshd, startSshd } from '../../scripts/lib/sshd.mjs';
import { generateKeyPair } from '../../backend/dist/transport/keys/key-material.js';
import { load, peakMegabytes, processorSeconds, startBench } from './lib/bench-runward.mjs';
import { storeServers } from './lib/stored-servers.mjs';

const SERVERS = Number(process.argv[2] ?? 2_000);
const REQUESTED_CHECKS = Number(process.argv[3] ?? 200);

const bench = await startBench();
let sshd;
try {
  const key = await generateKeyPair({ type: 'ed25519', comment: 'bench' });
  const addresses = Array.from({ length: 20 }, (_, index) => `127.1.0.${index + 1}`);
  const sshdPath = await ensureSshd();
  // sshd listens on all loopback addresses if it gets more than 16.
  sshd = await startSshd({
    sshdPath,
    dir: join(bench.dir, 'sshd'),
    authorizedKeys: [key.publicKey],
    addresses,
    oneMachine: true,
  });
  const { hostKey, port, user: username } = sshd;
  const { environmentId } = await storeServers(bench, SERVERS, { hostKey, port, username, privateKey: key.privateKey });
  const worker = await bench.worker();
  console.log(
    `${SERVERS} servers; load ${load()}; worker ${(await peakMegabytes(worker.pid)).toFixed(0)} MB at its start`,
  );

  const checkEvery = (seconds) =>
    bench.send('PATCH', `/api/environments/${environmentId}`, { checkIntervalSeconds: seconds });
  await measure(`${SERVERS} scheduled checks`, SERVERS, worker, () => checkEvery(86_400));
  await bench.sql('vacuum analyze');
  const again = () => bench.sql(`update server_checks set due_from = 'epoch'`);
  await measure(`${SERVERS} scheduled checks of known servers`, SERVERS, worker, again);
  await checkEvery(null);
  await bench.sql('vacuum analyze');
  const ids = (await bench.sql('select id from servers order by id limit $1', [REQUESTED_CHECKS])).map(({ id }) => id);
  const ask = () => bench.send('POST', '/api/inventory/servers/checks', { ids });
  for (let round = 0; round < 3; round += 1)
    await measure(`${REQUESTED_CHECKS} checks that were asked for`, REQUESTED_CHECKS, worker, ask);
  await worker.end();
} finally {
  await sshd?.stop();
  await bench.close();
}

async function measure(what, count, { pid }, begin) {
  const before = await processorSeconds(pid);
  const { ms, walMb, databaseCpu } = await bench.cost(async () => {
    const [{ now }] = await bench.sql('select clock_timestamp() as now');
    await begin();
    for (let leftCount = count; leftCount > 0; await pause(100)) {
      const [{ done }] = await bench.sql('select count(*)::int as done from servers where checked_at > $1', [now]);
      leftCount = count - done;
    }
  });
  const used = (await processorSeconds(pid)) - before;
  const [{ reachable }] = await bench.sql(`select count(*)::int as reachable from servers where state = 'reachable'`);
  const perThousand = (value) => ((value / count) * 1000).toFixed(2);
  console.log(
    `${what}: ${(ms / 1000).toFixed(1)} s; for 1,000 of them ${perThousand(used)} s CPU of the worker, ` +
      `${perThousand(databaseCpu)} s of the database, ${perThousand(walMb)} MB of log; ` +
      `worker ${(await peakMegabytes(pid)).toFixed(0)} MB at most; ${reachable} reachable; load ${load()}`,
  );
}
