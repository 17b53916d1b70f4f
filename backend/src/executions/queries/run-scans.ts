import { conditionIf, type StatementValues } from '../../common/database/statement-values.js';
import { fitsInOneScan, type IndexScan } from '../../common/http/paging/bounded-walk.js';
import type { ListOrder } from '../../common/http/paging/sorted-page.js';
import { lowestIdAfter, lowestIdFrom } from '../../common/id-bounds.js';
import type { ListExecutionsQuery } from '../contract/queries.dto.js';
import { labelOf } from '../contract/run-labels.js';
import { AWAITING_RUNS } from './awaits-caller.js';

export interface RunSelection {
  query: ListExecutionsQuery;
  order: ListOrder;
  /** Environments that the caller can see; `all` for admins; null: too many to list. */
  visible: readonly string[] | 'all' | null;
  /** Plans that the caller's token is limited to; undefined: unlimited. */
  plans: readonly string[] | undefined;
  /** SQL condition on `e`: the caller can see the environment of the run. */
  seen: string;
  /** SQL condition on `e`: the run waits for a decision of the caller. */
  awaits: string;
  count: number;
}

/**
 * Filter columns with an index. The environment's index includes the other columns, and their indexes include the
 * environment. A filter on the environment and one other column therefore needs no table access.
 */
type IndexedField = 'environment' | 'plan' | 'starter' | 'status' | 'mode';

/** Condition on a run, and an index scan that yields the matching runs. */
interface Filter {
  condition: string;
  on?: IndexedField;
  scan?: Pick<IndexScan, 'from' | 'reached' | 'key' | 'stretches'>;
}

export const TENANT_CONDITION = 'e.tenant_id = $1';
const RUNS_TABLE = 'executions e';

/** Returns the index scans from which `boundedWalk` can choose, one for each filter in use. `$1` is the tenant. */
export function runScans(selection: RunSelection, values: StatementValues): IndexScan[] {
  const { query, visible, plans, seen, awaits, count } = selection;
  const limits = idLimits(selection, values);
  const bounds = (id: string) => limits.map((limit) => `${id} ${limit}`);
  const ofTenant = [TENANT_CONDITION, ...bounds('e.id')];
  const byIndex = (condition: string, on?: IndexedField): Filter => ({
    condition,
    on,
    scan: { from: RUNS_TABLE, reached: [condition, ...ofTenant], key: 'e.id' },
  });
  const byIndexOfEach = (column: string, type: string, list: readonly string[], on: IndexedField): Filter => {
    if (list.length === 1) return byIndex(`${column} = ${values.of(list[0])}::${type}`, on);
    const keys = `${values.of(list)}::${type}[]`;
    const reached = [`${column} = stretch.key`, ...ofTenant];
    return {
      condition: `${column} = any (${keys})`,
      on,
      scan: { from: RUNS_TABLE, reached, key: 'e.id', stretches: { keys, count: list.length } },
    };
  };

  const filters: Filter[] = [];
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
  if (serverId !== undefined) filters.push(onServer(values.of(serverId), bounds('h.execution_id')));
  for (const label of new Set(query.label)) {
    const { key, value } = labelOf(label) ?? { key: '', value: '' };
    filters.push(withLabel(values.of(key), values.of(value), bounds('l.execution_id')));
  }
  if (parentId !== undefined) filters.push(byIndex(`e.parent_id = ${values.of(parentId)}::uuid`));
  if (planId !== undefined) filters.push(byIndex(`e.plan_id = ${values.of(planId)}::uuid`, 'plan'));
  else if (plans) filters.push(byIndexOfEach('e.plan_id', 'uuid', plans, 'plan'));
  if (startedById !== undefined) filters.push(byIndex(`e.started_by = ${values.of(startedById)}::uuid`, 'starter'));
  if (environmentId !== undefined)
    filters.push(byIndex(`e.environment_id = ${values.of(environmentId)}::uuid`, 'environment'));
  else if (visible !== 'all' && visible !== null)
    filters.push(byIndexOfEach('e.environment_id', 'uuid', visible, 'environment'));
  if (visible === null) filters.push({ condition: seen });
  if (status !== undefined && status.length > 0)
    filters.push(byIndexOfEach('e.status', 'text', [...new Set(status)], 'status'));
  if (hasLegalHold !== undefined)
    filters.push(hasLegalHold ? byIndex('e.legal_hold') : { condition: 'not e.legal_hold' });
  if (mode !== undefined) filters.push(byIndex(`e.execution_mode = ${values.of(mode)}::text`, 'mode'));
  for (const condition of [
    ...conditionIf(values, from, (at) => `e.created_at >= ${at}::timestamptz`),
    ...conditionIf(values, to, (at) => `e.created_at < ${at}::timestamptz`),
  ])
    filters.push({ condition });

  const others = (own?: Filter) => filters.filter((filter) => filter !== own);
  const isCovered = (own: Filter, { on }: Filter): boolean =>
    on !== undefined && own.on !== undefined && (own.on === 'environment' || on === 'environment');
  const conditionsOf = (list: readonly Filter[]) => list.map(({ condition }) => condition);
  // Needs no other scan, because few runs wait for a decision.
  if (query.awaiting) {
    const from = `unnest(${AWAITING_RUNS}) waiting (id)`;
    return [{ from, reached: bounds('waiting.id'), key: 'waiting.id', rest: [awaits, ...conditionsOf(filters)] }];
  }
  const indexScans = filters.flatMap((filter): IndexScan[] => {
    if (!filter.scan) return [];
    const coveredConditions = conditionsOf(others(filter).filter((other) => isCovered(filter, other)));
    const rest = conditionsOf(others(filter).filter((other) => !isCovered(filter, other)));
    return [{ ...filter.scan, coveredConditions, rest }];
  });
  // Adds a scan of all runs of the tenant when no filter has an index that covers a whole page.
  const isOneScanEnough = indexScans.some(({ stretches }) => fitsInOneScan(stretches?.count ?? 1, count));
  return isOneScanEnough
    ? indexScans
    : [...indexScans, { from: RUNS_TABLE, reached: ofTenant, key: 'e.id', rest: conditionsOf(filters) }];
}

/** Returns limits of the run ID, from cursor and time range. */
const idLimits = (
  { query: { from, to }, order: { place, direction } }: RunSelection,
  values: StatementValues,
): string[] => [
  ...conditionIf(values, place?.id, (id) => `${direction === 'DESC' ? '<' : '>'} ${id}::uuid`),
  ...conditionIf(values, from && lowestIdFrom(from), (id) => `>= ${id}::uuid`),
  ...conditionIf(values, to && lowestIdAfter(to), (id) => `< ${id}::uuid`),
];

const onServer = (server: string, bounds: readonly string[]): Filter => ({
  condition: `exists (select 1 from execution_hosts h
    where h.tenant_id = e.tenant_id and h.execution_id = e.id and h.server_id = ${server}::uuid)`,
  scan: {
    from: 'execution_hosts h',
    reached: ['h.tenant_id = $1', `h.server_id = ${server}::uuid`, ...bounds],
    key: 'h.execution_id',
  },
});

const withLabel = (key: string, value: string, bounds: readonly string[]): Filter => ({
  condition: `exists (select 1 from execution_labels l
    where l.tenant_id = e.tenant_id and l.execution_id = e.id and l.key = ${key}::text and l.value = ${value}::text)`,
  scan: {
    from: 'execution_labels l',
    reached: ['l.tenant_id = $1', `l.key = ${key}::text`, `l.value = ${value}::text`, ...bounds],
    key: 'l.execution_id',
  },
});
