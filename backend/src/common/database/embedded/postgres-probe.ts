import pg from 'pg';
import { APP_ROLE } from '../connection.js';
import { reasonOf } from '../start-error.js';

/** Where a server on a Unix socket is met. */
export interface SocketAddress {
  readonly folder: string;
  readonly port: number;
}

/** SQLSTATE of a server that is coming up, recovering or going down. */
const CANNOT_CONNECT_NOW = '57P03';
const TIMEOUT_MS = 5_000;
/** `create database` copies files and waits for a checkpoint: on a busy disk that takes its time. */
const MAKING_TIMEOUT_MS = 60_000;
const APP_LOGIN = 'login nosuperuser nobypassrls nocreaterole nocreatedb noreplication';

function clientOf(address: SocketAddress, database = 'postgres', queryTimeoutMs = TIMEOUT_MS): pg.Client {
  const { folder: host, port } = address;
  return new pg.Client({
    host,
    port,
    user: 'postgres',
    database,
    ssl: false, // else PGSSLMODE, meant for other databases, would be applied
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
  });
}

/** Asks with a real connection, since a socket's file says nothing about who still listens. */
export async function isReady(address: SocketAddress): Promise<'ready' | 'starting' | 'closed'> {
  const client = clientOf(address);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return 'ready';
  } catch (error) {
    return reasonOf(error) === CANNOT_CONNECT_NOW ? 'starting' : 'closed';
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Makes the database and the application's login where they are missing, and applies the access rules to a server that
 * ran before they were written. The login owns nothing and is a member of nothing, so that no statement of a session
 * leads to more rights. The names are ours, never a person's.
 */
export async function ensureDatabase(address: SocketAddress, name: string): Promise<void> {
  const client = clientOf(address, 'postgres', MAKING_TIMEOUT_MS);
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
    const roles = await client.query('select 1 from pg_roles where rolname = $1', [APP_ROLE]);
    await client.query(`${roles.rowCount === 0 ? 'create' : 'alter'} role ${APP_ROLE} ${APP_LOGIN}`);
    await client.query('select pg_reload_conf()');
  } finally {
    await client.end();
  }
}
