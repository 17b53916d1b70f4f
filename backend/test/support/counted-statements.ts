import { Client } from 'pg';

/** Periodic statements of processes, which are independent of the measured work. */
const TIMED_STATEMENTS = /heartbeat|stalled_|tenants_with_due_checks/;

export interface CountedStatement {
  text: string;
  rows: number;
}

/** Statements of this process on connections of the application, without those of the queue. */
export interface CountedStatements {
  readonly all: readonly CountedStatement[];
  stop(): void;
}

type Query = (this: Client, ...parameters: unknown[]) => unknown;

/** Counts the statements of all parts of an installation in this process. Send only requests that should be counted. */
export function countStatements(): CountedStatements {
  const prototype = Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  const all: CountedStatement[] = [];
  prototype.query = function (...parameters: unknown[]) {
    const answer = query.apply(this, parameters);
    const [first] = parameters as [string | { text?: string }];
    const text = typeof first === 'string' ? first : (first.text ?? '');
    const { connectionParameters } = this as unknown as { connectionParameters: { application_name?: string } };
    if (connectionParameters.application_name !== 'runward' || TIMED_STATEMENTS.test(text)) return answer;
    const counted: CountedStatement = { text, rows: 0 };
    all.push(counted);
    if (answer instanceof Promise)
      answer.then(
        ({ rowCount }: { rowCount: number | null }) => (counted.rows = rowCount ?? 0),
        () => undefined,
      );
    return answer;
  };
  return { all, stop: () => void (prototype.query = query) };
}
