/**
 * Embedded database of the product: a main process of role `all` that keeps the database, with child workers. The
 * product has to restart everything that is killed here; the harness only waits.
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { descendants, readOrEmpty } from '../../scripts/lib/sshd-processes.mjs';

/** Time limit for the product to restore its database in ms, including delays of the product and a full start. */
const DATABASE_BACK_MS = 60_000;
const POLL_MS = 50;
const GIVE_UP_MESSAGE = /so Runward ends/g;

export class ProductDatabase {
  up = false;
  #address = null;
  #workers = new Map();

  constructor(main) {
    this.main = main;
  }

  async start() {
    const deadline = performance.now() + DATABASE_BACK_MS;
    while (!(await this.#serves())) {
      if (performance.now() > deadline) throw new Error(`The database did not come back: see ${this.main.log.path}`);
      await sleep(POLL_MS);
    }
    this.up = true;
    return this;
  }

  get connection() {
    const [, , , port, host] = this.#lock();
    // The address does not change, but no file contains it while the server is down.
    this.#address = host ? { host, port: Number(port) } : this.#address;
    return { ...this.#address, user: 'postgres', database: 'runward' };
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

  /**
   * Returns child workers in the format of the harness's own workers. The main process restarts killed child workers.
   */
  workers() {
    const pids = (this.main.pid === null ? [] : descendants(this.main.pid)).filter((pid) =>
      readOrEmpty(`/proc/${pid}/cmdline`).includes('--child-worker'),
    );
    for (const pid of this.#workers.keys()) if (!pids.includes(pid)) this.#workers.delete(pid);
    for (const pid of pids) if (!this.#workers.has(pid)) this.#workers.set(pid, new ChildWorker(pid));
    return [...this.#workers.values()];
  }

  get givenUp() {
    return (readOrEmpty(this.main.log.path).match(GIVE_UP_MESSAGE) ?? []).length;
  }

  /** Returns the lines of postmaster.pid: process ID, data folder, start time, port, socket folder. */
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
  proxy = null;

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
      return false;
    }
  }
}
