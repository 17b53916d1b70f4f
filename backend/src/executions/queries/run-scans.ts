import { sql, type Sql } from '../../common/database/sql.js';
import { fitsInOneScan, type IndexScan } from '../../common/http/paging/bounded-walk.js';
import type { ListOrder } from '../../common/http/paging/sorted-page.js';
import { toLowestIdAfter, toLowestIdFrom } from '../../common/ids.js';
import type { ListExecutionsQuery } from '../contract/queries.dto.js';
import { parseLabel } from '../contract/run-labels.js';
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
}

/**
 * Filter columns with an index. The environment's index includes the other columns, and their indexes include the
 * environment. A filter on the environment and one other column therefore needs no table access.
 */
type IndexedField = 'environment' | 'plan' | 'starter' | 'status' | 'mode';

/** Condition on a run, and an index scan that yields the matching runs. */
interface RunFilter {
  condition: Sql;
  on?: IndexedField;
  scan?: Pick<IndexScan, 'from' | 'reached' | 'key' | 'stretches'>;
}

export interface RunScan extends IndexScan {
  /** Whether it reads all runs of the tenant. */
  ofTenant?: boolean;
}

const RUNS_TABLE_SQL = sql`executions e`;
const RUN_ID_SQL = sql`e.id`;

/** Returns the index scans from which `boundedWalk` can choose, one for each filter in use. */
export function listRunScans(selection: RunSelection, tenantId: string): RunScan[] {
  const { query, visible, plans, seen, awaits, count } = selection;
  const limits = listIdLimitsSql(selection);
  const bounds = (id: Sql) => limits.map((limit) => sql`${id} ${limit}`);
  const ofTenant = [sql`e.tenant_id = ${tenantId}`, ...bounds(RUN_ID_SQL)];
  const byIndex = (condition: Sql, on?: IndexedField): RunFilter => ({
    condition,
    on,
    scan: { from: RUNS_TABLE_SQL, reached: [condition, ...ofTenant], key: RUN_ID_SQL },
  });
  const byIndexOfEach = (column: Sql, type: Sql, list: readonly string[], on: IndexedField): RunFilter => {
    if (list.length === 1) return byIndex(sql`${column} = ${list[0]}::${type}`, on);
    const keys = sql`${sql.value(list)}::${type}[]`;
    const reached = [sql`${column} = stretch.key`, ...ofTenant];
    return {
      condition: sql`${column} = any (${keys})`,
      on,
      scan: { from: RUNS_TABLE_SQL, reached, key: RUN_ID_SQL, stretches: { keys, count: list.length } },
    };
  };

  const filters: RunFilter[] = [];
  const {
    planId,
    environmentId,
    startedById,
    parentId,
    serverId,
    status,
    execution_mode: mode,
    legalHold: hasLegalHold,
    from,
    to,
  } = query;
  if (serverId !== undefined) filters.push(filterByServer(tenantId, serverId, bounds(sql`h.execution_id`)));
  for (const label of new Set(query.label)) {
    const { key, value } = parseLabel(label) ?? { key: '', value: '' };
    filters.push(filterByLabel(tenantId, key, value, bounds(sql`l.execution_id`)));
  }
  if (parentId !== undefined) filters.push(byIndex(sql`e.parent_id = ${parentId}::uuid`));
  if (planId !== undefined) filters.push(byIndex(sql`e.plan_id = ${planId}::uuid`, 'plan'));
  else if (plans) filters.push(byIndexOfEach(sql`e.plan_id`, sql`uuid`, plans, 'plan'));
  if (startedById !== undefined) filters.push(byIndex(sql`e.started_by = ${startedById}::uuid`, 'starter'));
  if (environmentId !== undefined) filters.push(byIndex(sql`e.environment_id = ${environmentId}::uuid`, 'environment'));
  else if (visible !== 'all' && visible !== null)
    filters.push(byIndexOfEach(sql`e.environment_id`, sql`uuid`, visible, 'environment'));
  if (visible === null) filters.push({ condition: seen });
  if (status !== undefined && status.length > 0)
    filters.push(byIndexOfEach(sql`e.status`, sql`text`, [...new Set(status)], 'status'));
  if (hasLegalHold !== undefined)
    filters.push(hasLegalHold ? byIndex(sql`e.legal_hold`) : { condition: sql`not e.legal_hold` });
  if (mode !== undefined) filters.push(byIndex(sql`e.execution_mode = ${mode}::text`, 'mode'));
  for (const condition of [
    ...sql.given(from, (at) => sql`e.created_at >= ${at}::timestamptz`),
    ...sql.given(to, (at) => sql`e.created_at < ${at}::timestamptz`),
  ])
    filters.push({ condition });

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
  const indexScans = filters.flatMap((filter): RunScan[] => {
    if (!filter.scan) return [];
    const coveredConditions = conditionsOf(others(filter).filter((other) => isCovered(filter, other)));
    const rest = conditionsOf(others(filter).filter((other) => !isCovered(filter, other)));
    return [{ ...filter.scan, coveredConditions, rest }];
  });
  // Adds a scan of all runs of the tenant when no filter has an index that covers a whole page.
  const isOneScanEnough = indexScans.some(({ stretches }) => fitsInOneScan(stretches?.count ?? 1, count));
  return isOneScanEnough
    ? indexScans
    : [
        ...indexScans,
        { from: RUNS_TABLE_SQL, reached: ofTenant, key: RUN_ID_SQL, rest: conditionsOf(filters), ofTenant: true },
      ];
}

/** Returns limits of the run ID, from cursor and time range. */
const listIdLimitsSql = ({ query: { from, to }, order: { place, direction } }: RunSelection): Sql[] => [
  ...sql.given(place?.id, (id) => sql`${direction === 'DESC' ? sql`<` : sql`>`} ${id}::uuid`),
  ...sql.given(from && toLowestIdFrom(from), (id) => sql`>= ${id}::uuid`),
  ...sql.given(to && toLowestIdAfter(to), (id) => sql`< ${id}::uuid`),
];

const filterByServer = (tenantId: string, serverId: string, bounds: readonly Sql[]): RunFilter => ({
  condition: sql`exists (select 1 from execution_hosts h
    where h.tenant_id = e.tenant_id and h.execution_id = e.id and h.server_id = ${serverId}::uuid)`,
  scan: {
    from: sql`execution_hosts h`,
    reached: [sql`h.tenant_id = ${tenantId}`, sql`h.server_id = ${serverId}::uuid`, ...bounds],
    key: sql`h.execution_id`,
  },
});

const filterByLabel = (tenantId: string, key: string, value: string, bounds: readonly Sql[]): RunFilter => ({
  condition: sql`exists (select 1 from execution_labels l
    where l.tenant_id = e.tenant_id and l.execution_id = e.id and l.key = ${key}::text and l.value = ${value}::text)`,
  scan: {
    from: sql`execution_labels l`,
    reached: [sql`l.tenant_id = ${tenantId}`, sql`l.key = ${key}::text`, sql`l.value = ${value}::text`, ...bounds],
    key: sql`l.execution_id`,
  },
});
