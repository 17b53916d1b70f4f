#!/usr/bin/env node
/**
 * Compares a dry run of five steps with the real run of the same steps, on many loopback hosts. The two alternate.
 *
 *   npm run bench:dry-run -w e2e [-- --hosts 200 --rounds 3]
 *
 * Quote the ratios of one run: machines are shared and noisy.
 */
import { parseArgs } from 'node:util';
import { withFleet } from './lib/fleet.mjs';
import { median, measureRun } from './lib/runward.mjs';

const { values } = parseArgs({
  options: { hosts: { type: 'string', default: '200' }, rounds: { type: 'string', default: '3' } },
});
const ROUNDS = Number(values.rounds);

await withFleet({ hosts: Number(values.hosts) }, async ({ runward, fleet, environmentId }) => {
  const { call } = runward;
  const script = await call('POST', '/api/scripts', { name: 'bench', content: '#!/bin/sh\ntrue\n' });
  const template = await call('POST', '/api/templates', {
    name: 'bench',
    content: '# bench\n{% for n in (1..40) %}location_{{ n }} on\n{% endfor %}',
  });
  const { id: planId } = await call('POST', '/api/plans', {
    name: 'bench',
    environmentId,
    steps: [
      { key: 'config', type: 'template', templateId: template.id, path: '/tmp/runward-bench.conf' },
      { key: 'restart', command: 'true', check: 'exit 1' },
      { key: 'once', command: 'true', unless: 'true' },
      { key: 'port', type: 'wait', port: fleet.port },
      { key: 'verify', type: 'script', scriptId: script.id },
    ],
  });
  const rounds = [];
  // The first round does not count: it warms caches and writes the files.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const dry = await measureRun(runward, planId, 'dry_run');
    const real = await measureRun(runward, planId);
    if (round > 0) rounds.push({ dry, real });
    const name = round === 0 ? 'warm-up' : `round ${round}`;
    console.log(`${name}: dry run ${dry.toFixed(0)} ms, run ${real.toFixed(0)} ms, ratio ${(dry / real).toFixed(2)}`);
  }
  await call('POST', '/api/plans', {
    name: 'clean',
    environmentId,
    steps: [{ key: 'clean', command: 'rm -f /tmp/runward-bench.conf*' }],
  }).then(({ id }) => measureRun(runward, id));
  const ratio = median(rounds.map(({ dry, real }) => dry / real));
  console.log(
    `\n${values.hosts} hosts, 5 steps, ${ROUNDS} rounds: a dry run takes ${ratio.toFixed(2)} of a run (median)`,
  );
});
