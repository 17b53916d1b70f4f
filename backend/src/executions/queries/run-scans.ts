import { sql, type Sql } from '../../common/database/sql.js';
import { fitsInOneScan, type IndexScan } from '../../common/http/paging/bounded-walk.js';
import type { ListOrder } from '../../common/http/paging/sorted-page.js';
import { toLowestIdAfter, toLowestIdFrom } from '../../common/ids.js';
import { filterByValues, type RunFilter, RUNS_SCAN } from './run-filter.js';
import { type ListExecutionsQuery, listRequestedFilters } from './run-filters.dto.js';
import { selectAwaitingRunIdsSql } from './visible-run.js';

export interface RunSelection {
  query: ListExecutionsQuery;
  order: ListOrder;
  /** Environments that the caller can see; `all` for admins; null: too many to list. */
  visible: readonly string[] | 'all' | null;
  /** Plans that the caller's token is limited to; undefined: unlimited. */
  plans: readonly string[] | undefined;
  /** Condition on `e`: the caller can see the environment of the run. */
  seen: Sql;
  /** Condition on `e`: the run waits for a decision of the caller. */
  awaits: Sql;
  count: number;
  /** IDs of the only runs that can match; null = not known. */
  ids: readonly string[] | null;
}

export interface RunScan extends IndexScan {
  /** Whether it reads all runs of the tenant. */
  ofTenant?: boolean;
}

/** Returns the index scans from which `boundedWalk` can choose, one for each filter in use. */
export function listRunScans(selection: RunSelection, tenantId: string): RunScan[] {
  const { query, awaits, count, ids } = selection;
  const limits = listIdLimitsSql(selection);
  const bounds = (id: Sql) => limits.map((limit) => sql`${id} ${limit}`);
  const filters = [...listAccessFilters(selection), ...listRequestedFilters(query)];
  const others = (own?: RunFilter) => filters.filter((filter) => filter !== own);
  const isCovered = (own: RunFilter, { on }: RunFilter): boolean =>
    on !== undefined && own.on !== undefined && (own.on === 'environment' || on === 'environment');
  const conditionsOf = (list: readonly RunFilter[]) => list.map(({ condition }) => condition);
  // Needs no other scan, because few runs wait for a decision.
  if (query.awaiting) {
    const from = sql`unnest(${selectAwaitingRunIdsSql(tenantId)}) waiting (id)`;
    const key = sql`waiting.id`;
    return [{ from, reached: bounds(key), key, rest: [awaits, ...conditionsOf(filters)] }];
  }
  if (ids) {
    const key = sql`named.id`;
    return [{ from: sql`unnest(${ids}::uuid[]) named (id)`, reached: bounds(key), key, rest: conditionsOf(filters) }];
  }
  const indexScans = filters.flatMap((filter): RunScan[] => {
    if (!filter.scan) return [];
    const { tenantId: tenantColumn, matches, ...scan } = filter.scan;
    const reached = [sql`${tenantColumn} = ${tenantId}`, matches, ...bounds(scan.key)];
    const coveredConditions = conditionsOf(others(filter).filter((other) => isCovered(filter, other)));
    const rest = conditionsOf(others(filter).filter((other) => !isCovered(filter, other)));
    return [{ ...scan, reached, coveredConditions, rest }];
  });
  // Adds a scan of all runs of the tenant when no filter has an index that covers a whole page.
  const isOneScanEnough = indexScans.some(({ stretches }) => fitsInOneScan(stretches?.count ?? 1, count));
  if (isOneScanEnough) return indexScans;
  const { from, key, tenantId: tenantColumn } = RUNS_SCAN;
  const reached = [sql`${tenantColumn} = ${tenantId}`, ...bounds(key)];
  return [...indexScans, { from, reached, key, rest: conditionsOf(filters), ofTenant: true }];
}

/** Returns filters by what the caller can see, except where a requested filter is narrower. */
function listAccessFilters({ query, visible, plans, seen }: RunSelection): RunFilter[] {
  const filters: RunFilter[] = [];
  if (plans && query.planId === undefined) filters.push(filterByValues(sql`e.plan_id`, sql`uuid`, plans, 'plan'));
  if (visible === null) filters.push({ condition: seen });
  else if (visible !== 'all' && query.environmentId === undefined)
    filters.push(filterByValues(sql`e.environment_id`, sql`uuid`, visible, 'environment'));
  return filters;
}

/** Returns limits of the run ID, from cursor and time range. */
const listIdLimitsSql = ({ query: { from, to }, order: { place, direction } }: RunSelection): Sql[] => [
  ...sql.given(place?.id, (id) => sql`${direction === 'DESC' ? sql`<` : sql`>`} ${id}::uuid`),
  ...sql.given(from && toLowestIdFrom(from), (id) => sql`>= ${id}::uuid`),
  ...sql.given(to && toLowestIdAfter(to), (id) => sql`< ${id}::uuid`),
];
