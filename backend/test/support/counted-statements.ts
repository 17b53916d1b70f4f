import { Client } from 'pg';

/** What processes ask of the database by the clock, however little is to be done. */
const BY_THE_CLOCK = /heartbeat|stalled_|tenants_with_due_checks/;

export interface CountedStatement {
  text: string;
  /** How many rows it gave; 0 while it is not answered. */
  rows: number;
}

/** Statements that this process sends over connections of the application; the queue has its own. */
export interface CountedStatements {
  /** In the order in which they were sent. */
  readonly all: readonly CountedStatement[];
  stop(): void;
}

type Query = (this: Client, ...parameters: unknown[]) => unknown;

/** Counts from now on, for every process of an installation that lives in this one: so ask only what is to be counted. */
export function countStatements(): CountedStatements {
  const prototype = Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  const all: CountedStatement[] = [];
  prototype.query = function (...parameters: unknown[]) {
    const answer = query.apply(this, parameters);
    const [first] = parameters as [string | { text?: string }];
    const text = typeof first === 'string' ? first : (first.text ?? '');
    const { connectionParameters } = this as unknown as { connectionParameters: { application_name?: string } };
    if (connectionParameters.application_name !== 'runward' || BY_THE_CLOCK.test(text)) return answer;
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
