import { APP_ROLE } from '../connection.js';
import { OWNER_ROLE } from './postgres-cluster.js';
import { type RunningServer, serverEnd, stopServer } from './postgres-server.js';
import { StartError } from '../start-error.js';

export interface EmbeddedPostgres {
  readonly connection: {
    /** The folder of the Unix socket: `pg` takes it as host. */
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
  /** The owner's address, as DATABASE_URL would give it: for migrations and administration. */
  readonly url: string;
  /** The address for the application, whose login owns nothing. */
  readonly appUrl: string;
  /** PostgreSQL's own log. */
  readonly logFile: string;
  /** Of the main process; another one after a restart. */
  readonly pid: number;
  /** True when the server ran already: left by a Runward that was killed, or shared with one that lives. */
  readonly adopted: boolean;
  /** True from the first call of `stop`. */
  readonly stopping: boolean;
  /** Resolves once the main process has ended, for whatever reason, with how: `killed by SIGKILL`, `exit code 1`. */
  ended(): Promise<string>;
  /**
   * Starts a server that has ended again, at the same address.
   * @throws StartError with its last words; anything when `stop` cuts it short
   */
  restart(): Promise<void>;
  /** Stops the server and gives the data folder back; a shared one is left alone. Can be called again. */
  stop(): Promise<void>;
}

/** How the owner of the data folder starts the server again, and ends what is left of it and gives the folder back. */
export interface Ownership {
  start(signal: AbortSignal): Promise<RunningServer>;
  release(): Promise<void>;
}

export const DATABASE = 'runward';

export class EmbeddedServer implements EmbeddedPostgres {
  private readonly abort = new AbortController();
  private restarting: Promise<unknown> = Promise.resolve();
  private end: Promise<void> | undefined;

  /** @param ownership null for the server of another Runward */
  constructor(
    private server: RunningServer,
    readonly adopted: boolean,
    readonly logFile: string,
    private readonly ownership: Ownership | null,
  ) {}

  get connection() {
    const { folder: host, port } = this.server;
    return { host, port, user: OWNER_ROLE, database: DATABASE };
  }

  get url(): string {
    return this.urlFor(OWNER_ROLE);
  }

  get appUrl(): string {
    return this.urlFor(APP_ROLE);
  }

  get pid(): number {
    return this.server.pid;
  }

  get stopping(): boolean {
    return this.abort.signal.aborted;
  }

  ended(): Promise<string> {
    return serverEnd(this.server);
  }

  restart(): Promise<void> {
    const restarted = this.startAgain();
    this.restarting = restarted.catch(() => undefined);
    return restarted;
  }

  stop(): Promise<void> {
    return (this.end ??= this.stopAndRelease());
  }

  private async startAgain(): Promise<void> {
    if (!this.ownership) throw new StartError('Another Runward owns this database.');
    const server = await this.ownership.start(this.abort.signal);
    if (server.folder === this.server.folder) {
      this.server = server;
      return;
    }
    // Everybody else was given the address at the start.
    await stopServer(server);
    throw new StartError('The folder of the database was moved while it ran: start Runward again.');
  }

  private async stopAndRelease(): Promise<void> {
    this.abort.abort();
    if (!this.ownership) return;
    await this.restarting;
    await stopServer(this.server);
    await this.ownership.release();
  }

  private urlFor(user: string): string {
    const { host, port, database } = this.connection;
    return `postgresql://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}&sslmode=disable`;
  }
}
