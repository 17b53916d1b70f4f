/**
 * The product's own embedded database: a main process of role `all` that keeps it, and its child workers. What ends here
 * the product itself must start again; the harness only waits for that.
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { descendants, readOrEmpty } from '../../scripts/lib/sshd-processes.mjs';

/** What the product may take to have its database back, its own delays and a start of the whole included, in ms. */
const BACK_MS = 60_000;
const LOOK_MS = 50;
const GAVE_UP = /so Runward ends/g;

export class ProductDatabase {
  up = false;
  #place = null;
  #workers = new Map();

  /** @param {import('./processes.mjs').ProductProcess} main */
  constructor(main) {
    this.main = main;
  }

  async start() {
    const deadline = performance.now() + BACK_MS;
    while (!(await this.#serves())) {
      if (performance.now() > deadline) throw new Error(`The database did not come back: see ${this.main.log.path}`);
      await sleep(LOOK_MS);
    }
    this.up = true;
    return this;
  }

  get connection() {
    const [, , , port, host] = this.#lock();
    // The folder stays the same; while nobody serves there is no file that tells it.
    this.#place = host ? { host, port: Number(port) } : this.#place;
    return { ...this.#place, user: 'postgres', database: 'runward' };
  }

  get socket() {
    const { host, port } = this.connection;
    return { path: `${host}/.s.PGSQL.${port}` };
  }

  end(signal) {
    const pid = Number(this.#lock()[0]);
    if (!pid) return;
    this.up = false;
    process.kill(pid, signal);
  }

  /** The main process' workers, as the harness' own ones look; whoever is killed is started again by the main process. */
  workers() {
    const pids = (this.main.pid === null ? [] : descendants(this.main.pid)).filter((pid) =>
      readOrEmpty(`/proc/${pid}/cmdline`).includes('--child-worker'),
    );
    for (const pid of this.#workers.keys()) if (!pids.includes(pid)) this.#workers.delete(pid);
    for (const pid of pids) if (!this.#workers.has(pid)) this.#workers.set(pid, new ChildWorker(pid));
    return [...this.#workers.values()];
  }

  /** How often the main process gave its database up and ended. */
  get givenUp() {
    return (readOrEmpty(this.main.log.path).match(GAVE_UP) ?? []).length;
  }

  /** The lines of postmaster.pid: process, folder, start time, port, folder of the socket. */
  #lock() {
    return readOrEmpty(path.join(this.main.dataDir, 'postgres/data/postmaster.pid')).split('\n');
  }

  async #serves() {
    if (!this.main.isReady || !this.#lock()[4]) return false;
    const client = new pg.Client({ ...this.connection, ssl: false, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

class ChildWorker {
  stopped = false;
  /** It has no line to the database that could be cut. */
  line = null;

  constructor(pid) {
    Object.assign(this, { pid, name: `child-${pid}` });
  }

  get alive() {
    return !this.stopped;
  }

  signal(name) {
    if (name === 'SIGSTOP') this.stopped = true;
    if (name === 'SIGCONT') this.stopped = false;
    try {
      return process.kill(this.pid, name);
    } catch {
      return false; // it has ended
    }
  }
}
