import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { StatementValues } from '../../database/statement-values.js';
import { encodeCursor, readCursor } from './cursor.js';
import { DEFAULT_LIMIT, type Page } from './page.js';
import type { PageQuery } from './page.dto.js';

/** How rows are told apart by a field: texts without regard to case, words as they are, times to the microsecond. */
type KeyKind = 'text' | 'word' | 'time';

/**
 * Fields that a list can be sorted by, beside `createdAt`. The columns may not be null, but for times with `orNever`:
 * rows without a time come before all others then.
 */
export type SortColumns = Readonly<
  Record<string, { column: string; kind: 'text' | 'word' } | { column: string; kind: 'time'; orNever?: true }>
>;

/** The columns that most records have. */
export const NAMED_RECORD = {
  name: { column: 'name', kind: 'text' },
  updatedAt: { column: 'updated_at', kind: 'time' },
} as const satisfies SortColumns;

export interface SortedQuery extends PageQuery {
  sort?: string;
}

const USUAL = '-createdAt';

/** SQL of what rows are ordered by, of the same in a cursor, and of what a cursor's stands for: times are microseconds there. */
const ORDERED: Record<KeyKind, (column: string) => string> = {
  text: (column) => `lower(${column})`,
  word: (column) => column,
  time: (column) => column,
};
const KEY: Record<KeyKind, (ordered: string) => string> = {
  text: (ordered) => ordered,
  word: (ordered) => ordered,
  time: (ordered) => `(extract(epoch from ${ordered}) * 1000000)::bigint`,
};
const PLACE: Record<KeyKind, (key: string) => string> = {
  text: (key) => `${key}::text`,
  word: (key) => `${key}::text`,
  time: (key) => `(timestamptz 'epoch' + ${key}::bigint * interval '1 microsecond')`,
};
const IN_CURSOR = { text: 'text', word: 'text', time: 'sequence' } as const satisfies Record<KeyKind, string>;
/** No row has an earlier time; as text the same as in the indexes of such columns. */
const orNever = (column: string): string => `coalesce(${column}, timestamptz 'epoch')`;

/** A row of a bounded walk; one without an id stands for an empty page. */
export type Walked<R> = (R | { id: null }) & { reach: string | null };

/** How the caller wants a list, and where its page starts; made from `sort` and `cursor`. */
export class ListOrder {
  /** In an `order by`. */
  readonly orderBy: string;
  /** What goes before the id in it, without the direction; null: nothing. */
  readonly ordered: string | null;
  /** In a `select`: what the cursor of a row holds beside its id. */
  readonly key: string;
  /** Key and id of the last row of the page before; null on the first page. */
  readonly place: { key: string | number | null; id: string } | null;
  readonly direction: 'ASC' | 'DESC';
  private readonly sort: string;
  private readonly kind: KeyKind | null;
  private readonly id: string;

  /**
   * @param alias of the table whose `id` tells rows apart, and whose columns the others are
   * @throws Problem 400 for a cursor that was handed out for another sort, or never
   */
  constructor({ sort, cursor }: SortedQuery, columns: SortColumns, alias: string) {
    this.sort = sort ?? USUAL;
    this.direction = this.sort.startsWith('-') ? 'DESC' : 'ASC';
    const field = this.sort.replace('-', '');
    const column = columns[field];
    // Ids are UUIDv7, so their order is that of creation.
    if (!column && field !== 'createdAt') throw new Error(`This list can't be sorted by ${field}.`);
    this.kind = column?.kind ?? null;
    this.id = `${alias}.id`;
    this.ordered = column ? orderedBy(column, alias) : null;
    this.key = column ? KEY[column.kind](orderedBy(column, alias)) : 'null';
    this.orderBy = `${this.ordered === null ? '' : `${this.ordered} ${this.direction}, `}${this.id} ${this.direction}`;
    this.place = this.placeOf(cursor);
  }

  /** SQL condition that the row comes after the place; none on the first page. */
  afterPlace(values: StatementValues): string[] {
    const { place } = this;
    if (!place) return [];
    return [this.after(this.kind === null ? '' : values.of(place.key), values.of(place.id))];
  }

