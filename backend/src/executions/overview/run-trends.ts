import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import { toLowestIdFrom } from '../../common/ids.js';
import { isWithinLimitsSql } from '../../environments/environments.sql.js';
import { isRunInSql } from './open-failures.js';

const DAY_MS = 86_400_000;
/** Newest runs that a trend counts. */
export const MAX_TREND_RUNS = 20_000;
const MAX_RUNS_OF_ENVIRONMENT = 2_000;

/** Statuses that count as a result. Cancelled, rejected and expired runs are neither success nor failure. */
const RESULTS_SQL = sql`('SUCCEEDED', 'PARTIALLY_SUCCEEDED', 'FAILED', 'TIMED_OUT', 'INTERRUPTED')`;

export interface TrendDay {
  /** Day in UTC, as `2026-11-28`. */
  day: string;
  runs: number;
  succeeded: number;
}

export interface DurationDay extends TrendDay {
  /** Durations of successful runs. */
  medianMs: number | null;
  p95Ms: number | null;
}

/** Returns the last days in UTC, oldest first, today included. */
export function listDays(count: number, now = Date.now()): string[] {
  const today = Math.floor(now / DAY_MS);
  return Array.from({ length: count }, (_, index) =>
    new Date((today - count + 1 + index) * DAY_MS).toISOString().slice(0, 10),
  );
}

const toFirstId = (days: readonly string[]): string => toLowestIdFrom(`${days[0]}T00:00:00Z`);

/** Returns finished runs by day, of the newest `MAX_TREND_RUNS`. Dry runs are ignored. Days without runs are absent. */
export async function readRunTrend(
  tx: EntityManager,
  caller: Principal,
  environmentIds: readonly string[],
  { planId, days }: { planId: string | undefined; days: readonly string[] },
): Promise<{ days: DurationDay[]; total: Omit<DurationDay, 'day'> }> {
  const counted = await rows(
    tx,
    sql<Omit<DurationDay, 'day'> & { day: string | null }>`
      select to_char(r.started_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::int as runs,
          (count(*) filter (where r.status = 'SUCCEEDED'))::int as succeeded,
          round(percentile_cont(0.5) within group (order by r.ms) filter (where r.status = 'SUCCEEDED'))::float8 as "medianMs",
          round(percentile_cont(0.95) within group (order by r.ms) filter (where r.status = 'SUCCEEDED'))::float8 as "p95Ms"
        from (select e.started_at, e.status, (extract(epoch from e.finished_at - e.started_at) * 1000)::float8 as ms
          from executions e
          where e.tenant_id = ${caller.tenantId} and e.id >= ${toFirstId(days)}::uuid and e.status in ${RESULTS_SQL}
            and e.execution_mode <> 'dry_run' and e.started_at is not null and e.finished_at is not null
            and ${isRunInSql(environmentIds, caller)}
            ${planId === undefined ? sql.none : sql`and e.plan_id = ${planId}`}
          order by e.id desc limit ${MAX_TREND_RUNS}) r
        group by grouping sets ((1), ()) order by 1`,
  );
  const none = { runs: 0, succeeded: 0, medianMs: null, p95Ms: null };
  const { day: _, ...total } = counted.find(({ day }) => day === null) ?? { day: null, ...none };
  return { days: counted.flatMap(({ day, ...rest }) => (day === null ? [] : [{ day, ...rest }])), total };
}

/** Returns finished runs of each environment by day, of its newest runs. Dry runs are ignored. */
export const readTrendsOfEnvironments = (
  tx: EntityManager,
  caller: Principal,
  environmentIds: readonly string[],
  days: readonly string[],
): Promise<(TrendDay & { environmentId: string })[]> =>
  rows(
    tx,
    sql<TrendDay & { environmentId: string }>`
      select environment.id as "environmentId", to_char(r.started_at at time zone 'UTC', 'YYYY-MM-DD') as day,
          count(*)::int as runs, (count(*) filter (where r.status = 'SUCCEEDED'))::int as succeeded
        from unnest(${environmentIds}::uuid[]) as environment (id)
        cross join lateral (
          select e.started_at, e.status from executions e
            where e.tenant_id = ${caller.tenantId} and e.environment_id = environment.id
              and e.id >= ${toFirstId(days)}::uuid and e.status in ${RESULTS_SQL} and e.execution_mode <> 'dry_run'
              and e.started_at is not null and ${isWithinLimitsSql('planIds', sql`e.plan_id`, caller)}
            order by e.id desc limit ${MAX_RUNS_OF_ENVIRONMENT}) r
        group by 1, 2 order by 1, 2`,
  );
