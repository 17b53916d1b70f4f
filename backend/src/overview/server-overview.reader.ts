import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { FAILURE_STATUSES } from '../executions/lifecycle/statuses.js';
import { listDays } from '../executions/overview/run-trends.js';
import { listRunsOnHost, type RunOnHost } from '../executions/overview/runs-on-host.js';
import { listServerChanges } from '../inventory/checks/server-history.js';
import { ServerLookup } from '../inventory/server-lookup.js';
import type { ServerDayView, ServerOverviewView } from './overview.view.js';
import { toExecutionResultView, TREND_DAYS } from './results.js';

const MAX_PLANS = 50;

@Injectable()
export class ServerOverviewReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly servers: ServerLookup,
  ) {}

  /** @throws Problem 404 */
  read(caller: Principal, id: string): Promise<ServerOverviewView> {
    return this.units.read(caller.tenantId, async (tx) => {
      await this.servers.getVisible(tx, caller, id);
      const [runs, changes] = await Promise.all([
        listRunsOnHost(tx, caller, id),
        listServerChanges(tx, caller.tenantId, id),
      ]);
      const latest = [...new Map(runs.toReversed().map((run) => [run.planId, run])).values()].toSorted((a, b) =>
        a.id < b.id ? 1 : -1,
      );
      return {
        days: countByDay(runs),
        results: latest.slice(0, MAX_PLANS).map((run) => ({
          ...toExecutionResultView(run),
          ...{ environmentId: run.environmentId, environmentName: run.environmentName, hostStatus: run.hostStatus },
        })),
        moreResults: latest.length > MAX_PLANS,
        changes: changes.map(({ at, ...change }) => ({ ...change, at: at.toISOString() })),
      };
    });
  }
}

function countByDay(runs: readonly RunOnHost[]): ServerDayView[] {
  const days = new Map(listDays(TREND_DAYS).map((day) => [day, { day, succeeded: 0, failed: 0, other: 0 }]));
  for (const { startedAt, hostStatus } of runs) {
    const day = days.get(startedAt.toISOString().slice(0, 10));
    if (!day) continue;
    if (hostStatus === 'SUCCEEDED') day.succeeded += 1;
    else if (FAILURE_STATUSES.has(hostStatus)) day.failed += 1;
    else day.other += 1;
  }
  return [...days.values()];
}
