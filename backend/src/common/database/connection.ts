import { Client } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { BoundedClient } from './bounded-client.js';
import { GENERATION_SETTING, SCHEMA_GENERATION } from './schema-generation.js';
import { SessionClient, type SessionSettings } from './session-client.js';

/** Role of the application's sessions: it owns nothing and cannot bypass row-level security. */
export const APP_ROLE = 'runward_app';

export const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** Statements of the application end sooner, so a lock held for longer belongs to another program. */
const MIGRATION_LOCK_TIMEOUT_MS = 60_000;
/** Longer than the statement timeout of the database, so an answer that takes longer never arrives. */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 10_000;

/** TCP keepalive: detects a dead database server within minutes, also during statements without a time limit. */
export const KEEP_ALIVE_OPTIONS = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

export const APP_SESSION_SETTINGS: SessionSettings = { role: APP_ROLE, [GENERATION_SETTING]: SCHEMA_GENERATION };

export const OWNER_SESSION_SETTINGS: SessionSettings = { [GENERATION_SETTING]: SCHEMA_GENERATION };

/** Pool options that close a connection on which the database no longer answers. */
export const createTimeoutOptions = (timeoutMs = ANSWER_TIMEOUT_MS) => ({
  Client: BoundedClient,
  query_timeout: timeoutMs,
});

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/**
 * Connection options for the running application. Each session takes the role `runward_app` first. RESET ROLE and SET
 * ROLE NONE return to the login, which should have no more rights.
 * @param more.usesPreparedStatements whether connections keep `prepared` statements
 */
export function createAppConnectionOptions(
  url: string,
  poolSize: number,
  {
    answerTimeoutMs,
    usesPreparedStatements = true,
  }: { answerTimeoutMs?: number; usesPreparedStatements?: boolean } = {},
): PostgresOptions {
  return {
    type: 'postgres',
    url,
    applicationName: 'runward',
    synchronize: false,
    uuidExtension: 'pgcrypto',
    installExtensions: false,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    poolSize,
    extra: {
      session: {
        ...APP_SESSION_SETTINGS,
        statement_timeout: STATEMENT_TIMEOUT_MS,
        idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
      },
      ...createTimeoutOptions(answerTimeoutMs),
      // Statements do not wait for each other's answers and share a round trip.
      pipeline: true,
      usesPreparedStatements,
    },
    // The pool replaces broken idle connections, and each request gets its own error. So nothing is left to handle.
    poolErrorHandler: () => undefined,
  };
}

export const readLoginName = (url: string): string | null => new Client({ connectionString: url }).user ?? null;

export function createOwnerConnectionOptions(url: string): PostgresOptions {
  return {
    type: 'postgres',
    url,
    applicationName: 'runward-migrations',
    synchronize: false,
    installExtensions: false,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    poolSize: 2,
    extra: {
      ...KEEP_ALIVE_OPTIONS,
      Client: SessionClient,
      session: { ...OWNER_SESSION_SETTINGS, lock_timeout: MIGRATION_LOCK_TIMEOUT_MS },
    },
  };
}
