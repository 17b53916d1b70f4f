import type { EntityManager } from 'typeorm';
import { type Principal, seesAllEnvironments } from '../../common/access/principal.js';
import { prepared } from '../../common/database/prepared.js';
import { allOf, StatementValues } from '../../common/database/statement-values.js';
import type { Statement } from '../../common/database/unit-of-work.js';
import { boundedWalk, type IndexScan } from '../../common/http/paging/bounded-walk.js';
import { DEFAULT_LIMIT, type Page } from '../../common/http/paging/page.js';
import { ListOrder, type WalkedRow } from '../../common/http/paging/sorted-page.js';
import { fewVisibleEnvironments } from '../../environments/caller-environments.js';
import type { ListExecutionsQuery } from '../contract/queries.dto.js';
import type { ExecutionSummaryView } from '../contract/execution.view.js';
import { EXECUTION_COLUMNS } from '../record/execution-row.js';
import { awaitsCaller } from './awaits-caller.js';
import { TENANT_CONDITION, runScans } from './run-scans.js';
import { type RunRowForCaller, toSummary } from './to-execution-view.js';
import { runIsVisible } from './visible-run.js';

/** `$1` is the tenant. */
const CALLER = { role: '$2', user: '$3', limits: '$4' };
const RUN_IS_VISIBLE = runIsVisible('e', CALLER);
const AWAITS_CALLER = awaitsCaller('e', CALLER);

type ExactRow = RunRowForCaller & { sort_key: null };

interface OneStatement<Row> {
  statement: Statement;
  pageOf: (rows: Row[]) => Page<ExecutionSummaryView>;
}

/**
 * Selects the most frequent page: the newest runs, unfiltered, for a caller who sees all environments. Its SQL is
 * constant, so it is prepared. Null: the query asks for another page.
 */
export function newestRuns(
  caller: Principal,
  query: ListExecutionsQuery,
  publicUrl: string,
): OneStatement<ExactRow> | null {
  const { limit = DEFAULT_LIMIT, ...others } = query;
  if (limit !== DEFAULT_LIMIT || Object.values(others).some((value) => value !== undefined)) return null;
  if (!seesAllEnvironments(caller) || caller.limits?.planIds) return null;
  const values = callerValues(caller);
  const order = new ListOrder(query, {}, 'e');
  const selection = {
    query,
    order,
    visible: 'all',
    plans: undefined,
    seen: RUN_IS_VISIBLE,
    awaits: AWAITS_CALLER,
    count: limit + 1,
  } as const;
  const [indexScan] = runScans(selection, values);
  if (!indexScan) throw new Error('No index scan lists the runs of the tenant.');
  const { statement, pageOf } = exactPage(indexScan, order, limit, values, publicUrl);
  return { statement: { ...statement, sql: prepared(statement.sql) }, pageOf };
}

export async function listRuns(
  tx: EntityManager,
  caller: Principal,
  query: ListExecutionsQuery,
  publicUrl: string,
): Promise<Page<ExecutionSummaryView>> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const order = new ListOrder(query, {}, 'e');
  const visible = seesAllEnvironments(caller) ? 'all' : await fewVisibleEnvironments(tx, caller);
  const emptyPage = { items: [], nextCursor: null };
  if (Array.isArray(visible)) {
    const requestedEnvironmentId = query.environmentId;
    if (visible.length === 0 || (requestedEnvironmentId !== undefined && !visible.includes(requestedEnvironmentId)))
      return emptyPage;
  }
  const plans = caller.limits?.planIds;
  if (plans && query.planId !== undefined && !plans.includes(query.planId)) return emptyPage;
  const values = callerValues(caller);
  const count = limit + 1;
  const indexScans = runScans(
    { query, order, visible, plans, seen: RUN_IS_VISIBLE, awaits: AWAITS_CALLER, count },
    values,
  );
  const [indexScan] = indexScans;
  if (indexScans.length === 1 && indexScan && isExact(indexScan)) {
    const { statement, pageOf } = exactPage(indexScan, order, limit, values, publicUrl);
    return pageOf(await tx.query<ExactRow[]>(statement.sql, statement.values));
  }
  const walk = boundedWalk(indexScans, { rowOf, direction: order.direction, count });
  const rows = await tx.query<WalkedRow<RunRowForCaller>[]>(
    `select e.*, walk.reach from ${walk} walk
      left join lateral (select ${EXECUTION_COLUMNS}, ${AWAITS_CALLER} as awaits_caller from ${rowOf('walk.key')} limit 1) e on true
      order by walk.key ${order.direction}`,
    values.list,
  );
  return order.walkedPage(rows, limit, (row) => toSummary(row, publicUrl));
}

const callerValues = ({ tenantId, role, userId, limits }: Principal): StatementValues =>
  new StatementValues(tenantId, role, userId, limits);

function exactPage(
  indexScan: IndexScan,
  order: ListOrder,
  limit: number,
  values: StatementValues,
  publicUrl: string,
): OneStatement<ExactRow> {
  const sql = `select ${EXECUTION_COLUMNS}, ${AWAITS_CALLER} as awaits_caller, null as sort_key from ${indexScan.from}
        where ${allOf(indexScan.reached)} order by ${indexScan.key} ${order.direction} limit ${limit + 1}`;
  return {
    statement: { sql, values: values.list },
    pageOf: (rows) => order.page(rows, limit, (row) => toSummary(row, publicUrl)),
  };
}

const rowOf = (key: string): string => `executions e where e.tenant_id = $1 and e.id = ${key}`;

/**
 * Whether the page needs no condition except the tenant. A filtered page first walks one index for the keys only. If a
 * statement also needed the rows, PostgreSQL might scan all runs, which is slow when matching runs are rare.
 */
const isExact = ({ reached, coveredConditions = [], rest }: IndexScan): boolean =>
  reached[0] === TENANT_CONDITION && coveredConditions.length + rest.length === 0;
