import { Client, type ClientConfig } from 'pg';
import {
  type DatabaseErrorCause,
  findDatabaseErrorCause,
  DatabaseUnusableError,
  toOneLineMessage,
} from '../database-cause.js';
import { type DatabaseHost, parseDatabaseHosts, replaceHosts } from '../../network/database-hosts.js';
import { isReadOnlyServer, findWritableHost } from '../session-client.js';
import { row, sql } from '../sql.js';
import { describeSystemError, StartError } from '../start-error.js';

const REACH_TIMEOUT_MS = 5_000;
/** Attempts to detect a pooler: each one may get a different connection from it. */
const MAX_CONNECT_ATTEMPTS = 3;

/**
 * Verifies that an external database answers, accepts writes, and provides real sessions.
 * @param setting variable that holds the address
 * @returns the address with a writable host first
 * @throws StartError with cause and remedy in one line
 */
export async function connectToDatabase(url: string, setting: string): Promise<string> {
  const config = { connectionString: url, connectionTimeoutMillis: REACH_TIMEOUT_MS, query_timeout: REACH_TIMEOUT_MS };
  try {
    const hosts = parseDatabaseHosts(url);
    const host = hosts.length > 1 ? await findWritableHost(config, hosts) : null;
    await withConnectedClient(config, host, async (client) => {
      if (await isReadOnlyServer(client)) throw new DatabaseUnusableError('database_read_only');
      await withConnectedClient(config, host, (other) => requireSessionPooling(client, other));
    });
    return host ? replaceHosts(url, host) : url;
  } catch (error) {
    throw toStartError(url, setting, error);
  }
}

async function withConnectedClient(
  config: ClientConfig,
  host: DatabaseHost | null,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const client = Object.assign(new Client(config), host);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Rejects a pooler in transaction mode: it shares a server process between two clients, or switches a client's server
 * process. The test sets no session state, because the pooler's next client would inherit it.
 */
async function requireSessionPooling(one: Client, other: Client): Promise<void> {
  for (let attempt = 1; attempt <= MAX_CONNECT_ATTEMPTS; attempt += 1) {
    const first = await readBackendProcessId(one);
    await other.query('begin');
    const otherProcess = await readBackendProcessId(other);
    const isPooled = otherProcess === first || (await readBackendProcessId(one)) !== first;
    await other.query('rollback');
    if (isPooled) throw new DatabaseUnusableError('database_pooler');
  }
}

async function readBackendProcessId(client: Client): Promise<number> {
  const backend = await row(client, sql<{ pid: number }>`select pg_backend_pid() as pid`);
  return backend?.pid ?? 0;
}

export function toStartError(url: string, setting: string, error: unknown): StartError {
  const cause: DatabaseErrorCause | null = findDatabaseErrorCause(error);
  const reason = cause ? toOneLineMessage(cause, error) : `It cannot be used (${describeSystemError(error)}).`;
  return new StartError(`${setting} ${removePassword(url)}: ${reason}`);
}

export function removePassword(url: string): string {
  try {
    const parsed = new URL(url);
    if (parsed.password !== '') parsed.password = '***';
    for (const name of ['password', 'sslkey']) if (parsed.searchParams.has(name)) parsed.searchParams.set(name, '***');
    return parsed.toString();
  } catch {
    return 'of the database';
  }
}
