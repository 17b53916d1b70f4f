#!/usr/bin/env node
/**
 * Measures one run on many hosts: hosts a second, processor time of each process per host, and peak memory. Also
 * measures transactions, rows and write-ahead log of the database, and API response times during the run. The hosts
 * cost almost nothing (lib/cheap-fleet.mjs), so the figures are Runward's.
 *
 *   npm run bench:many-hosts -w e2e [-- --hosts 1000,10000 --steps 1 --lines 0 --workers 1 --json FILE]
 *
 * Machines are shared and noisy: compare figures of one run.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median, peakMegabytes, processorSeconds, startBench } from '../../tools/bench/lib/bench-runward.mjs';
import { storeServers } from '../../tools/bench/lib/stored-servers.mjs';
import { generateKeyPair } from '../../backend/dist/transport/keys/key-material.js';
import { startCheapFleet } from './lib/cheap-fleet.mjs';
import { Report } from './lib/report.mjs';

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '1000,10000' },
    steps: { type: 'string', default: '1' },
    lines: { type: 'string', default: '0' },
    workers: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
});
const STEPS = Number(values.steps);
const WORKERS = Number(values.workers);
const POLL_MS = 50;
const DEADLINE_MS = 15 * 60_000;

const report = new Report('many-hosts');
for (const hosts of values.hosts.split(',').map(Number)) await measure(hosts);
report.save(values.json);

async function measure(hosts) {
  const bench = await startBench();
  let fleet;
  try {
    fleet = await startCheapFleet({ hosts, ...(await generateKeyPair({ type: 'ed25519', comment: 'bench' })) });
    const { environmentId } = await storeServers(bench, hosts, fleet);
    await bench.send('PATCH', `/api/environments/${environmentId}`, { hostJournal: false });
    const [{ id }] = await bench.sql('select id from servers limit 1');
    await bench.send('PUT', `/api/inventory/servers/${id}/host-key/shared`, { shared: true });
    const command = `true # print ${values.lines}`;
    const steps = Array.from({ length: STEPS }, (_, n) => ({ key: `step-${n + 1}`, command }));
    const plan = await bench.send('POST', '/api/plans', { name: 'many', environmentId, steps });
    const workers = [];
    for (let n = 0; n < WORKERS; n += 1) workers.push(await bench.worker());
    const cpu = () => Promise.all([bench.api, ...workers.map(({ pid }) => pid)].map(processorSeconds));

    // The first run is not measured: on the first connection, the keys of a host are compared with those of all other
    // hosts.
    await finished(bench, plan.id);
    const before = { cpu: await cpu(), work: await measureWork(bench) };
    const { result, ms, walMb, databaseCpu } = await bench.cost(() => finished(bench, plan.id));
    const after = { cpu: await cpu(), work: await measureWork(bench) };
    const perHost = (addFigure, digits = 2) => Number((addFigure / hosts).toFixed(digits));
    const [api, ...workerCpuMs] = after.cpu.map((seconds, n) => (seconds - before.cpu[n]) * 1000);
    const what = `${hosts} hosts, ${STEPS} × ${values.lines} lines`;
    const figure = (name, value, unit, goal) => report.add({ work: what, figure: name, value, unit, goal });
    figure('hosts a second', Number((hosts / (ms / 1000)).toFixed(0)), '/s', { least: 200 });
    figure('processor of the workers', perHost(workerCpuMs.reduce((sum, each) => sum + each, 0)), 'ms/host', {
      most: 6,
    });
    figure('processor of the API', perHost(api), 'ms/host');
    figure('processor of the database', perHost(databaseCpu * 1000), 'ms/host');
    figure('write-ahead log', perHost(walMb * 1e6, 0), 'B/host');
    figure('transactions', perHost(after.work.transactions - before.work.transactions), '/host');
    figure('rows read', perHost(after.work.rows - before.work.rows, 1), '/host');
    for (const [n, { pid }] of workers.entries())
      figure(`memory of worker ${n + 1}`, Math.round(await peakMegabytes(pid)), 'MiB', {
        most: hosts > 1000 ? 400 : 200,
      });
    figure('memory of the API', Math.round(await peakMegabytes(bench.api)), 'MiB', { most: 250 });
    const looks = result.sort((a, b) => a - b);
    figure('API during the run, median', Number(median(looks).toFixed(1)), 'ms');
    figure('API during the run, p95', Number(looks[Math.floor(looks.length * 0.95)].toFixed(1)), 'ms', { most: 500 });
    await Promise.all(workers.map((worker) => worker.end()));
  } finally {
    await fleet?.stop();
    await bench.close();
  }
}

/** Starts a run. Polls the run and the list of runs until the run ends. @returns response times, in ms */
async function finished(bench, planId) {
  const run = await bench.send('POST', '/api/executions', { planId, execution_mode: 'auto' });
  const looks = [];
  const deadline = performance.now() + DEADLINE_MS;
  for (let n = 0; ; n += 1) {
    const from = performance.now();
    const seen = await bench.get(n % 2 === 0 ? `/api/executions/${run.id}` : '/api/executions?limit=50');
    looks.push(performance.now() - from);
    if (n % 2 === 0 && seen.finished) {
      if (seen.status !== 'SUCCEEDED') throw new Error(`The run ended ${seen.status}: ${seen.statusReason?.text}`);
      return looks;
    }
    if (performance.now() > deadline) throw new Error('The run did not end in time.');
    await pause(POLL_MS);
  }
}

async function measureWork(bench) {
  // Statistics of other connections arrive within a second, with their next statement.
  await pause(1_500);
  const [row] = await bench.sql(
    `select xact_commit + xact_rollback as transactions, tup_returned as rows from pg_stat_database where datname = current_database()`,
  );
  return { transactions: Number(row.transactions), rows: Number(row.rows) };
}
