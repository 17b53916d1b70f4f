import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { RUNTIME, type Runtime } from '../common/settings/runtime.js';
import { listVisibleEnvironments, type VisibleEnvironment } from '../environments/caller-environments.js';
import { findLatestResults, findRecentlyUsed } from '../executions/overview/latest-results.js';
import type { OpenFailure } from '../executions/overview/open-failures.js';
import { listDays, MAX_TREND_RUNS, readRunTrend } from '../executions/overview/run-trends.js';
import { listRunningRuns } from '../executions/overview/running-runs.js';
import { filterVisiblePlans, listVisiblePlanNames } from '../plans/records/visible-plan.js';
import { listAdmins } from '../tenancy/directory/member.reader.js';
import { findExistingFailures, loadFailures } from './existing-failures.js';
import type { OverviewMatrixQuery, OverviewTrendsQuery } from './overview.dto.js';
import type { OverviewMatrixView, OverviewTrendsView, OverviewView } from './overview.view.js';
import { MAX_ENVIRONMENTS, sortFirst, toExecutionResultView, TREND_DAYS } from './results.js';

const MAX_RUNNING = 20;
const MAX_OPEN_FAILURES = 20;
const MAX_ADMINS = 5;
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
      const [openFailures, admins] = await Promise.all([
        loadFailures(tx, caller, shown, publicUrl),
        ids.length === 0 && caller.role !== 'admin' && caller.limits === null
          ? listAdmins(tx, caller.tenantId, MAX_ADMINS)
          : [],
      ]);
      return {
        running: running.items,
        runningCount: running.count,
        openFailures,
        openFailureCount: failures.open.length,
        openFailuresIncomplete: failures.isTruncated,
        failedInLastDay: failures.failedInLastDay,
        environmentCount: environments.length,
        admins,
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

function pickEnvironments(
  visible: readonly VisibleEnvironment[],
  open: readonly OpenFailure[],
  recentIds: readonly string[],
): VisibleEnvironment[] {
  const order = [...open.map(({ environmentId }) => environmentId), ...recentIds];
  const picked = new Set(sortFirst(visible, order).slice(0, MATRIX_ENVIRONMENTS));
  return visible.filter((environment) => picked.has(environment));
}
