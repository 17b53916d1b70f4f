/**
 * A way through the rows that a list may show: along a stretch of one index, or along one stretch for each of several keys. The
 * rows of a stretch come in the order of the list, so that a walk can stop and tell where.
 */
export interface Way {
  /** SQL after `from`: rows of the listed table under the name `e`. A way of several stretches may name `stretch.key`. */
  from: string;
  /** Conditions that the index decides, the bounds of the list's key among them. */
  reached: readonly string[];
  /** What the rows are ordered by, as it stands in the index; the same as `e`'s key. */
  key: string;
  /** Conditions on each row that is come to. */
  rest: readonly string[];
  /** SQL of an array with a key for each stretch, and how many there are. */
  stretches?: { keys: string; count: number };
}

export interface Walk {
  /** Column of the listed table that the list is ordered by; no two rows of a tenant have the same. */
  column: string;
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
function alongWay(way: Way, number: number, most: number, { column, direction, count }: Walk): string {
  const { from, reached, key, rest, stretches } = way;
  const each = Math.max(1, Math.floor(most / (stretches?.count ?? 1)));
  // Where every row fits, a page of them is enough.
  const looked = rest.length > 0 ? each : Math.min(each, count);
  const order = `order by ${column} ${direction}`;
  const stretch = `select ${column} as key, fits, n = ${looked} or row_number() over (${order}) = ${count} as last
      from (select e.${column}, ${rest.length > 0 ? `coalesce(${rest.join(' and ')}, false)` : 'true'} as fits,
          row_number() over (order by e.${column} ${direction}) as n
        from (select e.* from ${from} where ${reached.join(' and ')} order by ${key} ${direction} limit ${looked}) e) looked
      where fits or n = ${looked} ${order} limit ${count}`;
  return stretches
    ? `(select ${number} as way, along.* from unnest(${stretches.keys}) stretch (key) cross join lateral (${stretch}) along)`
    : `(select ${number} as way, along.* from (${stretch}) along)`;
}
