/**
 * Runs one trial: starts runs while faults are active, heals everything, waits until the runs settle, and verifies all
 * invariants.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { check } from './checker.mjs';
import { collectRows } from './collect.mjs';
import { Faults } from './faults.mjs';
import { coverageOf } from './coverage.mjs';
import { People } from './people.mjs';
import { prepare } from './prepare.mjs';
import { LOAD_MS, scenarioOf } from './scenario.mjs';

/** A run without a new event for this time is stuck, in ms. */
const SETTLE_MS = 60_000;
/** Time limit for settling, in ms. Long, because runs on a busy machine are slow without being stuck. */
const MAX_SETTLE_MS = 300_000;
/** Time in which a stopped worker could do harm after it woke up, in ms. */
const WAKE_MS = 2_000;
const POLL_MS = 250;

export class Trial {
  #runs = new Set();

  constructor(rig, seed, kinds) {
    this.rig = rig;
    this.scenario = scenarioOf(seed, {
      hosts: rig.hosts.map((host) => host.name),
      kinds,
      database: rig.options.database,
    });
  }

  async run() {
    const { rig, scenario } = this;
    const startedAt = performance.now();
    const prepared = await prepare(rig, scenario);
    // A new run is either accepted or waits for approval.
    const off = rig.watch.on((phase, { run }) => ['accepted', 'approval'].includes(phase) && this.#runs.add(run));
    const people = new People({ rig, scenario, ...prepared, runs: this.#runs, until: performance.now() + LOAD_MS });
    people.begin();
    const faults = new Faults(rig, { runs: this.#runs, hostNames: prepared.hostNames });
    const performing = scenario.faults.map((fault) => faults.perform(fault));
    const changing = scenario.adminChanges.map((change) => people.applyAdminChange(change));
    await Promise.all(scenario.starts.map((start) => people.start(start)));
    const struck = (await Promise.all(performing)).filter(Boolean);
    await Promise.all(changing);
    off();
    await rig.heal();
    const healed = performance.now();
    await people.close();
    await this.#settle(people, healed);
    const settledMs = performance.now() - healed;
    await people.end();
    const found = await this.#gather(people, prepared);
    for (const host of rig.hosts) await host.closeAddresses();
    return {
      seed: scenario.seed,
      database: rig.options.database,
      ms: performance.now() - startedAt,
      settledMs,
      faults: struck,
      missed: scenario.faults.length - struck.length,
      runs: found.runs.length,
      free: found.runs.filter(({ planName }) => isFree(scenario, planName)).length,
      statuses: countBy(found.runs, (run) => run.status),
      starts: found.evidence.length,
      coverage: coverageOf(found),
      violations: check(found),
      found,
      scenario,
    };
  }

  async #settle(people, healed) {
    await sleep(WAKE_MS);
    let [moved, events] = [healed, 0];
    while (performance.now() - moved < SETTLE_MS && performance.now() - healed < MAX_SETTLE_MS) {
      if (await people.isQuiet()) return;
      const rows = await this.rig.watch.ask(
        'select count(*)::int as count from execution_events where execution_id = any ($1::uuid[])',
        [[...this.#runs]],
      );
      const count = rows?.[0].count ?? events;
      if (count !== events) [moved, events] = [performance.now(), count];
      await sleep(POLL_MS);
    }
  }

  async #gather(people, { environmentIds, files }) {
    const { rig, scenario } = this;
    const rows = await collectRows(rig.watch, Object.values(environmentIds));
    for (const run of rows.runs.filter(({ status }) => status === 'PAUSED')) {
      run.pause = (await rig.client.demand('GET', `/api/executions/${run.id}`)).pause;
    }
    const evidence = rig.hosts.flatMap((host) => host.evidence(rig.pastRuns));
    for (const { id } of rows.runs) rig.pastRuns.add(id);
    return {
      ...rows,
      seed: scenario.seed,
      plans: scenario.plans,
      startRequests: people.startRequests,
      actions: people.actions,
      evidence,
      files: files.map((file) => ({ ...file, text: textOrNull(file.path) })),
      bootMs: Date.now() - 1000 * Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]),
    };
  }
}

const isFree = ({ plans }, planName) =>
  plans.some(({ name, strategy }) => strategy === 'free' && name === planName.split(' ')[0]);

function textOrNull(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

export function countBy(list, key) {
  const counts = {};
  for (const each of list) counts[key(each)] = (counts[key(each)] ?? 0) + 1;
  return counts;
}
