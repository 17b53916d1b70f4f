import path from 'node:path';
import { startEmbeddedPostgres } from '../../backend/dist/common/database/embedded/embedded-postgres.js';

/** Without fsync, a killed process still loses nothing that PostgreSQL has already passed to the kernel. */
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

  get socket() {
    const { host, port } = this.#server.connection;
    return { path: `${host}/.s.PGSQL.${port}` };
  }

  /**
   * SIGQUIT is an immediate stop (`pg_ctl stop -m immediate`). After SIGKILL, the server processes have to notice the
   * end themselves.
   */
  async end(signal) {
    this.up = false;
    process.kill(this.#server.pid, signal);
    await this.#server.stop();
  }

  stop() {
    return this.#server.stop();
  }
}
