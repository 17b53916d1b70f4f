import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { RUNTIME, type Runtime } from '../common/settings/runtime.js';
import { listVisibleEnvironments, type VisibleEnvironment } from '../environments/caller-environments.js';
import { toWindowStateView } from '../environments/windows/run-windows.view.js';
import {
  findLatestResults,
  findRecentlyUsed,
  type LatestResult,
  listLatestResults,
} from '../executions/overview/latest-results.js';
import {
  type FailureScan,
  findOpenFailures,
  loadFailedRuns,
  type OpenFailure,
} from '../executions/overview/open-failures.js';
import { listDays, MAX_TREND_RUNS, readRunTrend, readTrendsOfEnvironments } from '../executions/overview/run-trends.js';
import { listRunningRuns } from '../executions/overview/running-runs.js';
import { countHostHealth } from '../inventory/host-health.js';
import { filterVisiblePlans, listVisiblePlanNames } from '../plans/records/visible-plan.js';
import { listNextSchedules } from '../schedules/next-schedules.js';
import { listAdmins } from '../tenancy/directory/member.reader.js';
import type { OverviewEnvironmentsQuery, OverviewMatrixQuery, OverviewTrendsQuery } from './overview.dto.js';
import type {
  ExecutionResultView,
  OverviewEnvironmentsView,
  OverviewMatrixView,
  OverviewTrendsView,
  OverviewView,
} from './overview.view.js';

const MAX_ENVIRONMENTS = 2_000;
const MAX_RUNNING = 20;
const MAX_OPEN_FAILURES = 20;
const MAX_ADMINS = 5;
const DEFAULT_CARDS = 12;
const MAX_RESULTS_PER_CARD = 5;
const MAX_SCHEDULES_PER_CARD = 3;
const TREND_DAYS = 30;
const MATRIX_ENVIRONMENTS = 12;
const DEFAULT_MATRIX_PLANS = 25;
const MAX_MATRIX_PLANS = 100;

