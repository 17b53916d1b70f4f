import { sql, type Sql } from '../../database/sql.js';

/**
 * Index scan over the rows of a list: along one range of an index, or along one range per key. The rows of a range come
 * in list order, so a walk can stop and continue later.
 */
export interface IndexScan {
  /** After `from`: relation with the keys, read through an index. With several ranges, it can use `stretch.key`. */
  from: Sql;
  /** Conditions that limit the index range. They include the bounds of the list's key. */
  reached: readonly Sql[];
  key: Sql;
  /** Conditions per key that the index can answer from its included columns. */
  coveredConditions?: readonly Sql[];
  rest: readonly Sql[];
  /** Ranges, if there are several: SQL of an array with one key per range, and the number of keys. */
  stretches?: { keys: Sql; count: number };
}

export interface BoundedWalk {
  /** After `from`: the row `e` of a key. */
  rowOf: (key: Sql) => Sql;
  direction: 'ASC' | 'DESC';
  count: number;
}

/**
 * Maximum number of rows that all scans of a page read together, so that filters without an index have a fixed cost.
 */
export const MAX_ROWS_READ = 1000;

/** Whether each range can be read for a whole page within `MAX_ROWS_READ`. */
export const fitsInOneScan = (ranges: number, count: number): boolean => ranges * count <= MAX_ROWS_READ;

/** Sort direction of a statement. */
export const directionSql = (direction: BoundedWalk['direction']): Sql => (direction === 'DESC' ? sql`DESC` : sql`ASC`);

/** Text of a number, so that the plan of the walk does not depend on values. */
const numberSql = (number: number): Sql => sql.raw(String(number));

/**
 * Returns an SQL relation `(key, reach)`: the keys of a page, and the position that the walk reached; null `reach` =
 * the end. Every scan alone leads to the matching rows, and each reads its share of {@link MAX_ROWS_READ}. The scan
 * that got furthest determines the page, so the most selective filter need not be known. An empty page is one row with
 * a null key.
 * @sql (select null::uuid as key, null::uuid as reach)
 */
export function boundedWalkSql(indexScans: readonly IndexScan[], walk: BoundedWalk): Sql {
  const onward = directionSql(walk.direction);
  const reverseDirection = directionSql(walk.direction === 'DESC' ? 'ASC' : 'DESC');
  const within = walk.direction === 'DESC' ? sql`>=` : sql`<=`;
  const maxRowsPerScan = Math.floor(MAX_ROWS_READ / indexScans.length);
  const scanStatements = indexScans.map((indexScan, number) => indexScanSql(indexScan, number, maxRowsPerScan, walk));
  return sql`(with found as materialized (${sql.join(scanStatements, '\n    union all ')}),
    chosen as (
      select way.number, (select f.key from found f where f.way = way.number and f.last order by f.key ${onward} limit 1) as reach
        from generate_series(0, ${numberSql(indexScans.length - 1)}) way (number) order by 2 ${reverseDirection} nulls first, 1 limit 1)
    select page.key, chosen.reach from chosen left join lateral (
      select f.key from found f where f.way = chosen.number and f.fits and (chosen.reach is null or f.key ${within} chosen.reach)
        order by f.key ${onward} limit ${numberSql(walk.count)}) page on true)`;
}

/** Returns SQL for the matching rows of a scan, and for the last row read of each range that continues. */
function indexScanSql(
  { from, reached: indexConditions, key, coveredConditions = [], rest, stretches: ranges }: IndexScan,
  number: number,
  maxRowsPerScan: number,
  { rowOf, direction: walkDirection, count }: BoundedWalk,
): Sql {
  const direction = directionSql(walkDirection);
  const each = Math.max(1, Math.floor(maxRowsPerScan / (ranges?.count ?? 1)));
  // Without conditions every row matches, so reading one page is enough.
  const readRows = numberSql(coveredConditions.length + rest.length > 0 ? each : Math.min(each, count));
  const order = sql`order by key ${direction}`;
  const keys = sql`(select ${key} as key, row_number() over (order by ${key} ${direction}) as n, ${sql.all(coveredConditions)} as may
    from ${from} where ${sql.all(indexConditions)} order by ${key} ${direction} limit ${readRows})`;
  // The lateral join tests row by row, in index order, until the page is full. The planner then cannot choose to read
  // the whole table.
  const fittingRows =
    rest.length > 0
      ? sql`(select k.key, k.n, fitting.row is not null as fits from ${keys} k
          left join lateral (select 1 as row from ${rowOf(sql`k.key`)} and k.may and ${sql.all(rest)} limit 1) fitting on true)`
      : sql`(select k.key, k.n, k.may as fits from ${keys} k)`;
  const pageLength = numberSql(count);
  const rangeSql = sql`(select key, fits, n = ${readRows} or row_number() over (${order}) = ${pageLength} as last from ${fittingRows} looked
    where fits or n = ${readRows} ${order} limit ${pageLength})`;
  const way = numberSql(number);
  return ranges
    ? sql`(select ${way} as way, along.* from unnest(${ranges.keys}) stretch (key) cross join lateral ${rangeSql} along)`
    : sql`(select ${way} as way, along.* from ${rangeSql} along)`;
}
