import { allOf } from '../../database/statement-values.js';

/**
 * A way through the rows that a list may show: along a stretch of one index, or along one stretch for each of several keys. The
 * rows of a stretch come in the order of the list, so that a walk can stop and tell where.
 */
export interface Way {
  /** SQL after `from`: what has the rows' keys in its index. A way of several stretches may name `stretch.key`. */
  from: string;
  /** Conditions that the index decides, the bounds of the list's key among them. */
  reached: readonly string[];
  /** The key, as it stands in the index. */
  key: string;
  /** Conditions on each key that is come to which the index can answer by what it includes. */
  covered?: readonly string[];
  /** Conditions on the row of each key that is come to, under the name `e`. */
  rest: readonly string[];
  /** SQL of an array with a key for each stretch, and how many there are. */
  stretches?: { keys: string; count: number };
}

export interface Walk {
  /** SQL after `from` for the row of a key, under the name `e`. */
  rowOf: (key: string) => string;
  direction: 'ASC' | 'DESC';
  /** Rows wanted. */
  count: number;
}

/** Rows that a page looks at on all ways together: however long the history is, what no index fits costs no more. */
export const MOST_LOOKED_AT = 1000;

/** Whether each of so many stretches may be walked for a whole page. */
export const fitsWhole = (stretches: number, count: number): boolean => stretches * count <= MOST_LOOKED_AT;

/**
 * SQL relation `(key, reach)`: the keys of a page's rows, and how far the walk came; a null `reach` says to the end. Every way
 * leads to the same rows. Each is walked as far as its part of {@link MOST_LOOKED_AT} goes, and the one that came furthest
 * tells the page: nobody has to know beforehand which filter leaves the fewest. An empty page is one row with a null key.
 */
export function boundedWalk(ways: readonly Way[], walk: Walk): string {
  const onward = walk.direction;
  const back = onward === 'DESC' ? 'asc' : 'desc';
  const within = onward === 'DESC' ? '>=' : '<=';
  const most = Math.floor(MOST_LOOKED_AT / ways.length);
  const walked = ways.map((way, number) => alongWay(way, number, most, walk));
  return `(with found as materialized (${walked.join('\n    union all ')}),
    chosen as (
      select way.number, (select f.key from found f where f.way = way.number and f.last order by f.key ${onward} limit 1) as reach
        from generate_series(0, ${ways.length - 1}) way (number) order by 2 ${back} nulls first, 1 limit 1)
    select page.key, chosen.reach from chosen left join lateral (
      select f.key from found f where f.way = chosen.number and f.fits and (chosen.reach is null or f.key ${within} chosen.reach)
        order by f.key ${onward} limit ${walk.count}) page on true)`;
}

/** The rows of a way that fit, and the last one that was looked at of each stretch that goes on. */
function alongWay(way: Way, number: number, most: number, { rowOf, direction, count }: Walk): string {
  const { from, reached, key, covered = [], rest, stretches } = way;
  const each = Math.max(1, Math.floor(most / (stretches?.count ?? 1)));
  // Where every row fits, a page of them is enough.
  const looked = covered.length + rest.length > 0 ? each : Math.min(each, count);
  const order = `order by key ${direction}`;
  const keys = `select ${key} as key, row_number() over (order by ${key} ${direction}) as n, ${allOf(covered)} as may
    from ${from} where ${allOf(reached)} order by ${key} ${direction} limit ${looked}`;
  // Row by row, in the order of the index, until the page is full: no join that would rather read a table as a whole.
  const fitting =
    rest.length > 0
      ? `select k.key, k.n, fitting.row is not null as fits from (${keys}) k
          left join lateral (select 1 as row from ${rowOf('k.key')} and k.may and ${allOf(rest)} limit 1) fitting on true`
      : `select k.key, k.n, k.may as fits from (${keys}) k`;
  const stretch = `select key, fits, n = ${looked} or row_number() over (${order}) = ${count} as last from (${fitting}) looked
    where fits or n = ${looked} ${order} limit ${count}`;
  return stretches
    ? `(select ${number} as way, along.* from unnest(${stretches.keys}) stretch (key) cross join lateral (${stretch}) along)`
    : `(select ${number} as way, along.* from (${stretch}) along)`;
}
