import { conditionIf, type StatementValues } from '../../common/database/statement-values.js';
import { fitsWhole, type Way } from '../../common/http/paging/bounded-walk.js';
import type { ListOrder } from '../../common/http/paging/sorted-page.js';
import { lowestIdAfter, lowestIdFrom } from '../../common/id-bounds.js';
import type { ListExecutionsQuery } from '../contract/queries.dto.js';
import { labelOf } from '../contract/run-labels.js';
import { AWAITING_RUNS } from './awaits-caller.js';

/** Which runs of a tenant a page is to show: the caller's filters, and what the caller may see. */
export interface RunSelection {
  query: ListExecutionsQuery;
  order: ListOrder;
  /** Environments that the caller sees, where they are few; `all` for admins; null when they are many. */
  visible: readonly string[] | 'all' | null;
  /** Plans that the caller's token is narrowed to; undefined: it is not. */
  plans: readonly string[] | undefined;
  /** SQL condition on `e`: the caller sees the run's environment. */
  seen: string;
  /** SQL condition on `e`: the run waits for the caller. */
  awaits: string;
  /** Rows wanted. */
  count: number;
}

/** The index of environments includes the others, and theirs include the environment: together they need no look at the run. */
type Indexed = 'environment' | 'plan' | 'starter' | 'status' | 'mode';

/** One filter: as a condition on a run, and as a way to the runs that it leaves. */
interface Filter {
  condition: string;
  /** What the condition is on, and its index, where other indexes include it or its own includes others. */
  on?: Indexed;
  way?: Pick<Way, 'from' | 'reached' | 'key' | 'stretches'>;
}

/** What is reached first where no filter leads the way. */
export const OF_TENANT = 'e.tenant_id = $1';
const RUNS = 'executions e';

/**
 * The ways to the runs that the filters leave, for a `boundedWalk`; only what is in use is in them. `$1` is the tenant.
 */
export function runWays(selection: RunSelection, values: StatementValues): Way[] {
  const { query, visible, plans, seen, awaits, count } = selection;
  const limits = idLimits(selection, values);
  const bounds = (id: string) => limits.map((limit) => `${id} ${limit}`);
  const ofTenant = [OF_TENANT, ...bounds('e.id')];
  const along = (condition: string, on?: Indexed): Filter => ({
    condition,
    on,
    way: { from: RUNS, reached: [condition, ...ofTenant], key: 'e.id' },
  });
  const alongEach = (column: string, type: string, list: readonly string[], on: Indexed): Filter => {
    if (list.length === 1) return along(`${column} = ${values.of(list[0])}::${type}`, on);
    const keys = `${values.of(list)}::${type}[]`;
    const reached = [`${column} = stretch.key`, ...ofTenant];
    return {
      condition: `${column} = any (${keys})`,
      on,
      way: { from: RUNS, reached, key: 'e.id', stretches: { keys, count: list.length } },
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
    legalHold: held,
    from,
    to,
  } = query;
  if (serverId !== undefined) filters.push(onServer(values.of(serverId), bounds('h.execution_id')));
  for (const label of new Set(query.label)) {
    const { key, value } = labelOf(label) ?? { key: '', value: '' };
    filters.push(withLabel(values.of(key), values.of(value), bounds('l.execution_id')));
  }
  if (parentId !== undefined) filters.push(along(`e.parent_id = ${values.of(parentId)}::uuid`));
  if (planId !== undefined) filters.push(along(`e.plan_id = ${values.of(planId)}::uuid`, 'plan'));
  else if (plans) filters.push(alongEach('e.plan_id', 'uuid', plans, 'plan'));
  if (startedById !== undefined) filters.push(along(`e.started_by = ${values.of(startedById)}::uuid`, 'starter'));
  if (environmentId !== undefined)
    filters.push(along(`e.environment_id = ${values.of(environmentId)}::uuid`, 'environment'));
  else if (visible !== 'all' && visible !== null)
    filters.push(alongEach('e.environment_id', 'uuid', visible, 'environment'));
  if (visible === null) filters.push({ condition: seen });
  if (status !== undefined && status.length > 0)
    filters.push(alongEach('e.status', 'text', [...new Set(status)], 'status'));
  if (held !== undefined) filters.push(held ? along('e.legal_hold') : { condition: 'not e.legal_hold' });
  if (mode !== undefined) filters.push(along(`e.execution_mode = ${values.of(mode)}::text`, 'mode'));
  for (const condition of [
    ...conditionIf(values, from, (at) => `e.created_at >= ${at}::timestamptz`),
    ...conditionIf(values, to, (at) => `e.created_at < ${at}::timestamptz`),
  ])
    filters.push({ condition });

  const others = (own?: Filter) => filters.filter((filter) => filter !== own);
  const isCovered = (own: Filter, { on }: Filter): boolean =>
    on !== undefined && own.on !== undefined && (own.on === 'environment' || on === 'environment');
  const conditionsOf = (list: readonly Filter[]) => list.map(({ condition }) => condition);
  // Runs that wait for somebody are few, whatever there is beside them.
  if (query.awaiting) {
    const from = `unnest(${AWAITING_RUNS}) waiting (id)`;
    return [{ from, reached: bounds('waiting.id'), key: 'waiting.id', rest: [awaits, ...conditionsOf(filters)] }];
  }
  const ways = filters.flatMap((filter): Way[] => {
    if (!filter.way) return [];
    const covered = conditionsOf(others(filter).filter((other) => isCovered(filter, other)));
    const rest = conditionsOf(others(filter).filter((other) => !isCovered(filter, other)));
    return [{ ...filter.way, covered, rest }];
  });
  // Along all runs of the tenant where a filter has no index, or has too many stretches to walk each for a whole page.
  const wholly = ways.some(({ stretches }) => fitsWhole(stretches?.count ?? 1, count));
  return wholly ? ways : [...ways, { from: RUNS, reached: ofTenant, key: 'e.id', rest: conditionsOf(filters) }];
}

/** What the ids of the page's runs are compared with. */
const idLimits = (
  { query: { from, to }, order: { place, direction } }: RunSelection,
  values: StatementValues,
): string[] => [
  ...conditionIf(values, place?.id, (id) => `${direction === 'DESC' ? '<' : '>'} ${id}::uuid`),
  ...conditionIf(values, from && lowestIdFrom(from), (id) => `>= ${id}::uuid`),
  ...conditionIf(values, to && lowestIdAfter(to), (id) => `< ${id}::uuid`),
];

/** Runs that have this server among their hosts. */
const onServer = (server: string, bounds: readonly string[]): Filter => ({
  condition: `exists (select 1 from execution_hosts h
    where h.tenant_id = e.tenant_id and h.execution_id = e.id and h.server_id = ${server}::uuid)`,
  way: {
    from: 'execution_hosts h',
    reached: ['h.tenant_id = $1', `h.server_id = ${server}::uuid`, ...bounds],
    key: 'h.execution_id',
  },
});

/** Runs that were labelled so. */
const withLabel = (key: string, value: string, bounds: readonly string[]): Filter => ({
  condition: `exists (select 1 from execution_labels l
    where l.tenant_id = e.tenant_id and l.execution_id = e.id and l.key = ${key}::text and l.value = ${value}::text)`,
  way: {
    from: 'execution_labels l',
    reached: ['l.tenant_id = $1', `l.key = ${key}::text`, `l.value = ${value}::text`, ...bounds],
    key: 'l.execution_id',
  },
});
