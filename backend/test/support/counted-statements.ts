import { Client } from 'pg';

/** What the processes' clocks ask of the database by themselves, however little is to be done. */
const BY_THE_CLOCK = /heartbeat|stalled_|tenants_with_due_checks|lease_until = now\(\) \+ make_interval\(secs => \$4\)/;

/** Statements that this process sends over connections of the application, its queue's own left out. */
export interface CountedStatements {
  /** In the order in which they were sent. */
  readonly texts: readonly string[];
  stop(): void;
}

/** Counts from now on, all processes of an installation that live in this one: so ask only what is to be counted. */
export function countStatements(): CountedStatements {
  const original = Client.prototype.query;
  const texts: string[] = [];
  Client.prototype.query = function (this: Client, ...parameters: unknown[]): never {
    const [first] = parameters;
    const text = typeof first === 'string' ? first : ((first as { text?: string }).text ?? '');
    const { application_name: name } = (this as unknown as { connectionParameters: { application_name?: string } })
      .connectionParameters;
    if (name === 'runward' && !BY_THE_CLOCK.test(text)) texts.push(text.replace(/\s+/g, ' ').trim());
    return (original as (...all: unknown[]) => unknown).apply(this, parameters) as never;
  } as typeof original;
  return { texts, stop: () => void (Client.prototype.query = original) };
}
