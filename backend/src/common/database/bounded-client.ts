import type { Client } from 'pg';
import { databaseCause } from './database-cause.js';
import { databaseFaults } from './database-faults.js';
import { preparedName } from './prepared.js';
import { SessionClient, type SessionConfig } from './session-client.js';

/** What pg says when an answer took longer than `query_timeout`. */
const NO_ANSWER = 'Query read timeout';
/** The connection's prepared statements are no more what they were: a migration changed what one gives, or they are gone. */
const STALE = /cached plan must not change result type|prepared statement "[^"]*" does not exist/;

export interface BoundedConfig extends SessionConfig {
  /** Whether statements that are `prepared` are kept by the connection; not behind a pooler that lends it by transaction. */
  prepares?: boolean;
}

/** A statement and what the database said of it. */
export interface FailedStatement {
  readonly text: string;
  readonly error: unknown;
}

interface Wire {
  connection: { stream: { cork?(): void; uncork?(): void; destroy(error: Error): void } };
}

/**
 * A connection that is broken off when the database does not answer a statement within `query_timeout`. The database
 * ends statements by itself; one that stays without any answer was asked over a connection that has died without a word,
 * and whatever is asked over it next would wait for ever too. Statements that are asked at the same moment leave in one
 * write.
 */
export class BoundedClient extends SessionClient {
  private readonly prepares: boolean;
  private gathering = false;
  /** The first statement that failed since it was last set to null; whoever begins a transaction does that. */
  failure: FailedStatement | null = null;

  constructor(config?: BoundedConfig) {
    super(config);
    this.prepares = config?.prepares ?? false;
  }

  // The parameters of pg's many forms of a query, handed on as they are.
  override query(...parameters: unknown[]): never {
    this.gather();
    const answer: unknown = (super.query as (this: Client, ...parameters: unknown[]) => unknown).apply(
      this,
      this.prepares ? named(parameters) : parameters,
    );
    if (answer instanceof Promise)
      answer.catch((error: unknown) => {
        this.failure ??= { text: textOf(parameters), error };
        databaseFaults.note(error);
        this.breakOff(error);
      });
    return answer as never;
  }

  /** Holds back what is written until everything that follows from the same event has been asked. */
  private gather(): void {
    const { stream } = (this as unknown as Wire).connection;
    if (this.gathering || !stream.cork) return;
    this.gathering = true;
    stream.cork();
    process.nextTick(() => {
      this.gathering = false;
      stream.uncork?.();
    });
  }

  private breakOff(error: unknown): void {
    if (!(error instanceof Error)) return;
    const { connection } = this as unknown as Wire;
    if (error.message === NO_ANSWER)
      connection.stream.destroy(new Error('Connection terminated: the database did not answer.'));
    else if (databaseCause(error) === 'database_read_only')
      connection.stream.destroy(new Error('Connection terminated: the database has become read-only.'));
    else if (STALE.test(error.message))
      connection.stream.destroy(new Error('Connection terminated: its prepared statements are stale.'));
  }
}

const textOf = ([first]: unknown[]): string =>
  typeof first === 'string' ? first : ((first as { text?: string } | undefined)?.text ?? '');

function named([text, values, ...more]: unknown[]): unknown[] {
  const name = typeof text === 'string' ? preparedName(text) : undefined;
  return name === undefined ? [text, values, ...more] : [{ name, text, values: values ?? [] }, ...more];
}
