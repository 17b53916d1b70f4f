#!/usr/bin/env node
/**
 * Compares the same job on many loopback hosts, alternating between Runward, the installed peers (clush, pdsh, Ansible)
 * and ssh2 alone, which stores nothing. Runward's time is from POST to the final status with everything stored. Ratios
 * are per round. Processor time is that of Runward's processes without the database.
 *
 *   npm run bench:peers -w e2e [-- --jobs true,plan --hosts 200 --rounds 5 --peers clush,ansible --json FILE]
 *
 * Jobs: `true`; `plan` (stores 4 KB on each host, then runs a command that prints 200 lines); `lines` (only that
 * command); `steps` (five times `true`, Runward only). Quote ratios: machines are shared and noisy.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { withFleet } from './lib/fleet.mjs';
import { makePeers } from './lib/peers.mjs';
import { Report } from './lib/report.mjs';
import { median, timed, measureRun, readUsage } from './lib/runward.mjs';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: 'true,plan,steps' },
    hosts: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '5' },
    peers: { type: 'string', default: 'plain ssh2,clush,pdsh,ansible' },
    json: { type: 'string' },
  },
});
const HOSTS = Number(values.hosts);
const ROUNDS = Number(values.rounds);
const TICK_MS = 10;
const LINES = 200;
const PRINT_COMMAND = `i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); echo "line $i of what a command prints, made as long as lines are"; done`;
const FILE_CONTENT = `${'x'.repeat(79)}\n`.repeat(52).slice(0, 4096);
const STEPS = 5;
const CLEANUP_MS = Math.max(1_000, HOSTS * 15);

const command = (line, n = 1) => ({ key: `command-${n}`, command: line });
const file = { key: 'file', type: 'template', path: '/tmp/runward-bench-{{ host }}' };
const CLEANUP_COMMAND = 'rm -f /tmp/runward-bench-127.* /tmp/runward-bench-peer*';

/** Goals per job: ratio of time to each peer, and processor time per host in ms. */
const JOB_BY_NAME = {
  true: {
    steps: [command('true')],
    job: { command: 'true', lines: 0 },
    goals: { clush: { most: 0.9 }, ansible: { most: 1 / 6 }, processor: { most: 6 } },
  },
  plan: {
    steps: [file, command(PRINT_COMMAND)],
    job: { upload: FILE_CONTENT, command: PRINT_COMMAND, lines: LINES },
    goals: { clush: { most: 0.55 }, processor: { most: 8 } },
  },
  lines: {
    steps: [command(PRINT_COMMAND)],
    job: { command: PRINT_COMMAND, lines: LINES },
    goals: { 'plain ssh2': { most: 1.3 }, processor: { most: 8 } },
  },
  steps: { steps: Array.from({ length: STEPS }, (_, n) => command('true', n)), goals: {} },
};

const report = new Report('peers');
await withFleet({ hosts: HOSTS }, async (lab) => {
  const { runward, environmentId } = lab;
  file.templateId = (
    await runward.call('POST', '/api/templates', { name: 'file', content: `${FILE_CONTENT}{{ round }}\n` })
  ).id;
  for (const name of values.jobs.split(',')) {
    const { steps, job, goals } = JOB_BY_NAME[name];
    const { id: planId } = await runward.call('POST', '/api/plans', {
      name,
      environmentId,
      variables: ['host', 'round'].map((variable) => ({ name: variable, type: 'string', required: true })),
      steps,
    });
    const selectedPeers = values.peers.split(',');
    const peers = job ? makePeers(lab, { ...job, name }).filter((peer) => selectedPeers.includes(peer.name)) : [];
    const rounds = [];
    // Each round uses other file content, because an unchanged file is not written. The first round does not count: it
    // warms caches.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const before = readProcessor(runward.pid);
      const ours = await measureRun(runward, planId, 'auto', { round: `${round}` });
      const figures = { ours, processor: 0, peers: {}, processors: {} };
      // Runward's processor time includes its cleanup on the hosts after a run; that of a peer does not.
      await delay(CLEANUP_MS);
      figures.processor = (readProcessor(runward.pid) - before) / HOSTS;
      for (const peer of peers) {
        const spent = readProcessorOfEnded();
        figures.peers[peer.name] = await timed(peer.run);
        figures.processors[peer.name] = (readProcessorOfEnded() - spent) / HOSTS;
        await peer.after();
      }
      if (round > 0) rounds.push(figures);
    }
    const of = (pick) => median(rounds.map(pick));
    const work = `${name}, ${HOSTS} hosts`;
    const addFigure = (what, value, unit, goal) =>
      report.add({ work, figure: what, value: Number(value.toFixed(2)), unit, goal });
    addFigure('time', of(({ ours }) => ours) / 1000, 's');
    addFigure(
      'processor',
      of(({ processor }) => processor),
      'ms/host',
      goals.processor,
    );
    for (const { name: peer } of peers) {
      addFigure(
        `against ${peer}`,
        of((round) => round.ours / round.peers[peer]),
        '×',
        goals[peer],
      );
      // Processor time of the peer's own processes, without processes on the hosts; of Runward's processes, without the
      // database.
      addFigure(
        `processor against ${peer}`,
        of((round) => round.processor / round.processors[peer]),
        '×',
      );
    }
    if (name === 'steps') {
      const one = report.rows.find((row) => row.work === `true, ${HOSTS} hosts` && row.figure === 'time')?.value;
      const all = of(({ ours }) => ours) / 1000;
      if (one) addFigure('each further step', (all - one) / (STEPS - 1), 's', { most: (0.3 * HOSTS) / 200 });
    }
  }
  const clean = { name: 'clean', environmentId, steps: [{ ...command(CLEANUP_COMMAND), runOnce: true }] };
  await measureRun(runward, (await runward.call('POST', '/api/plans', clean)).id);
  for (const { role, mib } of readUsage(runward.pid))
    report.add({ work: `${HOSTS} hosts`, figure: `memory of ${role}`, value: Math.round(mib), unit: 'MiB' });
});
report.save(values.json);

function readProcessor(pid) {
  return readUsage(pid).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

/** Returns processor time of ended child processes and of their own ended children, in ms. */
function readProcessorOfEnded() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}
