import { Client, type ClientConfig } from 'pg';
import { DatabaseUnusableError } from './database-cause.js';
import { databaseFaults } from './database-faults.js';
import { type DatabaseHost, parseDatabaseHosts } from '../network/database-hosts.js';
import { row, sql } from './sql.js';

export type SessionSettings = Readonly<Record<string, string | number>>;

export interface SessionConfig extends ClientConfig {
  session?: SessionSettings;
}

/** Connection timeout per host if the address has several hosts, in ms. */
const HOST_PROBE_TIMEOUT_MS = 3_000;

/**
 * Connection that applies its session settings before the first use. A statement sends them, because poolers reject
 * unknown start-up parameters. If there are several hosts, the first writable one is used.
 */
export class SessionClient extends Client {
  private readonly settings: string;
  private readonly hosts: DatabaseHost[];

  constructor(private readonly config: SessionConfig = {}) {
    super(config);
    this.hosts = parseDatabaseHosts(config.connectionString);
    this.settings = Object.entries(config.session ?? {})
      .map(([name, value]) => `set_config(${this.escapeLiteral(name)}, ${this.escapeLiteral(String(value))}, false)`)
      .join(', ');
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<this> | void {
    const open = this.connectToWritableHost();
    if (!callback) return open;
    open.then(
      () => callback(null),
      (error: Error) => callback(error),
    );
  }

  private async connectToWritableHost(): Promise<this> {
    try {
      if (this.hosts.length > 1) Object.assign(this, await findWritableHost(this.config, this.hosts));
      await super.connect();
      if (this.settings !== '') await super.query(`select ${this.settings}`);
    } catch (error) {
      databaseFaults.recordError(error);
      await super.end().catch(() => undefined);
      throw error;
    }
    return this;
  }
}

/**
 * Returns the first writable host.
 * @throws DatabaseUnusableError when all reachable hosts are read-only; the last connection error when no host is reachable
 */
export async function findWritableHost(config: ClientConfig, hosts: readonly DatabaseHost[]): Promise<DatabaseHost> {
  let failure: unknown;
  for (const host of hosts) {
    const probe = Object.assign(new Client({ ...config, connectionTimeoutMillis: HOST_PROBE_TIMEOUT_MS }), host);
    probe.on('error', () => undefined);
    try {
      await probe.connect();
      if (!(await isReadOnlyServer(probe))) return host;
      failure = new DatabaseUnusableError('database_read_only');
    } catch (error) {
      if (!(failure instanceof DatabaseUnusableError)) failure = error;
    } finally {
      await probe.end().catch(() => undefined);
    }
  }
  throw failure;
}

export async function isReadOnlyServer(client: Client): Promise<boolean> {
  const transaction = await row(
    client,
    sql<{ read_only: boolean }>`select current_setting('transaction_read_only') = 'on' as read_only`,
  );
  return transaction?.read_only ?? false;
}
