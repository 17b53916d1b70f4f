import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import {
  type FailureScan,
  findOpenFailures,
  loadFailedRuns,
  type OpenFailure,
} from '../executions/overview/open-failures.js';
import { filterVisiblePlans } from '../plans/records/visible-plan.js';
import type { OpenFailureView } from './overview.view.js';

/** Failures of plans that still exist: nobody can repair those of a deleted plan. */
export async function findExistingFailures(
  tx: EntityManager,
  caller: Principal,
  environmentIds: readonly string[],
): Promise<FailureScan> {
  const scan = await findOpenFailures(tx, caller, environmentIds);
  const plans = await filterVisiblePlans(tx, caller, [...new Set(scan.open.map(({ planId }) => planId))]);
  const existing = new Set(plans.map(({ id }) => id));
  return { ...scan, open: scan.open.filter(({ planId }) => existing.has(planId)) };
}

/** Returns failures with their runs and causes. */
export async function loadFailures(
  tx: EntityManager,
  caller: Principal,
  failures: readonly OpenFailure[],
  publicUrl: string,
): Promise<OpenFailureView[]> {
  const ids = failures.map(({ id }) => id);
  const details = await loadFailedRuns(tx, caller, ids, publicUrl);
  return failures.flatMap(({ id, failedRuns, lastSuccessAt }) => {
    const detail = details.get(id);
    return detail ? [{ ...detail, failedRuns, lastSuccessAt: lastSuccessAt?.toISOString() ?? null }] : [];
  });
}
