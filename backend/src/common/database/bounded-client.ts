import { Client } from 'pg';

/** What pg says when an answer took longer than `query_timeout`. */
const NO_ANSWER = 'Query read timeout';

/**
 * A connection that is broken off when the database does not answer a statement within `query_timeout`. The database
 * ends statements by itself; one that stays without any answer was asked over a connection that has died without a word,
 * and whatever is asked over it next would wait for ever too.
 */
export class BoundedClient extends Client {
  // The parameters of pg's many forms of a query, handed on as they are.
  override query(...parameters: unknown[]): never {
    const answer: unknown = (super.query as (this: Client, ...parameters: unknown[]) => unknown).apply(
      this,
      parameters,
    );
    if (answer instanceof Promise) answer.catch((error: unknown) => this.breakOff(error));
    return answer as never;
  }

  private breakOff(error: unknown): void {
    if (!(error instanceof Error) || error.message !== NO_ANSWER) return;
    const { connection } = this as unknown as { connection: { stream: { destroy(error: Error): void } } };
    connection.stream.destroy(new Error('Connection terminated: the database did not answer.'));
  }
}
