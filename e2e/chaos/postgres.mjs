/** A PostgreSQL of the harness's own that can be ended in every way and started again on the same data. */
import path from 'node:path';
import { startEmbeddedPostgres } from '../../backend/dist/common/database/embedded/embedded-postgres.js';

/** A process' end loses nothing of what PostgreSQL gave to the kernel, so it needs no fsync to show that commits last. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'on' };

export class Postgres {
  #server;

  constructor(folder) {
    this.dataDir = path.join(folder, 'database');
  }

  async start() {
    this.#server = await startEmbeddedPostgres({ dataDir: this.dataDir, log: () => undefined, settings: SETTINGS });
    this.up = true;
    return this;
  }

  get connection() {
    return this.#server.connection;
  }

  /** Where a proxy reaches it. */
  get socket() {
    const { host, port } = this.#server.connection;
    return { path: `${host}/.s.PGSQL.${port}` };
  }

  /** `pg_ctl stop -m immediate` sends SIGQUIT; SIGKILL leaves single server processes to find out by themselves. */
  async end(signal) {
    this.up = false;
    process.kill(this.#server.pid, signal);
    await this.#server.stop();
  }

  stop() {
    return this.#server.stop();
  }
}
