#!/usr/bin/env node
/**
 * Measures how hosts that flood their connections slow down runs on other hosts. Runs of one measured host start
 * repeatedly. Meanwhile, runs of 20 load hosts start repeatedly. There are four series: no load hosts (quiet), honest
 * hosts, honest hosts that print 280 kB each, and flooding hosts. All series use the same worker and alternate.
 *
 * npm run bench:floods -w e2e [-- --kinds 'global requests,single bytes' --hosts 20 --seconds 6 --rounds 2 --json FILE]
 *
 * Compare figures of one run only: the flooding process and the worker share the machine's processors.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { processorSeconds, startBench } from '../../tools/bench/lib/bench-runward.mjs';
import { generateKeyPair } from '../../backend/dist/transport/keys/key-material.js';
import { FLOOD_KINDS } from '../../scripts/lib/flooding-host.mjs';
import { addressesOf, startCheapFleet } from './lib/cheap-fleet.mjs';
import { Report } from './lib/report.mjs';

const { values } = parseArgs({
  options: {
    kinds: { type: 'string', default: [...FLOOD_KINDS, 'single bytes'].join(',') },
    hosts: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '2' },
    json: { type: 'string' },
  },
});
const HOSTS = Number(values.hosts);
const NEIGHBOUR_COUNT = 2;
const PAUSE_MS = 20;
const HONEST_COMMANDS = { honest: 'true', 'honest, 8,000 lines': 'true # print 8000' };

const key = await generateKeyPair({ type: 'ed25519', comment: 'bench' });
const bench = await startBench();
const fleet = await startCheapFleet({ hosts: NEIGHBOUR_COUNT + HOSTS, ...key });
const flooding = fork(`${import.meta.dirname}/lib/flooding-process.mjs`);
async function measure() {
  const { id: sshKeyId } = await bench.send('POST', '/api/ssh-keys', { name: 'bench', privateKey: key.privateKey });
  const addresses = Array.from({ length: HOSTS }, (_, n) => `127.2.0.${n + 1}`);
  const flood = async (kind, port = 0) => {
    flooding.send({ kind, addresses, port });
    return (await once(flooding, 'message'))[0];
  };
  const { port, publicKey } = await flood(FLOOD_KINDS[0]);
  await flood(null);
  const honest = addressesOf(NEIGHBOUR_COUNT + HOSTS);
  const fleetKey = `${fleet.hostKey.type} ${fleet.hostKey.publicKey}`;
  const connectionFields = { port: fleet.port, username: fleet.username, key: fleetKey, sshKeyId };
  const neighbourEnvironment = await environmentOf('neighbours', honest.slice(0, NEIGHBOUR_COUNT), connectionFields);
  const neighbours = [];
  for (const name of honest.slice(0, NEIGHBOUR_COUNT))
    neighbours.push(await planOf(name, neighbourEnvironment, 'true', `name = ${hostName(name)}`));
  const honestEnvironment = await environmentOf('honest', honest.slice(NEIGHBOUR_COUNT), connectionFields);
  const far = { port, username: 'runward', key: `ecdsa-sha2-nistp256 ${publicKey}`, sshKeyId };
  const attacked = await planOf('flooding', await environmentOf('flooding', addresses, far), 'true');
  const others = { quiet: null };
  for (const [name, command] of Object.entries(HONEST_COMMANDS))
    others[name] = await planOf(name, honestEnvironment, command);
  for (const kind of values.kinds.split(',')) others[kind] = attacked;

  const worker = await bench.worker();
  const measurePhase = async (name) => {
    const planId = others[name];
    await flood(planId === attacked ? name : null, port);
    const cpu = await processorSeconds(worker.pid);
    const from = performance.now();
    const until = from + Number(values.seconds) * 1_000;
    const load = (async () => {
      while (planId !== null && performance.now() < until) await run(planId);
    })();
    const took = await Promise.all(
      neighbours.map(async (each) => {
        const all = [];
        for (; performance.now() < until; await pause(PAUSE_MS)) all.push(await run(each));
        return all;
      }),
    );
    const usedCpu = (await processorSeconds(worker.pid)) - cpu;
    const seconds = (performance.now() - from) / 1_000;
    const memory = megabytes(worker.pid);
    await flood(null);
    await load;
    return { took: took.flat(), share: usedCpu / seconds, memory };
  };
  await measurePhase('quiet');
  const first = (await measurePhase('quiet')).memory;
  const seen = new Map(Object.keys(others).map((name) => [name, { took: [], share: 0, memory: 0 }]));
  for (let round = 0; round < Number(values.rounds); round += 1)
    for (const [name, sum] of seen) {
      const { took, share, memory } = await measurePhase(name);
      sum.took.push(...took);
      sum.share += share / Number(values.rounds);
      sum.memory = Math.max(sum.memory, memory - first);
    }
  await worker.end();

  const report = new Report('floods');
  const quiet = p95(seen.get('quiet').took);
  for (const [work, { took, share, memory }] of seen) {
    const add = (figure, value, unit, goal) => report.add({ work, figure, value, unit, goal });
    add('p95 of the neighbours', Number((p95(took) / quiet).toFixed(2)), '×', { most: 2 });
    add('p95 of the neighbours', Math.round(p95(took)), 'ms');
    add('processor of the worker', Math.round(share * 100), '%');
    add('memory of the worker above quiet', Math.round(memory), 'MB');
  }
  report.save(values.json);
}

async function planOf(name, environmentId, command, targets = '') {
  const steps = [{ key: 'step', command }];
  return (await bench.send('POST', '/api/plans', { name, environmentId, targets, steps })).id;
}

const hostName = (address) => address.replaceAll('.', '-');

async function environmentOf(name, addresses, { port, username, key: publicKey, sshKeyId }) {
  const { id: environmentId } = await bench.send('POST', '/api/environments', { name });
  await bench.send('PATCH', `/api/environments/${environmentId}`, { hostJournal: false });
  for (const [index, hostname] of addresses.entries()) {
    const server = {
      name: hostName(hostname),
      hostname,
      port,
      username,
      sshKeyId,
      environmentId,
      hostKey: { publicKey },
    };
    const { id } = await bench.send('POST', '/api/inventory/servers', server);
    if (index === 0) await bench.send('PUT', `/api/inventory/servers/${id}/host-key/shared`, { shared: true });
  }
  return environmentId;
}

async function run(planId) {
  const from = performance.now();
  let seen = await bench.send('POST', '/api/executions', { planId, execution_mode: 'auto' });
  while (!seen.finished) seen = await bench.get(`/api/executions/${seen.id}?wait=55&until=settled`);
  return performance.now() - from;
}

function p95(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.95)];
}

const megabytes = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

try {
  await measure();
} finally {
  if (flooding.connected) flooding.disconnect();
  await fleet.stop();
  await bench.close();
}
