import type { EntityManager } from 'typeorm';
import { type Principal, canSeeAllEnvironments } from '../../common/access/principal.js';
import { rows, sql, type Sql } from '../../common/database/sql.js';
import { boundedWalkSql, directionSql } from '../../common/http/paging/bounded-walk.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../common/http/paging/page.js';
import { ListOrder, type WalkedRow } from '../../common/http/paging/sorted-page.js';
import { listVisibleEnvironmentsIfFew } from '../../environments/caller-environments.js';
import type { ExecutionSummaryView } from '../contract/execution.view.js';
import { EXECUTION_COLUMNS_SQL } from '../record/execution-row.js';
import { awaitsCallerSql, isRunVisibleToSql } from './visible-run.js';
import type { ListExecutionsQuery } from './run-filters.dto.js';
import { type RunScan, listRunScans } from './run-scans.js';
import { type RunRowForCaller, toExecutionSummary } from './to-execution-view.js';

type ExactRunRow = RunRowForCaller & { sort_key: null };

interface SingleStatementList<Row> {
  statement: Sql<Row>;
  pageOf: (found: Row[]) => Page<ExecutionSummaryView>;
}

/**
 * Selects the most frequent page: the newest runs, unfiltered, for a caller who sees all environments. Its SQL is
 * constant, so it is prepared. Null: the query asks for another page.
 */
export function createNewestRunsStatement(
  caller: Principal,
  query: ListExecutionsQuery,
  publicUrl: string,
): SingleStatementList<ExactRunRow> | null {
  const { limit = DEFAULT_PAGE_LIMIT, ...others } = query;
  if (limit !== DEFAULT_PAGE_LIMIT || Object.values(others).some((value) => value !== undefined)) return null;
  if (!canSeeAllEnvironments(caller) || caller.limits?.planIds) return null;
  const order = new ListOrder(query, {}, 'e');
  return {
    // The limit is constant text, because one plan is used for all parameters.
    statement: sql.prepared<ExactRunRow>`
      select ${selectColumnsSql(caller)}, null as sort_key from executions e
        where e.tenant_id = ${caller.tenantId} order by e.id DESC limit ${sql.raw(`${DEFAULT_PAGE_LIMIT + 1}`)}`,
    pageOf: (found) => order.toPage(found, limit, (run) => toExecutionSummary(run, publicUrl)),
  };
}

export async function listRuns(
  tx: EntityManager,
  caller: Principal,
  { q, ...filters }: ListExecutionsQuery,
  publicUrl: string,
): Promise<Page<ExecutionSummaryView>> {
  const ids = q === undefined ? null : await findRunsByIdEnd(tx, caller, q);
  const query = ids === null && q !== undefined ? { ...filters, q } : filters;
  const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
  const order = new ListOrder(query, {}, 'e');
  const visible = canSeeAllEnvironments(caller) ? 'all' : await listVisibleEnvironmentsIfFew(tx, caller);
  const emptyPage = { items: [], nextCursor: null };
  if (Array.isArray(visible)) {
    const requestedEnvironmentId = query.environmentId;
    if (visible.length === 0 || (requestedEnvironmentId !== undefined && !visible.includes(requestedEnvironmentId)))
      return emptyPage;
  }
  const plans = caller.limits?.planIds;
  if (plans && query.planId !== undefined && !plans.includes(query.planId)) return emptyPage;
  const count = limit + 1;
  const run = sql.raw('e');
  const conditions = { seen: isRunVisibleToSql(run, caller), awaits: awaitsCallerSql(run, caller) };
  const indexScans = listRunScans({ query, order, visible, plans, ids, ...conditions, count }, caller.tenantId);
  const [indexScan] = indexScans;
  if (indexScans.length === 1 && indexScan && isExactScan(indexScan)) {
    const found = await rows(
      tx,
      sql<ExactRunRow>`select ${selectColumnsSql(caller)}, null as sort_key from executions e
        where ${sql.all(indexScan.reached)} order by e.id ${directionSql(order.direction)} limit ${count}`,
    );
    return order.toPage(found, limit, (each) => toExecutionSummary(each, publicUrl));
  }
  const rowOf = (key: Sql): Sql => sql`executions e where e.tenant_id = ${caller.tenantId} and e.id = ${key}`;
  const walk = boundedWalkSql(indexScans, { rowOf, direction: order.direction, count });
  const walked = await rows(
    tx,
    sql<WalkedRow<RunRowForCaller>>`select e.*, walk.reach from ${walk} walk
      left join lateral (select ${selectColumnsSql(caller)} from ${rowOf(sql`walk.key`)} limit 1) e on true
      order by walk.key ${directionSql(order.direction)}`,
  );
  return order.toWalkedPage(walked, limit, (each) => toExecutionSummary(each, publicUrl));
}

/** End of an ID, as the dashboard and the command line show it, or a whole ID. */
const ID_END_PATTERN = /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3})?[0-9a-f]{8,12}$/i;
const MAX_RUNS_BY_ID_END = 50;

/** Returns the IDs that end with a text; null = none, so the text can only be part of a name, note or label. */
async function findRunsByIdEnd(tx: EntityManager, caller: Principal, text: string): Promise<string[] | null> {
  if (!ID_END_PATTERN.test(text)) return null;
  const end = text.toLowerCase();
  const found = await rows(
    tx,
    sql<{ id: string }>`select e.id from executions e where e.tenant_id = ${caller.tenantId}
      and e.short_id = ${end.slice(-8)} and e.id::text like ${`%${end}`} and ${isRunVisibleToSql(sql.raw('e'), caller)} limit ${MAX_RUNS_BY_ID_END}`,
  );
  return found.length > 0 ? found.map(({ id }) => id) : null;
}

const selectColumnsSql = (caller: Principal): Sql =>
  sql`${EXECUTION_COLUMNS_SQL}, ${awaitsCallerSql(sql.raw('e'), caller)} as awaits_caller`;

/**
 * Whether the page needs no condition except the tenant. A filtered page first walks one index for the keys only. If a
 * statement also needed the rows, PostgreSQL might scan all runs, which is slow when matching runs are rare.
 */
const isExactScan = ({ ofTenant = false, coveredConditions = [], rest }: RunScan): boolean =>
  ofTenant && coveredConditions.length + rest.length === 0;
