import { APP_ROLE } from '../connection.js';
import { OWNER_ROLE } from './postgres-cluster.js';
import { type RunningServer, waitForServerEnd, stopServer } from './postgres-server.js';
import { StartError } from '../start-error.js';

export interface EmbeddedPostgres {
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
  readonly url: string;
  readonly appUrl: string;
  readonly logFile: string;
  /** Process number of the main process; changes with a restart. */
  readonly pid: number;
  /** Whether the server was already running: left by a killed Runward, or shared with a running one. */
  readonly wasAdopted: boolean;
  readonly stopping: boolean;
  /** Resolves when the main process has ended, with the reason, such as `killed by SIGKILL` or `ended with code 1`. */
  waitUntilEnded(): Promise<string>;
  /**
   * Restarts an ended server at the same address.
   * @throws StartError with its last log line, or another error when `stop` interrupts the restart
   */
  restart(): Promise<void>;
  /** Stops the server and unlocks the data folder; does not stop a shared server. Can be called again. */
  stop(): Promise<void>;
}

/**
 * Operations that only the owner of the data folder has: restarting the server, ending its remaining processes, and
 * unlocking the folder.
 */
export interface ServerOwnership {
  start(signal: AbortSignal): Promise<RunningServer>;
  release(): Promise<void>;
}

export const DATABASE_NAME = 'runward';

export class EmbeddedServer implements EmbeddedPostgres {
  private readonly abort = new AbortController();
  private restarting: Promise<unknown> = Promise.resolve();
  private end: Promise<void> | undefined;

  /** @param ownership null = another Runward owns the server */
  constructor(
    private server: RunningServer,
    readonly wasAdopted: boolean,
    readonly logFile: string,
    private readonly ownership: ServerOwnership | null,
  ) {}

  get connection() {
    const { folder: host, port } = this.server;
    return { host, port, user: OWNER_ROLE, database: DATABASE_NAME };
  }

  get url(): string {
    return this.createUrl(OWNER_ROLE);
  }

  get appUrl(): string {
    return this.createUrl(APP_ROLE);
  }

  get pid(): number {
    return this.server.pid;
  }

  get stopping(): boolean {
    return this.abort.signal.aborted;
  }

  waitUntilEnded(): Promise<string> {
    return waitForServerEnd(this.server);
  }

  restart(): Promise<void> {
    const restartPromise = this.restartServer();
    this.restarting = restartPromise.catch(() => undefined);
    return restartPromise;
  }

  stop(): Promise<void> {
    return (this.end ??= this.stopAndRelease());
  }

  private async restartServer(): Promise<void> {
    if (!this.ownership) throw new StartError('Another Runward owns this database.');
    const server = await this.ownership.start(this.abort.signal);
    if (server.folder === this.server.folder) {
      this.server = server;
      return;
    }
    // Clients received the socket address at the start, so a restart must not change it.
    await stopServer(server);
    throw new StartError('The folder of the database was moved while the database was running. Start Runward again.');
  }

  private async stopAndRelease(): Promise<void> {
    this.abort.abort();
    if (!this.ownership) return;
    await this.restarting;
    await stopServer(this.server);
    await this.ownership.release();
  }

  private createUrl(user: string): string {
    const { host, port, database } = this.connection;
    return `postgresql://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}&sslmode=disable`;
  }
}
