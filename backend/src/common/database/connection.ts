import { Client } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { BoundedClient } from './bounded-client.js';
import { GENERATION_SETTING, SCHEMA_GENERATION } from './schema-generation.js';
import { SessionClient, type SessionSettings } from './session-client.js';

/** The role that the application acts under: owns nothing, can't bypass row-level security. */
export const APP_ROLE = 'runward_app';

export const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** Statements of the application end before: a lock that does not come within this is held by something else. */
const MIGRATION_LOCK_TIMEOUT_MS = 60_000;
/** Longer than the database lets a statement run: whatever comes later never comes. */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 10_000;

/** Has TCP find out about a peer that is gone, also where a statement may take as long as it likes: within some minutes. */
export const NOTICES_DEAD_PEER = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** Session of the application: its role, and the generation of this code. */
export const APP_SESSION: SessionSettings = { role: APP_ROLE, [GENERATION_SETTING]: SCHEMA_GENERATION };

/** Session of the database's owner. */
export const OWNER_SESSION: SessionSettings = { [GENERATION_SETTING]: SCHEMA_GENERATION };

/** Has connections of a pool given up on which the database does not answer any more. */
export const answering = (timeoutMs = ANSWER_TIMEOUT_MS) => ({ Client: BoundedClient, query_timeout: timeoutMs });

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/**
 * Connection options for the running application. Each session takes the role `runward_app` first; RESET ROLE and SET
 * ROLE NONE lead back to the login, which should be no more than that.
 * @param more.prepares whether connections keep `prepared` statements
 */
export function appConnection(
  url: string,
  poolSize: number,
  { answerTimeoutMs, prepares = true }: { answerTimeoutMs?: number; prepares?: boolean } = {},
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
        ...APP_SESSION,
        statement_timeout: STATEMENT_TIMEOUT_MS,
        idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
      },
      ...answering(answerTimeoutMs),
      // Statements that do not wait for each other's answers share a trip.
      pipeline: true,
      prepares,
    },
    // An idle connection that breaks is replaced by the pool; requests meet the error themselves.
    poolErrorHandler: () => undefined,
  };
}

/** The role that an address signs in as. */
export const loginOf = (url: string): string | null => new Client({ connectionString: url }).user ?? null;

/** Connection options of the owner, for migrations only: never held while the application runs. */
export function ownerConnection(url: string): PostgresOptions {
  return {
    type: 'postgres',
    url,
    applicationName: 'runward-migrations',
    synchronize: false,
    installExtensions: false,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    poolSize: 2,
    extra: {
      ...NOTICES_DEAD_PEER,
      Client: SessionClient,
      session: { ...OWNER_SESSION, lock_timeout: MIGRATION_LOCK_TIMEOUT_MS },
    },
  };
}
