/** Brings faults about, at their time or at the phase they are aimed at, and takes them back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { portsOf } from './proxy.mjs';

/** A fault whose phase doesn't come is let go. */
const AIM_MS = 6_000;

/** What became of a fault: `phase` is where it struck, null for any moment. */
const struck = (fault, phase, target) => ({ kind: fault.kind, phase, target, aimed: fault.phase });

export class Faults {
  constructor(rig) {
    this.rig = rig;
  }

  /** Strikes and heals; resolves, once healed, with what was struck, or null when there was nothing to strike. */
  async perform(fault, runs) {
    await sleep(fault.at);
    const run = fault.phase ? await this.#aim(fault.phase, runs) : null;
    if (fault.phase && !run) return null;
    const strike = this.#strikes[fault.kind];
    const done = await strike(fault, run);
    if (!done) return null;
    const record = struck(fault, fault.phase, done.target);
    // A killed driver leaves the run as it stood: only then can be seen whether the fault came in time.
    if (run && done.driverGone) record.inTime = await this.rig.watch.standsIn(fault.phase, run);
    record.run = run;
    await sleep(fault.lasts);
    await done.heal?.();
    return record;
  }

  /** The first run of the trial that enters the phase from now on. */
  #aim(phase, runs) {
    return new Promise((resolve) => {
      const end = (run) => {
        clearTimeout(timer);
        off();
        resolve(run);
      };
      const off = this.rig.watch.on((entered, run) => entered === phase && runs.has(run) && end(run));
      const timer = setTimeout(() => end(null), AIM_MS);
    });
  }

  /** The worker that drives the run, or one by chance. */
  async #worker(fault, run) {
    const alive = this.rig.workers.filter((each) => each.alive);
    const pid = run ? await this.rig.watch.driverOf(run) : null;
    return alive.find((each) => each.pid === pid) ?? alive[Math.floor(fault.choice * alive.length)];
  }

  #host(fault) {
    const up = this.rig.hosts.filter((each) => each.up);
    return up[Math.floor(fault.choice * up.length)];
  }

  #strikes = {
    'kill-api': async (fault) => {
      const alive = this.rig.apis.filter((each) => each.alive);
      const api = alive[Math.floor(fault.choice * alive.length)];
      return api?.signal('SIGKILL', fault.lasts) ? { target: api.name } : null;
    },
    'kill-worker': async (fault, run) => {
      const worker = await this.#worker(fault, run);
      return worker?.signal('SIGKILL', fault.lasts) ? { target: worker.name, driverGone: true } : null;
    },
    'term-worker': async (fault, run) => {
      const worker = await this.#worker(fault, run);
      return worker?.signal('SIGTERM', fault.lasts) ? { target: worker.name } : null;
    },
    'stop-worker': async (fault, run) => {
      const worker = await this.#worker(fault, run);
      if (!worker?.signal('SIGSTOP')) return null;
      return { target: worker.name, driverGone: true, heal: () => worker.signal('SIGCONT') };
    },
    'kill-session': async (fault) => {
      const host = this.#host(fault);
      const killed = host?.killSession((pids) => pids[Math.floor(fault.choice * pids.length)]);
      return killed ? { target: host.name } : null;
    },
    'kill-sshd': async (fault) => this.#down(fault, (host) => host.killServer()),
    'kill-host': async (fault) => this.#down(fault, (host) => host.killAll()),
    'restart-database': () => this.#databaseDown('SIGQUIT'),
    'kill-database': () => this.#databaseDown('SIGKILL'),
    'cut-database': async (fault, run) => {
      const worker = await this.#worker(fault, run);
      if (!worker) return null;
      worker.line.freeze();
      return { target: worker.name, heal: () => worker.line.thaw({ close: fault.close }) };
    },
    'cut-host': async (fault) => {
      const host = this.#host(fault);
      if (!host) return null;
      host.freeze();
      return { target: host.name, heal: () => host.thaw({ close: fault.close }) };
    },
    'cut-worker': async (fault, run) => {
      const worker = await this.#worker(fault, run);
      if (!worker) return null;
      const { pid } = worker;
      for (const host of this.rig.hosts) host.freeze((port) => portsOf(pid).has(port));
      return {
        target: worker.name,
        heal: () => this.rig.hosts.forEach((host) => host.thaw({ close: fault.close })),
      };
    },
  };

  #down(fault, end) {
    const host = this.#host(fault);
    if (!host) return null;
    end(host);
    return { target: host.name, heal: () => host.start() };
  }

  async #databaseDown(signal) {
    await this.rig.postgres.end(signal);
    return { target: 'database', heal: () => this.rig.postgres.start() };
  }
}
