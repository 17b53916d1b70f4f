import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { DataSource, type EntityManager, type ObjectLiteral, type SelectQueryBuilder } from 'typeorm';

const statementNames = new Map<string, string>();

/**
 * Registers a statement that each connection parses and plans only once. Use it for constant texts that most requests
 * run: each one uses memory of each connection for its lifetime. One plan must suit all parameters.
 * @returns the same text
 */
export function registerPreparedStatement(text: string): string {
  if (!statementNames.has(text))
    statementNames.set(text, `rw_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`);
  return text;
}

/** Returns the name of the prepared statement; undefined = planned at each execution. */
export const findPreparedName = (text: string): string | undefined => statementNames.get(text);

/**
 * Statement, or part of one, with its values. `Row` is the type of a result row; the lint stage compares it with the
 * migrated schema (`scripts/sql-types.mjs`).
 */
export class Sql<Row = unknown> {
  /** Exists for the compiler only: it tells statements with different rows apart. */
  declare protected readonly row: Row;

  /** @param texts one more than values: the text around them */
  constructor(
    readonly texts: readonly string[],
    readonly values: readonly unknown[],
    private readonly planned = false,
  ) {}

  /** Text with the placeholders `$1`, `$2` and so on, and their values. */
  render(): { text: string; values: unknown[] } {
    const values: unknown[] = [];
    const numbers = new Map<unknown, number>();
    let text = this.texts[0] ?? '';
    this.values.forEach((value, n) => {
      const known = value instanceof SharedValue ? numbers.get(value) : undefined;
      const number = known ?? values.push(value instanceof SharedValue ? value.value : value);
      if (value instanceof SharedValue) numbers.set(value, number);
      text += `$${number}${this.texts[n + 1] ?? ''}`;
    });
    return { text: this.planned ? registerPreparedStatement(text) : text, values };
  }
}

/** A value that a statement contains several times but sends once. */
class SharedValue {
  constructor(readonly value: unknown) {}
}

/** Where a statement runs: a unit of work, an own connection, or the pool without a transaction. */
export type Executor = EntityManager | Client | DataSource;

/**
 * Builds a statement or a part of one. Values become placeholders, parts are inserted with their values.
 *
 * @example sql<{ id: string }>`select id from servers where ${inTenant} and name = ${name}`
 */
export function sql<Row = unknown>(texts: TemplateStringsArray, ...values: unknown[]): Sql<Row> {
  return build(texts, values, false);
}

/** Like `sql`, but each connection parses and plans the statement only once; see `registerPreparedStatement`. */
sql.prepared = <Row = unknown>(texts: TemplateStringsArray, ...values: unknown[]): Sql<Row> =>
  build(texts, values, true);

/** Value to insert in several places of a statement, which is sent once: for long lists and JSON. */
sql.value = (value: unknown): unknown => new SharedValue(value);

/** Text from the code, such as a table name or an alias. Never pass a request value. */
sql.raw = (text: string): Sql => new Sql([text], []);

/** Part that adds nothing. */
sql.none = new Sql([''], []);

/** Joins parts, such as columns or values of an `insert`. */
sql.join = (parts: readonly Sql[], separator = ', '): Sql =>
  build(['', ...parts.slice(1).map(() => separator), ''].slice(0, parts.length + 1), parts, false);

/** Condition on an optional value, as a list; empty if the value is null or undefined. */
sql.given = <T>(value: T | null | undefined, condition: (value: T) => Sql): Sql[] =>
  value === null || value === undefined ? [] : [condition(value)];

/** Conjunction of conditions; `true` without any. */
sql.all = (conditions: readonly Sql[]): Sql =>
  conditions.length > 0 ? sql`(${sql.join(conditions, ' and ')})` : sql.raw('true');

function build<Row>(texts: readonly string[], values: readonly unknown[], planned: boolean): Sql<Row> {
  const flatTexts = [texts[0] ?? ''];
  const flatValues: unknown[] = [];
  const append = (text: string) => (flatTexts[flatTexts.length - 1] += text);
  values.forEach((value, n) => {
    if (value instanceof Sql) {
      append(value.texts[0] ?? '');
      flatTexts.push(...value.texts.slice(1));
      flatValues.push(...value.values);
    } else {
      flatValues.push(value);
      flatTexts.push('');
    }
    append(texts[n + 1] ?? '');
  });
  return new Sql<Row>(flatTexts, flatValues, planned);
}

/** Rows that the statement returns, also those of `insert`, `update` and `delete … returning`. */
export async function rows<Row>(executor: Executor, statement: Sql<Row>): Promise<Row[]> {
  return (await execute<Row>(executor, statement)).rows;
}

/** First row; undefined: none. */
export async function row<Row>(executor: Executor, statement: Sql<Row>): Promise<Row | undefined> {
  return (await execute<Row>(executor, statement)).rows[0];
}

/** Number of rows that the statement inserted, updated or deleted. */
export async function affected(executor: Executor, statement: Sql): Promise<number> {
  return (await execute(executor, statement)).count;
}

async function execute<Row>(executor: Executor, statement: Sql<Row>): Promise<{ rows: Row[]; count: number }> {
  const { text, values } = statement.render();
  if (executor instanceof Client) {
    const { rows, rowCount } = await executor.query(text, values);
    return { rows: rows as Row[], count: rowCount ?? 0 };
  }
  const unit = executor instanceof DataSource ? undefined : executor.queryRunner;
  const runner = unit ?? (executor instanceof DataSource ? executor : executor.dataSource).createQueryRunner();
  try {
    const { records, affected } = await runner.query(text, values, true);
    return { rows: records as Row[], count: affected ?? 0 };
  } finally {
    if (!unit) await runner.release();
  }
}

/** Adds a condition to a query of TypeORM's query builder. */
export function whereSql<E extends ObjectLiteral>(query: SelectQueryBuilder<E>, condition: Sql): SelectQueryBuilder<E> {
  const prefix = `sql${Object.keys(query.getParameters()).length}_`;
  const { text, values } = condition.render();
  const parameters = Object.fromEntries(values.map((value, n) => [`${prefix}${n + 1}`, value]));
  return query.andWhere(
    text.replace(/\$(\d+)/g, (_, number: string) => `:${prefix}${number}`),
    parameters,
  );
}
