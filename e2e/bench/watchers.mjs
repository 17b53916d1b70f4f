#!/usr/bin/env node
/**
 * Measures the delay of a line from the host that writes it to clients that follow the run. Many clients (watchers)
 * follow one run. Reports the delays of some watchers, whether all watchers received everything, and processor time and
 * memory of the API.
 *
 *   npm run bench:watchers -w e2e [-- --watchers 500 --hosts 20 --rate 100 --seconds 15 --json FILE]
 *
 * `--rate` is lines per second and host. Watchers, hosts and Runward share the machine: compare figures of one run.
 */
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { parseArgs } from 'node:util';
import { peakMegabytes, processorSeconds, startBench } from '../../tools/bench/lib/bench-runward.mjs';
import { storeServers } from '../../tools/bench/lib/stored-servers.mjs';
import { generateKeyPair } from '../../backend/dist/transport/keys/key-material.js';
import { startCheapFleet } from './lib/cheap-fleet.mjs';
import { Report } from './lib/report.mjs';

const { values } = parseArgs({
  options: {
    watchers: { type: 'string', default: '500' },
    hosts: { type: 'string', default: '20' },
    rate: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '15' },
    json: { type: 'string' },
  },
});
const [WATCHERS, HOSTS, RATE, SECONDS] = ['watchers', 'hosts', 'rate', 'seconds'].map((name) => Number(values[name]));
/**
 * Number of watchers that parse the times in the lines. If all watchers did, parsing would dominate the measurement.
 */
const READERS = 5;

const bench = await startBench();
const report = new Report('watchers');
let fleet;
try {
  fleet = await startCheapFleet({ hosts: HOSTS, ...(await generateKeyPair({ type: 'ed25519', comment: 'bench' })) });
  const { environmentId } = await storeServers(bench, HOSTS, fleet);
  await bench.send('PATCH', `/api/environments/${environmentId}`, { hostJournal: false });
  const [{ id }] = await bench.sql('select id from servers limit 1');
  await bench.send('PUT', `/api/inventory/servers/${id}/host-key/shared`, { shared: true });
  const steps = [{ key: 'emit', command: `true # emit ${RATE} for ${SECONDS}` }];
  const plan = await bench.send('POST', '/api/plans', { name: 'watched', environmentId, steps });
  const run = await bench.send('POST', '/api/executions', { planId: plan.id, execution_mode: 'auto' });
  const agent = new Agent({ maxSockets: Infinity });
  const watchers = await Promise.all(Array.from({ length: WATCHERS }, () => join(run.id, agent)));
  // The run begins only now, so that all watchers are connected before.
  const worker = await bench.worker();
  const before = await Promise.all([bench.api, worker.pid].map(processorSeconds));
  const seen = await Promise.all(watchers.map((answer, n) => watch(answer, n < READERS)));
  const spent = (await Promise.all([bench.api, worker.pid].map(processorSeconds))).map((each, n) => each - before[n]);
  agent.destroy();
  const delays = seen.flatMap((each) => each.delays).sort((a, b) => a - b);
  const at = (share) => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))];
  const work = `${WATCHERS} watchers × ${HOSTS * RATE} lines/s`;
  const addFigure = (name, value, unit, goal) => report.add({ work, figure: name, value, unit, goal });
  addFigure('delay of a line, median', at(0.5), 'ms');
  addFigure('delay of a line, p99', at(0.99), 'ms', { most: 300 });
  addFigure('watchers that got everything', seen.filter(({ bytes }) => bytes === seen[0].bytes).length, '', {
    least: WATCHERS,
  });
  addFigure('processor of the API', Number((spent[0] / SECONDS).toFixed(2)), 's/s');
  addFigure('processor of the worker', Number((spent[1] / SECONDS).toFixed(2)), 's/s');
  addFigure('memory of the API', Math.round(await peakMegabytes(bench.api)), 'MiB', { most: 250 });
  await worker.end();
} finally {
  await fleet?.stop();
  await bench.close();
}
report.save(values.json);

/** @returns the response of the run's stream; its body is not read yet */
async function join(id, agent) {
  const request = get(`${bench.url}/api/executions/${id}/stream`, { agent, headers: { cookie: bench.cookie } });
  const [answer] = await once(request, 'response');
  if (answer.statusCode !== 200) throw new Error(`The stream answered ${answer.statusCode}.`);
  return answer;
}

async function watch(answer, reads) {
  const delays = [];
  let bytes = 0;
  let kept = '';
  answer.on('data', (piece) => {
    const now = Date.now();
    bytes += piece.length;
    if (!reads) return;
    const text = kept + piece.toString('latin1');
    const whole = text.lastIndexOf('\n') + 1;
    kept = text.slice(whole);
    for (const [, at] of text.slice(0, whole).matchAll(/at (\d{13}) a line/g)) delays.push(now - Number(at));
  });
  await once(answer, 'end');
  return { bytes, delays };
}
