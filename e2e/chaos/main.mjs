#!/usr/bin/env node
/**
 * Fault injection: trials in which processes, the database, hosts and connections fail while runs continue. Afterwards
 * the records of the hosts are compared with Runward's data.
 *
 *   npm run chaos -- [--trials 500] [--minutes 10] [--seed S] [--faults kind,kind]
 *                [--without fence|intent|guard|journal|course]
 *                [--database outside|embedded|both] [--rigs 2]
 */
import { rmSync, writeFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { cacheDir, inRoot } from '../../scripts/lib/paths.mjs';
import { bold, dim, green, red, say } from '../../scripts/lib/terminal.mjs';
import { buildWithout, CONTROLS } from './controls.mjs';
import { namespacesWork } from './namespace.mjs';
import { Report } from './report.mjs';
import { Rig } from './rig.mjs';
import { FAULTS } from './scenario.mjs';
import { Trial } from './trial.mjs';

const { values } = parseArgs({
  options: {
    trials: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    faults: { type: 'string' },
    without: { type: 'string' },
    counts: { type: 'string' },
    database: { type: 'string', default: 'outside' },
    rigs: { type: 'string', default: '1' },
    namespaces: { type: 'string', default: 'auto' },
  },
});
const HOSTS = 16;
const NAMESPACE_HOSTS = 3;
const MAX_RIGS = 4;
/** Time limit of a trial in ms: load, healing, and the time until all runs have settled. */
const MAX_TRIAL_MS = 15 * 60_000;
const MAX_END_MS = 60_000;
const DATABASES = { outside: ['outside'], embedded: ['embedded'], both: ['outside', 'embedded'] };
const artifacts = inRoot('e2e', 'artifacts', 'chaos');
const control = values.without === undefined ? null : CONTROLS[values.without];

function assertSensibleOptions() {
  if (!(values.database in DATABASES)) throw new Error(`--database takes one of ${Object.keys(DATABASES).join(', ')}.`);
  if (values.seed && values.database === 'both') throw new Error('--seed needs one database, not both.');
  if (values.without !== undefined && !control)
    throw new Error(`--without takes one of ${Object.keys(CONTROLS).join(', ')}.`);
  const rigs = Number(values.rigs);
  if (!Number.isInteger(rigs) || rigs < 1 || rigs > MAX_RIGS) throw new Error(`--rigs takes 1 to ${MAX_RIGS}.`);
  if (values.seed && rigs > 1) throw new Error('--seed needs --rigs 1.');
  const unknown = (values.faults?.split(',') ?? []).filter((kind) => !(kind in FAULTS));
  if (unknown.length > 0) throw new Error(`--faults takes ${Object.keys(FAULTS).join(', ')}.`);
}

function hostsApart() {
  if (values.namespaces === 'off') return 0;
  if (namespacesWork()) return NAMESPACE_HOSTS;
  say(dim('This machine allows no network namespaces: hosts are cut off only by their proxies.'));
  return 0;
}

async function main() {
  assertSensibleOptions();
  rmSync(artifacts, { recursive: true, force: true });
  mkdirSync(artifacts, { recursive: true });
  const folder = path.join(cacheDir, 'chaos-build');
  rmSync(folder, { recursive: true, force: true });
  // Users start the bundle, but a defence can be removed only from single files.
  const dist = control
    ? buildWithout(values.without, inRoot('backend', 'dist'), folder)
    : inRoot('backend/dist/bundle');
  if (control) say(`${bold(`Without ${values.without}`)}: ${control.about}. Violations are expected.`);
  const apart = hostsApart();
  const kinds = Array.from({ length: Number(values.rigs) }, () => DATABASES[values.database]).flat();
  const rigs = kinds.map(
    (database, index) =>
      new Rig({
        ...{ dist, database, apart, hosts: HOSTS, firstHost: 1 + index * HOSTS, apis: 2, workers: 4 },
        artifacts: path.join(artifacts, kinds.indexOf(database) === index ? database : `${database}-${index}`),
      }),
  );
  const end = () => withTimeout(MAX_END_MS, 'Stopping the rigs', Promise.all(rigs.map((rig) => rig.stop())));
  const stop = stopOnSignal(end);
  stopOnFault(end);
  const report = new Report();
  const startedAt = performance.now();
  let broken = false;
  try {
    for (const rig of rigs) await rig.start();
    // Rigs run in parallel, because a trial mostly waits. If one rig breaks, the other rigs finish their current
    // trials.
    const ended = await Promise.allSettled(
      rigs.map((rig) =>
        trials(rig, report, stop).catch((error) => {
          stop.requested = true;
          process.stderr.write(`${red('✗')} ${rig.options.database}: ${error.stack}\n`);
          throw error;
        }),
      ),
    );
    broken = ended.some(({ status }) => status === 'rejected');
    for (const { postgres } of rigs) report.givenUp += postgres.givenUp ?? 0;
  } finally {
    await end();
    rmSync(folder, { recursive: true, force: true });
  }
  report.minutes = (performance.now() - startedAt) / 60_000;
  for (const line of report.table()) say(line);
  if (values.counts) writeFileSync(values.counts, JSON.stringify(report.counts()));
  if (broken) return 1;
  if (!control) return report.violations === 0 && report.trials > 0 ? 0 : 1;
  say(report.violations > 0 ? green('✓ Violations found, as expected.') : red('✗ The checker found no violation.'));
  return report.violations > 0 ? 0 : 1;
}

let startedTrials = 0;

async function trials(rig, report, stop) {
  const until = values.minutes ? performance.now() + Number(values.minutes) * 60_000 : Infinity;
  const most = values.seed ? 1 : Number(values.trials ?? (values.minutes ? Infinity : 3));
  const kinds = values.faults?.split(',') ?? control?.kinds;
  const base = `${Date.now().toString(36)}${rig.options.database[0]}`;
  while (startedTrials < most && performance.now() < until && !stop.requested) {
    startedTrials += 1;
    const seed = values.seed ?? `${base}-${startedTrials}`;
    const result = await withTimeout(MAX_TRIAL_MS, `Trial ${seed}`, new Trial(rig, seed, kinds).run());
    report.add(result);
    for (const line of report.lines(result)) say(line);
    keep(result);
    if (control && result.violations.length > 0) stop.requested = true;
  }
}

/** Stores everything about a trial with violations, for analysis by a developer; otherwise a summary. */
function keep({ found, scenario, ...result }) {
  const whole =
    result.violations.length > 0
      ? { ...result, scenario, found }
      : { ...result, scenario, startRequests: found.startRequests, runRows: found.runs };
  writeFileSync(path.join(artifacts, `${result.seed}.json`), JSON.stringify(whole, null, 1));
}

async function withTimeout(ms, what, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms / 1000} s.`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function stopOnFault(end) {
  process.on('unhandledRejection', (error) => {
    process.stderr.write(`${red('✗')} ${error.stack}\n`);
    void end().finally(() => process.exit(1));
  });
}

/** The first signal ends the trials after the current one; the second signal ends them immediately. */
function stopOnSignal(end) {
  const stop = { requested: false };
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      if (stop.requested) void end().then(() => process.exit(130));
      else say(dim('Stopping after this trial; repeat to stop now'));
      stop.requested = true;
    });
  }
  return stop;
}

// Simulated users of a broken trial may still send requests. The process does not wait for them.
main().then(
  (code) => process.exit(code),
  (error) => {
    process.stderr.write(`${red('✗')} ${error.stack}\n`);
    process.exit(1);
  },
);
