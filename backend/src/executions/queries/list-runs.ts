import type { EntityManager } from 'typeorm';
import { type Principal, seesAllEnvironments } from '../../common/access/principal.js';
import { prepared } from '../../common/database/prepared.js';
import { allOf, StatementValues } from '../../common/database/statement-values.js';
import { boundedWalk, type Way } from '../../common/http/paging/bounded-walk.js';
import { DEFAULT_LIMIT, type Page } from '../../common/http/paging/page.js';
import { ListOrder, type Walked } from '../../common/http/paging/sorted-page.js';
import { fewVisibleEnvironments } from '../../environments/caller-environments.js';
import type { ListExecutionsQuery } from '../contract/queries.dto.js';
import type { ExecutionSummaryView } from '../contract/execution.view.js';
import { EXECUTION_COLUMNS } from '../record/execution-row.js';
import { awaitsCaller } from './awaits-caller.js';
import { OF_TENANT, runWays } from './run-ways.js';
import { type SeenRun, toSummary } from './to-execution-view.js';
import { runIsVisible } from './visible-run.js';

/** The caller as the statement's parameters have it: `$1` is the tenant. */
const CALLER = { role: '$2', user: '$3', limits: '$4' };
const SEEN = runIsVisible('e', CALLER);
const AWAITS = awaitsCaller('e', CALLER);

/** A page of the runs that the caller sees and the filters leave. */
export async function listRuns(
  tx: EntityManager,
  caller: Principal,
  query: ListExecutionsQuery,
  publicUrl: string,
): Promise<Page<ExecutionSummaryView>> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const order = new ListOrder(query, {}, 'e');
  const visible = seesAllEnvironments(caller) ? 'all' : await fewVisibleEnvironments(tx, caller);
  const nothing = { items: [], nextCursor: null };
  if (Array.isArray(visible)) {
    const asked = query.environmentId;
    if (visible.length === 0 || (asked !== undefined && !visible.includes(asked))) return nothing;
  }
  const plans = caller.limits?.planIds;
  if (plans && query.planId !== undefined && !plans.includes(query.planId)) return nothing;
  const values = new StatementValues(caller.tenantId, caller.role, caller.userId, caller.limits);
  const count = limit + 1;
  const ways = runWays({ query, order, visible, plans, seen: SEEN, awaits: AWAITS, count }, values);
  const [way] = ways;
  if (ways.length === 1 && way && isExact(way)) {
    const text = `select ${EXECUTION_COLUMNS}, ${AWAITS} as awaits_caller, null as sort_key from ${way.from}
        where ${allOf(way.reached)} order by ${way.key} ${order.direction} limit ${count}`;
    // What every client asks for first, in one text: planning it takes longer than running it.
    const common = limit === DEFAULT_LIMIT && way.reached.length === 1;
    const rows = await tx.query<(SeenRun & { sort_key: null })[]>(common ? prepared(text) : text, values.list);
    return order.page(rows, limit, (row) => toSummary(row, publicUrl));
  }
  const walk = boundedWalk(ways, { rowOf, direction: order.direction, count });
  const rows = await tx.query<Walked<SeenRun>[]>(
    `select e.*, walk.reach from ${walk} walk
      left join lateral (select ${EXECUTION_COLUMNS}, ${AWAITS} as awaits_caller from ${rowOf('walk.key')} limit 1) e on true
      order by walk.key ${order.direction}`,
    values.list,
  );
  return order.walkedPage(rows, limit, (row) => toSummary(row, publicUrl));
}

const rowOf = (key: string): string => `executions e where e.tenant_id = $1 and e.id = ${key}`;

/**
 * Whether all runs of the tenant are to be shown. With a filter they are walked by its index alone: a planner that needs the rows too
 * may rather go through all runs, which is long where those that fit are not among the first.
 */
const isExact = ({ reached, covered = [], rest }: Way): boolean =>
  reached[0] === OF_TENANT && covered.length + rest.length === 0;
