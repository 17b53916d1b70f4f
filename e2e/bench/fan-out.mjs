#!/usr/bin/env node
/**
 * Measures the cost of a run per host: time, and processor time of each Runward process without the database.
 *
 *   npm run bench:fan-out -w e2e [-- --hosts 200 --rounds 5]
 *
 * On a shared machine, processor time per host is far more stable than time. To compare two builds, alternate them.
 */
import { parseArgs } from 'node:util';
import { withFleet } from './lib/fleet.mjs';
import { median, measureRun, readUsage } from './lib/runward.mjs';

const { values } = parseArgs({
  options: { hosts: { type: 'string', default: '200' }, rounds: { type: 'string', default: '5' } },
});
const HOSTS = Number(values.hosts);
const ROUNDS = Number(values.rounds);
const LINES = 'i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo "line $i of what a command prints"; done';

await withFleet({ hosts: HOSTS }, async ({ runward, environmentId }) => {
  const planOf = async (name, commands) => {
    const steps = commands.map((command, index) => ({ key: `step-${index}`, command }));
    return [name, (await runward.call('POST', '/api/plans', { name, environmentId, steps })).id];
  };
  const plans = [
    await planOf('true', ['true']),
    await planOf('three steps', ['true', 'true', 'true']),
    await planOf('200 lines', [LINES]),
  ];
  const measured = new Map(plans.map(([name]) => [name, []]));
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [name, id] of plans) {
      const before = cpuByRole(runward.pid);
      const ms = await measureRun(runward, id);
      const after = cpuByRole(runward.pid);
      if (round > 0) measured.get(name).push({ ms, ...spent(before, after) });
    }
  console.log(`${HOSTS} hosts, medians of ${ROUNDS} rounds`);
  for (const [name, rounds] of measured) {
    const medians = Object.keys(rounds[0]).map((field) => {
      const value = median(rounds.map((each) => each[field]));
      return field === 'ms'
        ? `${value.toFixed(0)} ms`
        : `${field} ${(value / HOSTS).toFixed(2)} ms of processor a host`;
    });
    console.log(`${name.padEnd(12)} ${medians.join(', ')}`);
  }
});

function cpuByRole(pid) {
  const spentBy = {};
  for (const { role, cpuMs } of readUsage(pid)) spentBy[role] = (spentBy[role] ?? 0) + cpuMs;
  return spentBy;
}

function spent(before, after) {
  return Object.fromEntries(Object.entries(after).map(([role, ms]) => [role, ms - (before[role] ?? 0)]));
}
