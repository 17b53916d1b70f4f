import { setTimeout as sleep } from 'node:timers/promises';
import { FLOOD_KINDS } from '../../scripts/lib/flooding-host.mjs';
import { attack } from './attack.mjs';
import { clientsOf } from './proxy.mjs';
import { pidOf } from './watch.mjs';

/** Time limit in ms for a run to reach the phase of a fault; after it, the fault is dropped. */
const MAX_AIM_MS = 10_000;

const hasProxy = (worker) => worker.proxy !== null;

/** Record of a fault. `phase`: phase in which the fault was injected; null: any moment. */
const strikeOf = (fault, phase, target) => ({ kind: fault.kind, phase, target, aimed: fault.phase });

export class Faults {
  /** @param {{ runs: Set<string>, hostNames: Map<string, string> }} trial `hostNames`: host name by server ID */
  constructor(rig, trial) {
    this.rig = rig;
    this.trial = trial;
  }

  /** Injects and heals the fault. Resolves with its record after healing; null: there was no target. */
  async perform(fault) {
    await sleep(fault.at);
    const at = fault.phase ? await this.#aim(fault.phase) : {};
    if (!at) return null;
    const { run } = at;
    const strike = this.#strikes[fault.kind];
    const done = await strike(fault, at);
    if (!done) return null;
    const record = strikeOf(fault, fault.phase, done.target);
    // Without the worker that drives it, the run does not change. So the watch can check whether the fault came in
    // time.
    if (run && done.driverGone) record.inTime = await this.rig.watch.isInPhase(fault.phase, run);
    record.run = run;
    await sleep(done.lasts ?? fault.lasts);
    await done.heal?.();
    return record;
  }

  /** Resolves with the next run of the trial that enters the phase; null after `MAX_AIM_MS`. */
  #aim(phase) {
    return new Promise((resolve) => {
      const end = (at) => {
        clearTimeout(timer);
        off();
        resolve(at);
      };
      const off = this.rig.watch.on((entered, at) => {
        if (entered === phase && this.trial.runs.has(at.run)) end(at);
      });
      const timer = setTimeout(() => end(null), MAX_AIM_MS);
    });
  }

  /** Returns the worker that drives the run or its slice; otherwise a random worker. */
  #worker(fault, { run, owner }, serves = () => true) {
    const alive = this.rig.workers.filter((each) => each.alive && serves(each));
    const pid = owner ? pidOf(owner) : run ? this.rig.watch.findDriver(run) : null;
    return alive.find((each) => each.pid === pid) ?? alive[Math.floor(fault.choice * alive.length)];
  }

  #host(fault, { server }) {
    const up = this.rig.hosts.filter((each) => each.up);
    const name = this.trial.hostNames.get(server);
    return up.find((each) => each.name === name) ?? up[Math.floor(fault.choice * up.length)];
  }

  #strikes = {
    'kill-api': async (fault) => {
      // A process without a proxy keeps the database and has its own kinds of faults.
      const alive = this.rig.apis.filter((each) => each.alive && each.proxy);
      const api = alive[Math.floor(fault.choice * alive.length)];
      return api?.signal('SIGKILL', fault.lasts) ? { target: api.name } : null;
    },
    'kill-worker': async (fault, at) => {
      const worker = this.#worker(fault, at);
      return worker?.signal('SIGKILL', fault.lasts) ? { target: worker.name, driverGone: true } : null;
    },
    'term-worker': async (fault, at) => {
      const worker = this.#worker(fault, at);
      return worker?.signal('SIGTERM', fault.lasts) ? { target: worker.name } : null;
    },
    'stop-worker': async (fault, at) => {
      const worker = this.#worker(fault, at);
      if (!worker?.signal('SIGSTOP')) return null;
      return { target: worker.name, driverGone: true, heal: () => worker.signal('SIGCONT') };
    },
    'kill-session': async (fault, at) => {
      const host = this.#host(fault, at);
      const killed = host?.killSession((pids) => pids[Math.floor(fault.choice * pids.length)]);
      return killed ? { target: host.name } : null;
    },
    'kill-sshd': async (fault, at) => this.#down(fault, at, (host) => host.killServer()),
    'kill-host': async (fault, at) => this.#down(fault, at, (host) => host.killAll()),
    'restart-database': () => this.#databaseDown('SIGQUIT'),
    'kill-database': () => this.#databaseDown('SIGKILL'),
    'kill-product': async (fault) => {
      const { main } = this.rig.postgres;
      this.rig.postgres.up = false;
      if (!main?.signal('SIGKILL', fault.lasts)) return null;
      return { target: main.name, heal: () => this.rig.postgres.start() };
    },
    'cut-database': async (fault, at) => {
      const worker = this.#worker(fault, at, hasProxy);
      if (!worker) return null;
      worker.proxy.freeze();
      return { target: worker.name, heal: () => worker.proxy.thaw({ close: fault.close }) };
    },
    'cut-host': async (fault, at) => {
      const host = this.#host(fault, at);
      if (!host) return null;
      host.freeze();
      return { target: host.name, heal: () => host.thaw({ close: fault.close }) };
    },
    'cut-worker': async (fault, at) => {
      const worker = this.#worker(fault, at);
      return worker ? { target: worker.name, heal: this.#cutOff(worker, fault) } : null;
    },
    attack: async ({ choice }) => {
      const kind = FLOOD_KINDS[Math.floor(choice * FLOOD_KINDS.length)];
      // A retry after a cut connection may fail because the name is taken.
      const host = await attack(this.rig, kind).catch(() => null);
      return host && { target: kind, heal: () => host.stop() };
    },
    'isolate-worker': async (fault, at) => {
      const worker = this.#worker(fault, at, hasProxy);
      if (!worker) return null;
      const heal = this.#cutOff(worker, fault);
      worker.proxy.freeze();
      // Hosts are healed first, so that the worker reaches them before it learns that another worker owns the run.
      return { target: worker.name, heal: () => (heal(), worker.proxy.thaw({ close: fault.close })) };
    },
  };

  #cutOff(worker, { close }) {
    const concerns = clientsOf(worker.pid);
    for (const host of this.rig.hosts) host.freeze(concerns);
    return () => this.rig.hosts.forEach((host) => host.thaw({ close }));
  }

  #down(fault, at, end) {
    const host = this.#host(fault, at);
    if (!host) return null;
    end(host);
    return { target: host.name, heal: () => host.start() };
  }

  async #databaseDown(signal) {
    await this.rig.postgres.end(signal);
    // The embedded database is available again once the product has restarted it.
    const lasts = this.rig.options.database === 'embedded' ? 0 : undefined;
    return { target: 'database', lasts, heal: () => this.rig.postgres.start() };
  }
}