@Injectable()
export class OverviewReader {
  constructor(
    private readonly units: UnitOfWork,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  read(caller: Principal): Promise<OverviewView> {
    const { publicUrl } = this.runtime.settings;
    return this.units.read(caller.tenantId, async (tx) => {
      const environments = await listVisibleEnvironments(tx, caller, MAX_ENVIRONMENTS);
      const ids = environments.map(({ id }) => id);
      const [running, failures] = await Promise.all([
        listRunningRuns(tx, caller, ids, { limit: MAX_RUNNING, publicUrl }),
        findExistingFailures(tx, caller, ids),
      ]);
      const shown = failures.open.slice(0, MAX_OPEN_FAILURES);
      const [details, admins] = await Promise.all([
        loadFailedRuns(
          tx,
          caller,
          shown.map(({ id }) => id),
          publicUrl,
        ),
        ids.length === 0 && caller.role !== 'admin' && caller.limits === null
          ? listAdmins(tx, caller.tenantId, MAX_ADMINS)
          : [],
      ]);
      return {
        running: running.items,
        runningCount: running.count,
        openFailures: shown.flatMap(({ id, failedRuns, lastSuccessAt }) => {
          const detail = details.get(id);
          return detail ? [{ ...detail, failedRuns, lastSuccessAt: lastSuccessAt?.toISOString() ?? null }] : [];
        }),
        openFailureCount: failures.open.length,
        openFailuresIncomplete: failures.isTruncated,
        failedInLastDay: failures.failedInLastDay,
        environmentCount: environments.length,
        admins,
      };
    });
  }

  readEnvironments(
    caller: Principal,
    { q, limit = DEFAULT_CARDS }: OverviewEnvironmentsQuery,
  ): Promise<OverviewEnvironmentsView> {
    return this.units.read(caller.tenantId, async (tx) => {
      const visible = await listVisibleEnvironments(tx, caller, MAX_ENVIRONMENTS);
      const visibleIds = visible.map(({ id }) => id);
      const [{ open }, recent] = await Promise.all([
        findExistingFailures(tx, caller, visibleIds),
        findRecentlyUsed(tx, caller, visibleIds),
      ]);
      const matching = sortFirst(
        visible.filter(({ name }) => q === undefined || name.toLowerCase().includes(q.toLowerCase())),
        [...open.map(({ environmentId }) => environmentId), ...recent.environmentIds],
      );
      const shown = matching.slice(0, limit);
      const ids = shown.map(({ id }) => id);
      const days = listDays(TREND_DAYS);
      const [hosts, results, schedules, trends] = await Promise.all([
        countHostHealth(tx, caller.tenantId, ids),
        listLatestResults(tx, caller, ids, MAX_RESULTS_PER_CARD),
        listNextSchedules(tx, caller, ids, MAX_SCHEDULES_PER_CARD),
        readTrendsOfEnvironments(tx, caller, ids, days),
      ]);
      const now = new Date();
      return {
        total: matching.length,
        items: shown.map(({ id, name, access, protected: isProtected, runWindows }) => {
          const counts = hosts.find(({ environmentId }) => environmentId === id);
          const trend = trends.filter(({ environmentId }) => environmentId === id);
          return {
            ...{ id, name, access, protected: isProtected },
            runWindowState: runWindows && toWindowStateView(runWindows, now),
            hosts: {
              reachable: counts?.reachable ?? 0,
              unreachable: counts?.unreachable ?? 0,
              unknown: counts?.unknown ?? 0,
            },
            results: results.filter(({ environmentId }) => environmentId === id).map(toExecutionResultView),
            openFailures: open.filter(({ environmentId }) => environmentId === id).length,
            schedules: schedules
              .filter(({ environmentId }) => environmentId === id)
              .flatMap((next) =>
                next.nextAt ? [{ id: next.id, name: next.name, nextAt: next.nextAt.toISOString() }] : [],
              ),
            trend: days.map((day) => {
              const { runs = 0, succeeded = 0 } = trend.find((each) => each.day === day) ?? {};
              return { day, runs, succeeded };
            }),
          };
        }),
      };
    });
  }

  readMatrix(
    caller: Principal,
    { q, failing = false, limit = DEFAULT_MATRIX_PLANS }: OverviewMatrixQuery,
  ): Promise<OverviewMatrixView> {
    return this.units.read(caller.tenantId, async (tx) => {
      const visible = await listVisibleEnvironments(tx, caller, MAX_ENVIRONMENTS);
      const visibleIds = visible.map(({ id }) => id);
      const [{ open }, recent, named] = await Promise.all([
        findExistingFailures(tx, caller, visibleIds),
        findRecentlyUsed(tx, caller, visibleIds),
        listVisiblePlanNames(tx, caller, q, MAX_MATRIX_PLANS + 1),
      ]);
      const environments = pickEnvironments(visible, open, recent.environmentIds);
      const used = [...new Set([...open.map(({ planId }) => planId), ...(failing ? [] : recent.planIds)])];
      const isWanted = ({ name }: { name: string }) => q === undefined || name.toLowerCase().includes(q.toLowerCase());
      const known = (await filterVisiblePlans(tx, caller, used)).filter(isWanted);
      const rest = failing ? [] : named.filter(({ id }) => !known.some((plan) => plan.id === id));
      const matching = [...sortFirst(known, used), ...rest];
      const plans = matching.slice(0, limit);
      const results = await findLatestResults(
        tx,
        caller,
        plans.map(({ id }) => id),
        environments.map(({ id }) => id),
      );
      const cells = new Map(results.map((result) => [`${result.planId} ${result.environmentId}`, result]));
      return {
        environments: environments.map(({ id, name }) => ({ id, name })),
        moreEnvironments: visible.length - environments.length,
        plans: plans.map(({ id, name }) => ({
          ...{ id, name },
          results: environments.map((environment) => {
            const result = cells.get(`${id} ${environment.id}`);
            return result ? toExecutionResultView(result) : null;
          }),
        })),
        more: matching.length > limit,
      };
    });
  }

  readTrends(
    caller: Principal,
    { planId, environmentId, days: count = TREND_DAYS }: OverviewTrendsQuery,
  ): Promise<OverviewTrendsView> {
    return this.units.read(caller.tenantId, async (tx) => {
      const visible = await listVisibleEnvironments(tx, caller, MAX_ENVIRONMENTS);
      const ids = visible.map(({ id }) => id).filter((id) => environmentId === undefined || id === environmentId);
      const days = listDays(count);
      const trend = await readRunTrend(tx, caller, ids, { planId, days });
      return {
        items: trend.days.filter(({ day }) => days.includes(day)),
        total: trend.total,
        incomplete: trend.total.runs >= MAX_TREND_RUNS,
      };
    });
  }
}

/** Failures of plans that still exist: nobody can repair those of a deleted plan. */
async function findExistingFailures(
  tx: EntityManager,
  caller: Principal,
  environmentIds: readonly string[],
): Promise<FailureScan> {
  const scan = await findOpenFailures(tx, caller, environmentIds);
  const plans = await filterVisiblePlans(tx, caller, [...new Set(scan.open.map(({ planId }) => planId))]);
  const existing = new Set(plans.map(({ id }) => id));
  return { ...scan, open: scan.open.filter(({ planId }) => existing.has(planId)) };
}

/** Returns the records with these IDs first, in this order, then the others in their order. */
function sortFirst<T extends { id: string }>(records: readonly T[], ids: readonly string[]): T[] {
  const places = new Map([...new Set(ids)].map((id, place) => [id, place]));
  const placeOf = ({ id }: T) => places.get(id) ?? places.size;
  return records.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function pickEnvironments(
  visible: readonly VisibleEnvironment[],
  open: readonly OpenFailure[],
  recentIds: readonly string[],
): VisibleEnvironment[] {
  const order = [...open.map(({ environmentId }) => environmentId), ...recentIds];
  const picked = new Set(sortFirst(visible, order).slice(0, MATRIX_ENVIRONMENTS));
  return visible.filter((environment) => picked.has(environment));
}

const toExecutionResultView = (result: LatestResult): ExecutionResultView => ({
  executionId: result.id,
  planId: result.planId,
  planName: result.planName,
  planRevision: result.planRevision,
  status: result.status,
  startedAt: result.startedAt.toISOString(),
  finishedAt: result.finishedAt?.toISOString() ?? null,
});