  /** SQL condition: the row comes after the place. The arguments are the placeholders of its key, if rows have one, and id. */
  after(key: string, id: string): string {
    const sign = this.direction === 'DESC' ? '<' : '>';
    if (this.kind === null) return `${this.id} ${sign} ${id}::uuid`;
    return `(${this.ordered}, ${this.id}) ${sign} (${PLACE[this.kind](key)}, ${id}::uuid)`;
  }

  /** The place of a row; null for none. */
  placeAt(row: { id: string; sort_key: string | null } | undefined): ListOrder['place'] {
    return row ? { key: this.kind === 'time' ? Number(row.sort_key) : row.sort_key, id: row.id } : null;
  }

  /** Cuts the one row too many off and tells where to go on. */
  page<R extends { id: string; sort_key: string | null }, T>(rows: R[], limit: number, view: (row: R) => T): Page<T> {
    const shown = rows.slice(0, limit);
    const last = this.placeAt(shown.at(-1));
    return { items: shown.map(view), nextCursor: rows.length > limit && last ? this.cursorOf(last) : null };
  }

  /** A page of what a bounded walk found: it may hold fewer rows than asked for and go on all the same. */
  walkedPage<R extends { id: string }, T>(rows: readonly Walked<R>[], limit: number, view: (row: R) => T): Page<T> {
    const found = rows.filter((row): row is R & { reach: string | null } => row.id !== null);
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1)?.id : rows[0]?.reach;
    return { items: shown.map(view), nextCursor: last ? this.cursorOf({ key: null, id: last }) : null };
  }

  private cursorOf({ key, id }: { key: string | number | null; id: string }): string {
    return encodeCursor([...(this.sort === USUAL ? [] : [this.sort]), ...(this.kind === null ? [] : [key]), id]);
  }

  private placeOf(cursor: string | undefined): ListOrder['place'] {
    const names = this.sort === USUAL ? {} : { sort: this.sort };
    if (this.kind === null) {
      const place = readCursor(cursor, ['id'], names);
      return place && { key: null, id: place[0] };
    }
    const place = readCursor(cursor, [IN_CURSOR[this.kind], 'id'], names);
    return place && { key: place[0], id: place[1] };
  }
}

const orderedBy = (column: SortColumns[string], alias: string): string => {
  const name = `${alias}.${column.column}`;
  return ORDERED[column.kind](column.kind === 'time' && column.orNever ? orNever(name) : name);
};

interface SortedEntity<E> {
  id: string;
  sort_key: string | null;
  entity: E;
}

/** One page of entities in the order that the caller wants; newest first unless given. */
export async function readPage<E extends ObjectLiteral & { id: string }, T>(
  select: SelectQueryBuilder<E>,
  query: SortedQuery,
  view: (row: E) => T,
  columns: SortColumns = {},
): Promise<Page<T>> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const order = new ListOrder(query, columns, select.alias);
  const rows = await readRows(select, order, order.place, limit + 1);
  return order.page(rows, limit, ({ entity }) => view(entity));
}

/** The next `count` entities after a place in the order. */
async function readRows<E extends ObjectLiteral & { id: string }>(
  select: SelectQueryBuilder<E>,
  order: ListOrder,
  place: ListOrder['place'],
  count: number,
): Promise<SortedEntity<E>[]> {
  if (place) select.andWhere(order.after(':afterKey', ':afterId'), { afterKey: place.key, afterId: place.id });
  // Selected under a name, as TypeORM does not order by expressions.
  select.addSelect(order.key, 'sort_key');
  if (order.ordered !== null) select.addSelect(order.ordered, 'sort_by').orderBy('sort_by', order.direction);
  const { entities, raw } = await select
    .addOrderBy(`${select.alias}.id`, order.direction)
    .limit(count)
    .getRawAndEntities<{ sort_key: string | null }>();
  return entities.map((entity, index) => ({ id: entity.id, sort_key: raw[index]?.sort_key ?? null, entity }));
}
