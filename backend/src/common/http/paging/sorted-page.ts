import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { sql, type Sql, whereSql } from '../../database/sql.js';
import { encodeCursor, readCursor } from './cursor.js';
import { DEFAULT_PAGE_LIMIT, type Page } from './page.js';
import type { PageQuery } from './page.dto.js';

/** How a sort field is compared: `text` without case, `word` exactly, `time` in microseconds. */
type SortKeyKind = 'text' | 'word' | 'time';

/**
 * Sortable fields besides `createdAt`. Columns must not be null, except times with `nullsLast`: a missing time counts
 * as the earliest, so such rows come first in ascending order.
 */
export type SortColumns = Readonly<
  Record<string, { column: string; kind: 'text' | 'word' } | { column: string; kind: 'time'; nullsLast?: true }>
>;

export const NAMED_RECORD_COLUMNS = {
  name: { column: 'name', kind: 'text' },
  updatedAt: { column: 'updated_at', kind: 'time' },
} as const satisfies SortColumns;

export interface SortedQuery extends PageQuery {
  sort?: string;
}

const DEFAULT_SORT = '-createdAt';

/**
 * SQL by kind: the sort expression, its value in a cursor (`CURSOR_KEY_EXPRESSIONS`), and the cursor value converted back
 * (`CURSOR_KEY_CASTS`). In cursors, times are in microseconds.
 */
const ORDER_EXPRESSIONS: Record<SortKeyKind, (column: string) => string> = {
  text: (column) => `lower(${column})`,
  word: (column) => column,
  time: (column) => column,
};
const CURSOR_KEY_EXPRESSIONS: Record<SortKeyKind, (ordered: string) => string> = {
  text: (ordered) => ordered,
  word: (ordered) => ordered,
  time: (ordered) => `(extract(epoch from ${ordered}) * 1000000)::bigint`,
};
const CURSOR_KEY_CASTS: Record<SortKeyKind, (key: string | number | null) => Sql> = {
  text: (key) => sql`${key}::text`,
  word: (key) => sql`${key}::text`,
  time: (key) => sql`(timestamptz 'epoch' + ${key}::bigint * interval '1 microsecond')`,
};
const CURSOR_VALUE_KINDS = { text: 'text', word: 'text', time: 'sequence' } as const satisfies Record<
  SortKeyKind,
  string
>;
/**
 * Replaces a missing time by one that is earlier than all times of rows. Must match the text of the index expressions.
 */
const coalesceToEpoch = (column: string): string => `coalesce(${column}, timestamptz 'epoch')`;

/** Row of a bounded walk; null ID = empty page. */
export type WalkedRow<R> = (R | { id: null }) & { reach: string | null };

export class ListOrder {
  /**
   * Sort expressions with directions.
   * @sql 1
   */
  readonly orderBy: Sql;
  /** Sort expression without direction, which precedes the ID; null = sorted only by ID. */
  readonly ordered: string | null;
  /**
   * Select expression for the value that the cursor stores besides the ID.
   * @sql null::text
   */
  readonly key: Sql;
  /** Key and ID of the previous page's last row; null = first page. */
  readonly place: { key: string | number | null; id: string } | null;
  readonly direction: 'ASC' | 'DESC';
  private readonly sort: string;
  private readonly kind: SortKeyKind | null;
  private readonly id: string;

  /**
   * @param alias table alias of `id` and the columns
   * @throws Problem 400 for an unknown cursor or one of another sort order
   */
  constructor({ sort, cursor }: SortedQuery, columns: SortColumns, alias: string) {
    this.sort = sort ?? DEFAULT_SORT;
    this.direction = this.sort.startsWith('-') ? 'DESC' : 'ASC';
    const field = this.sort.replace('-', '');
    const column = columns[field];
    // `createdAt` needs no column: IDs are UUIDv7, so their order is the order of creation.
    if (!column && field !== 'createdAt') throw new Error(`This list cannot be sorted by ${field}.`);
    this.kind = column?.kind ?? null;
    this.id = `${alias}.id`;
    this.ordered = column ? toOrderExpression(column, alias) : null;
    this.key = sql.raw(column ? CURSOR_KEY_EXPRESSIONS[column.kind](toOrderExpression(column, alias)) : 'null');
    const orderedFirst = this.ordered === null ? '' : `${this.ordered} ${this.direction}, `;
    this.orderBy = sql.raw(`${orderedFirst}${this.id} ${this.direction}`);
    this.place = this.parseListPosition(cursor);
  }

