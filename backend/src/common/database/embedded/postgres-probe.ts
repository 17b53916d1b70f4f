import pg from 'pg';
import { APP_ROLE } from '../connection.js';
import { row, sql } from '../sql.js';
import { toReason } from '../start-error.js';

export interface SocketAddress {
  readonly folder: string;
  readonly port: number;
}

const CANNOT_CONNECT_NOW_CODE = '57P03';
const PROBE_TIMEOUT_MS = 5_000;
/**
 * Time limit for `create database`, in ms. It copies files and waits for a checkpoint, which is slow on a busy disk.
 */
const CREATE_DATABASE_TIMEOUT_MS = 60_000;
const APP_LOGIN_ATTRIBUTES = 'login nosuperuser nobypassrls nocreaterole nocreatedb noreplication';

function createSocketClient(
  address: SocketAddress,
  database = 'postgres',
  queryTimeoutMs = PROBE_TIMEOUT_MS,
): pg.Client {
  const { folder: host, port } = address;
  return new pg.Client({
    host,
    port,
    user: 'postgres',
    database,
    ssl: false, // ignores PGSSLMODE, which is meant for other databases
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
  });
}

/** Opens a real connection, because a socket file does not prove that a server listens. */
export async function probeServer(address: SocketAddress): Promise<'ready' | 'starting' | 'closed'> {
  const client = createSocketClient(address);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await row(client, sql`select 1`);
    return 'ready';
  } catch (error) {
    return toReason(error) === CANNOT_CONNECT_NOW_CODE ? 'starting' : 'closed';
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Creates the database and the application's login if missing, and applies the access rules to a running server. The
 * login owns nothing and is a member of no role, so that no statement gains rights. `name` must be a constant, not user
 * input.
 */
export async function ensureDatabase(address: SocketAddress, name: string): Promise<void> {
  const client = createSocketClient(address, 'postgres', CREATE_DATABASE_TIMEOUT_MS);
  await client.connect();
  try {
    const database = await row(client, sql`select 1 from pg_database where datname = ${name}`);
    if (!database) await client.query(`create database ${client.escapeIdentifier(name)}`);
    const role = await row(client, sql`select 1 from pg_roles where rolname = ${APP_ROLE}`);
    await client.query(`${role ? 'alter' : 'create'} role ${APP_ROLE} ${APP_LOGIN_ATTRIBUTES}`);
    await row(client, sql`select pg_reload_conf()`);
  } finally {
    await client.end();
  }
}
