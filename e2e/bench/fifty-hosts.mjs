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
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { withFleet } from './lib/fleet.mjs';
import { median, timed, timedRun, usageOf } from './lib/runward.mjs';

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

await withFleet({ hosts: HOSTS }, async ({ folder, fleet, addresses, runward, key, environmentId }) => {
  const { id: planId } = await runward.call('POST', '/api/plans', {
    name: 'bench',
    environmentId,
    strategy: values.strategy,
    steps: Array.from({ length: STEPS }, (_, n) => ({ key: `step-${n + 1}`, command: COMMAND })),
  });
  const peer = STEPS === 1 ? peerFor(folder, fleet, addresses, key.privateKey) : null;

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
});

function peerFor(folder, fleet, addresses, privateKey) {
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