  /** Returns the SQL condition for rows after the start position; empty = first page. */
  afterCursorSql(): Sql[] {
    return sql.given(this.place, (place) => this.afterPlace(place));
  }

  private afterPlace({ key, id }: { key: string | number | null; id: string }): Sql {
    const sign = sql.raw(this.direction === 'DESC' ? '<' : '>');
    const rowId = sql.raw(this.id);
    if (this.kind === null) return sql`${rowId} ${sign} ${id}::uuid`;
    return sql`(${sql.raw(this.ordered ?? '')}, ${rowId}) ${sign} (${CURSOR_KEY_CASTS[this.kind](key)}, ${id}::uuid)`;
  }

  toListPosition(row: { id: string; sort_key: string | null } | undefined): ListOrder['place'] {
    return row ? { key: this.kind === 'time' ? Number(row.sort_key) : row.sort_key, id: row.id } : null;
  }

  /** Builds a page from up to `limit` + 1 rows. The extra row means that there is a next page. */
  toPage<R extends { id: string; sort_key: string | null }, T>(rows: R[], limit: number, view: (row: R) => T): Page<T> {
    const pageRows = rows.slice(0, limit);
    const last = this.toListPosition(pageRows.at(-1));
    return { items: pageRows.map(view), nextCursor: rows.length > limit && last ? this.toCursor(last) : null };
  }

  /** Builds a page from a bounded walk. Such a page can have fewer rows than the limit although more follow. */
  toWalkedPage<R extends { id: string }, T>(
    rows: readonly WalkedRow<R>[],
    limit: number,
    view: (row: R) => T,
  ): Page<T> {
    const found = rows.filter((row): row is R & { reach: string | null } => row.id !== null);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1)?.id : rows[0]?.reach;
    return { items: page.map(view), nextCursor: last ? this.toCursor({ key: null, id: last }) : null };
  }

  private toCursor({ key, id }: { key: string | number | null; id: string }): string {
    return encodeCursor([...(this.sort === DEFAULT_SORT ? [] : [this.sort]), ...(this.kind === null ? [] : [key]), id]);
  }

  private parseListPosition(cursor: string | undefined): ListOrder['place'] {
    const names = this.sort === DEFAULT_SORT ? {} : { sort: this.sort };
    if (this.kind === null) {
      const position = readCursor(cursor, ['id'], names);
      return position && { key: null, id: position[0] };
    }
    const place = readCursor(cursor, [CURSOR_VALUE_KINDS[this.kind], 'id'], names);
    return place && { key: place[0], id: place[1] };
  }
}

const toOrderExpression = (column: SortColumns[string], alias: string): string => {
  const name = `${alias}.${column.column}`;
  return ORDER_EXPRESSIONS[column.kind](column.kind === 'time' && column.nullsLast ? coalesceToEpoch(name) : name);
};

interface SortedEntity<E> {
  id: string;
  sort_key: string | null;
  entity: E;
}

export async function readPage<E extends ObjectLiteral & { id: string }, T>(
  select: SelectQueryBuilder<E>,
  query: SortedQuery,
  view: (row: E) => T,
  columns: SortColumns = {},
): Promise<Page<T>> {
  const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
  const order = new ListOrder(query, columns, select.alias);
  const rows = await readRows(select, order, limit + 1);
  return order.toPage(rows, limit, ({ entity }) => view(entity));
}

async function readRows<E extends ObjectLiteral & { id: string }>(
  select: SelectQueryBuilder<E>,
  order: ListOrder,
  count: number,
): Promise<SortedEntity<E>[]> {
  for (const condition of order.afterCursorSql()) whereSql(select, condition);
  // Selected with an alias, because TypeORM cannot order by an expression.
  select.addSelect(order.key.render().text, 'sort_key');
  if (order.ordered !== null) select.addSelect(order.ordered, 'sort_by').orderBy('sort_by', order.direction);
  const { entities, raw } = await select
    .addOrderBy(`${select.alias}.id`, order.direction)
    .limit(count)
    .getRawAndEntities<{ sort_key: string | null }>();
  return entities.map((entity, index) => ({ id: entity.id, sort_key: raw[index]?.sort_key ?? null, entity }));
}
