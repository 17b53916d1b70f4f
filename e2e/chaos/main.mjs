#!/usr/bin/env node
/**
 * Shows that runs survive anything: trials in which processes, the database, hosts and the lines between them fail while
 * runs go on, and after which the hosts' own records are compared with what Runward says.
 *
 *   npm run chaos -- [--trials 500] [--minutes 10] [--seed S] [--faults kind,kind] [--without fence|intent|guard|journal|course]
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
const HOSTS_APART = 3;
const MOST_RIGS = 4;
/** What a trial may take, in ms: the load, the healing and the longest time to settle. */
const LONGEST_TRIAL_MS = 15 * 60_000;
/** What the end of a rig may take, in ms. */
const LONGEST_END_MS = 60_000;
const DATABASES = { outside: ['outside'], embedded: ['embedded'], both: ['outside', 'embedded'] };
const artifacts = inRoot('e2e', 'artifacts', 'chaos');
const control = values.without === undefined ? null : CONTROLS[values.without];

function demandSense() {
  if (!(values.database in DATABASES)) throw new Error(`--database takes one of ${Object.keys(DATABASES).join(', ')}.`);
  if (values.seed && values.database === 'both') throw new Error('--seed is for one database: say which.');
  if (values.without !== undefined && !control)
    throw new Error(`--without takes one of ${Object.keys(CONTROLS).join(', ')}.`);
  const rigs = Number(values.rigs);
  if (!Number.isInteger(rigs) || rigs < 1 || rigs > MOST_RIGS) throw new Error(`--rigs takes 1 to ${MOST_RIGS}.`);
  if (values.seed && rigs > 1) throw new Error('--seed is for one rig.');
  const unknown = (values.faults?.split(',') ?? []).filter((kind) => !(kind in FAULTS));
  if (unknown.length > 0) throw new Error(`--faults knows ${Object.keys(FAULTS).join(', ')}.`);
}

/** How many hosts get a network of their own; `auto`: some, where the machine allows it. */
function hostsApart() {
  if (values.namespaces === 'off') return 0;
  if (namespacesWork()) return HOSTS_APART;
  say(dim('This machine allows no network namespaces: hosts are cut off by the proxies before them only.'));
  return 0;
}

async function main() {
  demandSense();
  rmSync(artifacts, { recursive: true, force: true });
  mkdirSync(artifacts, { recursive: true });
  const folder = path.join(cacheDir, 'chaos-build');
  rmSync(folder, { recursive: true, force: true });
  // What users start; a defence is taken out of the single files that it is made of.
  const dist = control
    ? buildWithout(values.without, inRoot('backend', 'dist'), folder)
    : inRoot('backend/dist/bundle');
  if (control) say(`${bold(`Without ${values.without}`)}: ${control.about}. Violations are what must be found.`);
  const apart = hostsApart();
  const kinds = Array.from({ length: Number(values.rigs) }, () => DATABASES[values.database]).flat();
  const rigs = kinds.map(
    (database, index) =>
      new Rig({
        ...{ dist, database, apart, hosts: HOSTS, firstHost: 1 + index * HOSTS, apis: 2, workers: 4 },
        artifacts: path.join(artifacts, kinds.indexOf(database) === index ? database : `${database}-${index}`),
      }),
  );
  const end = () => within(LONGEST_END_MS, 'The end of the rigs', Promise.all(rigs.map((rig) => rig.stop())));
  const stop = stopOnSignal(end);
  stopOnFault(end);
  const report = new Report();
  const begun = performance.now();
  let broken = false;
  try {
    for (const rig of rigs) await rig.start();
    // Side by side: a trial mostly waits. Where one breaks, the others end the trial that they are in.
    const ended = await Promise.allSettled(
      rigs.map((rig) =>
        trials(rig, report, stop).catch((error) => {
          stop.asked = true;
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
  report.minutes = (performance.now() - begun) / 60_000;
  for (const line of report.table()) say(line);
  if (values.counts) writeFileSync(values.counts, JSON.stringify(report.counts()));
  if (broken) return 1;
  if (!control) return report.violations === 0 && report.trials > 0 ? 0 : 1;
  say(report.violations > 0 ? green('✓ It was found out.') : red('✗ The checker did not notice.'));
  return report.violations > 0 ? 0 : 1;
}

let begunTrials = 0;

async function trials(rig, report, stop) {
  const until = values.minutes ? performance.now() + Number(values.minutes) * 60_000 : Infinity;
  const most = values.seed ? 1 : Number(values.trials ?? (values.minutes ? Infinity : 3));
  const kinds = values.faults?.split(',') ?? control?.kinds;
  const base = `${Date.now().toString(36)}${rig.options.database[0]}`;
  // Each rig takes the next trial when it is free.
  while (begunTrials < most && performance.now() < until && !stop.asked) {
    begunTrials += 1;
    const seed = values.seed ?? `${base}-${begunTrials}`;
    const result = await within(LONGEST_TRIAL_MS, `Trial ${seed}`, new Trial(rig, seed, kinds).run());
    report.add(result);
    for (const line of report.lines(result)) say(line);
    keep(result);
    if (control && result.violations.length > 0) stop.asked = true;
  }
}

/** What a person needs who looks into a trial: all of it when it is red, else what it did. */
function keep({ found, scenario, ...result }) {
  const whole =
    result.violations.length > 0
      ? { ...result, scenario, found }
      : { ...result, scenario, asked: found.asked, runRows: found.runs };
  writeFileSync(path.join(artifacts, `${result.seed}.json`), JSON.stringify(whole, null, 1));
}

/** Rejects when the work is not done in time. */
async function within(ms, what, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms / 1000} s.`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** A fault of the harness itself must not leave processes behind. */
function stopOnFault(end) {
  process.on('unhandledRejection', (error) => {
    process.stderr.write(`${red('✗')} ${error.stack}\n`);
    void end().finally(() => process.exit(1));
  });
}

/** Asked once it ends after the trial, asked again at once. */
function stopOnSignal(end) {
  const stop = { asked: false };
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      if (stop.asked) void end().then(() => process.exit(130));
      else say(dim('Ending after this trial; once more ends it now'));
      stop.asked = true;
    });
  }
  return stop;
}

// People of a trial that broke may still be asking: they keep nobody waiting.
main().then(
  (code) => process.exit(code),
  (error) => {
    process.stderr.write(`${red('✗')} ${error.stack}\n`);
    process.exit(1);
  },
);
