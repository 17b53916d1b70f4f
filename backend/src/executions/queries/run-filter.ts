import { sql, type Sql } from '../../common/database/sql.js';
import type { IndexScan } from '../../common/http/paging/bounded-walk.js';

/**
 * Filter columns with an index. The environment's index includes the other columns, and their indexes include the
 * environment. A filter on the environment and one other column therefore needs no table access.
 */
type IndexedField = 'environment' | 'plan' | 'starter' | 'status' | 'mode';

/** Condition on a run `e`. */
export interface RunFilter {
  condition: Sql;
  on?: IndexedField;
  /** Index scan that yields the matching runs. `matches` limits the range of the index together with the tenant. */
  scan?: Pick<IndexScan, 'from' | 'key' | 'stretches'> & { tenantId: Sql; matches: Sql };
}

export const RUNS_SCAN = { from: sql`executions e`, key: sql`e.id`, tenantId: sql`e.tenant_id` };

/** @param condition on a column that leads an index after the tenant */
export const filterByIndex = (condition: Sql, on?: IndexedField): RunFilter => ({
  condition,
  on,
  scan: { ...RUNS_SCAN, matches: condition },
});

/** Filters by a column that has one of the values. */
export function filterByValues(column: Sql, type: Sql, values: readonly string[], on: IndexedField): RunFilter {
  if (values.length === 1) return filterByIndex(sql`${column} = ${values[0]}::${type}`, on);
  const keys = sql`${sql.value(values)}::${type}[]`;
  return {
    condition: sql`${column} = any (${keys})`,
    on,
    scan: { ...RUNS_SCAN, matches: sql`${column} = stretch.key`, stretches: { keys, count: values.length } },
  };
}

/** Filters by rows of another table with `tenant_id` and `execution_id`, whose index has the columns of `matches`. */
export function filterByRows(table: Sql, alias: Sql, matches: Sql): RunFilter {
  const from = sql`${table} ${alias}`;
  const [key, tenantId] = [sql`${alias}.execution_id`, sql`${alias}.tenant_id`];
  return {
    condition: sql`exists (select 1 from ${from} where ${tenantId} = e.tenant_id and ${key} = e.id and ${matches})`,
    scan: { from, key, tenantId, matches },
  };
}
