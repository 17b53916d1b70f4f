import type { Client } from 'pg';
import { findDatabaseErrorCause } from './database-cause.js';
import { databaseFaults } from './database-faults.js';
import { findPreparedName } from './sql.js';
import { SessionClient, type SessionConfig } from './session-client.js';

const START_TRANSACTION_SQL = 'START TRANSACTION';
const READ_TIMEOUT_MESSAGE = 'Query read timeout';
/** Prepared statements of the connection are invalid: a migration changed a result type, or they are gone. */
const STALE_STATEMENT_PATTERN = /cached plan must not change result type|prepared statement "[^"]*" does not exist/;

export interface BoundedClientConfig extends SessionConfig {
  /** Whether the connection uses statements registered with `registerPreparedStatement`; false behind a pooler in transaction mode. */
  usesPreparedStatements?: boolean;
}

export interface FailedStatement {
  readonly text: string;
  readonly error: unknown;
}

interface ClientConnection {
  connection: { stream: { cork?(): void; uncork?(): void; destroy(error: Error): void } };
}

/**
 * Connection that closes when a statement gets no answer within `query_timeout`. The database itself ends long
 * statements, so a missing answer means a dead connection. Without the limit, later statements would wait forever.
 * Statements of the same tick are sent in one write.
 */
export class BoundedClient extends SessionClient {
  private readonly usesPreparedStatements: boolean;
  private isCorked = false;
  private opening: { text: string; sent: () => void } | null = null;
  /** First failed statement of the transaction; null = none. A new transaction resets it. */
  failure: FailedStatement | null = null;

  constructor(config?: BoundedClientConfig) {
    super(config);
    this.usesPreparedStatements = config?.usesPreparedStatements ?? false;
  }

  /**
   * Sends `text` instead of the next `START TRANSACTION`, which TypeORM sends when it opens a transaction.
   * @returns resolves when it was sent, before it is answered
   */
  beginTransactionWith(text: string): Promise<void> {
    return new Promise((sent) => (this.opening = { text, sent }));
  }

  override query(...parameters: unknown[]): never {
    this.corkWrites();
    if (this.opening && parameters[0] === START_TRANSACTION_SQL) {
      const { text, sent } = this.opening;
      this.opening = null;
      parameters = [text];
      sent();
    }
    const answer: unknown = (super.query as (this: Client, ...parameters: unknown[]) => unknown).apply(
      this,
      this.usesPreparedStatements ? addStatementName(parameters) : parameters,
    );
    if (answer instanceof Promise)
      answer.catch((error: unknown) => {
        this.failure ??= { text: readQueryText(parameters), error };
        databaseFaults.recordError(error);
        this.abortConnection(error);
      });
    return answer as never;
  }

  private corkWrites(): void {
    const { stream } = (this as unknown as ClientConnection).connection;
    if (this.isCorked || !stream.cork) return;
    this.isCorked = true;
    stream.cork();
    process.nextTick(() => {
      this.isCorked = false;
      stream.uncork?.();
    });
  }

  private abortConnection(error: unknown): void {
    if (!(error instanceof Error)) return;
    const { connection } = this as unknown as ClientConnection;
    if (error.message === READ_TIMEOUT_MESSAGE)
      connection.stream.destroy(new Error('Connection terminated: the database did not answer.'));
    else if (findDatabaseErrorCause(error) === 'database_read_only')
      connection.stream.destroy(new Error('Connection terminated: the database has become read-only.'));
    else if (STALE_STATEMENT_PATTERN.test(error.message))
      connection.stream.destroy(new Error('Connection terminated: its prepared statements are stale.'));
  }
}

const readQueryText = ([first]: unknown[]): string =>
  typeof first === 'string' ? first : ((first as { text?: string } | undefined)?.text ?? '');

function addStatementName([text, values, ...more]: unknown[]): unknown[] {
  const name = typeof text === 'string' ? findPreparedName(text) : undefined;
  return name === undefined ? [text, values, ...more] : [{ name, text, values: values ?? [] }, ...more];
}
