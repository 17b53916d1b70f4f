import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { notFound } from '../common/errors/problem.js';
import { RUNTIME, type Runtime } from '../common/settings/runtime.js';
import {
  findVisibleEnvironment,
  listVisibleEnvironments,
  type VisibleEnvironment,
} from '../environments/caller-environments.js';
import { toWindowStateView } from '../environments/windows/run-windows.view.js';
import { findRecentlyUsed, listLatestResults } from '../executions/overview/latest-results.js';
import type { OpenFailure } from '../executions/overview/open-failures.js';
import { listDays, readTrendsOfEnvironments } from '../executions/overview/run-trends.js';
import { listRunningRuns } from '../executions/overview/running-runs.js';
import { countHostHealth } from '../inventory/host-health.js';
import { listFreezesOfEnvironments } from '../plans/records/frozen-plans.js';
import { listNextSchedules } from '../schedules/next-schedules.js';
import { findExistingFailures, loadFailures } from './existing-failures.js';
import type { OverviewEnvironmentsQuery } from './overview.dto.js';
import type { EnvironmentOverviewView, OverviewEnvironmentsView, OverviewEnvironmentView } from './overview.view.js';
import { MAX_ENVIRONMENTS, sortFirst, toExecutionResultView, TREND_DAYS } from './results.js';

const DEFAULT_CARDS = 12;
/** Parts of a card, and latest runs in which its plans are searched. */
const CARD = { plans: 5, runs: 200, schedules: 3 };
/** The same for the page of one environment. */
const PAGE = { plans: 50, runs: 1_000, schedules: 10 };
const MAX_RUNNING = 20;
const MAX_FAILURES = 20;

@Injectable()
export class EnvironmentOverviewReader {
  constructor(
    private readonly units: UnitOfWork,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  list(caller: Principal, { q, limit = DEFAULT_CARDS }: OverviewEnvironmentsQuery): Promise<OverviewEnvironmentsView> {
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
      return { total: matching.length, items: await loadCards(tx, caller, matching.slice(0, limit), open, CARD) };
    });
  }

  /** @throws Problem 404 */
  read(caller: Principal, id: string): Promise<EnvironmentOverviewView> {
    const { publicUrl } = this.runtime.settings;
    return this.units.read(caller.tenantId, async (tx) => {
      const environment = await findVisibleEnvironment(tx, caller, id);
      if (!environment) throw notFound();
      const ids = [environment.id];
      const [failures, running] = await Promise.all([
        findExistingFailures(tx, caller, ids),
        listRunningRuns(tx, caller, ids, { limit: MAX_RUNNING, publicUrl, withAwaited: true }),
      ]);
      const [cards, details] = await Promise.all([
        loadCards(tx, caller, [environment], failures.open, { ...PAGE, plans: PAGE.plans + 1 }),
        loadFailures(tx, caller, failures.open.slice(0, MAX_FAILURES), publicUrl),
      ]);
      const [card] = cards;
      if (!card) throw notFound();
      return {
        ...card,
        results: card.results.slice(0, PAGE.plans),
        moreResults: card.results.length > PAGE.plans,
        failures: details,
        openFailuresIncomplete: failures.isTruncated,
        running: running.items,
        runningCount: running.count,
      };
    });
  }
}

async function loadCards(
  tx: EntityManager,
  caller: Principal,
  environments: readonly VisibleEnvironment[],
  open: readonly OpenFailure[],
  most: typeof CARD,
): Promise<OverviewEnvironmentView[]> {
  const ids = environments.map(({ id }) => id);
  const days = listDays(TREND_DAYS);
  const [hosts, results, schedules, trends, freezes] = await Promise.all([
    countHostHealth(tx, caller.tenantId, ids),
    listLatestResults(tx, caller, ids, most),
    listNextSchedules(tx, caller, ids, most.schedules),
    readTrendsOfEnvironments(tx, caller, ids, days),
    listFreezesOfEnvironments(tx, caller, ids),
  ]);
  const now = new Date();
  return environments.map(({ id, name, access, protected: isProtected, runWindows }) => {
    const isOwn = ({ environmentId }: { environmentId: string }) => environmentId === id;
    const { reachable = 0, unreachable = 0, unknown = 0 } = hosts.find(isOwn) ?? {};
    const trend = trends.filter(isOwn);
    return {
      ...{ id, name, access, protected: isProtected },
      runWindowState: runWindows && toWindowStateView(runWindows, now),
      freezes: freezes.filter(isOwn).map(({ environmentId: _, until, ...freeze }) => ({
        ...freeze,
        until: until.toISOString(),
      })),
      hosts: { reachable, unreachable, unknown },
      results: results.filter(isOwn).map(toExecutionResultView),
      openFailures: open.filter(isOwn).length,
      schedules: schedules
        .filter(isOwn)
        .flatMap((next) => (next.nextAt ? [{ id: next.id, name: next.name, nextAt: next.nextAt.toISOString() }] : [])),
      trend: days.map((day) => {
        const { runs = 0, succeeded = 0 } = trend.find((each) => each.day === day) ?? {};
        return { day, runs, succeeded };
      }),
    };
  });
}
