import { describeSystemError } from '../../common/database/start-error.js';
import { DATABASE_CHECKS } from './database-checks.js';
import { type CheckContext, type CheckResult, failed, type InstallationCheck } from './installation-check.js';
import { MACHINE_CHECKS } from './machine-checks.js';

const CHECK_TIMEOUT_MS = 20_000;

/** All checks in the order of their output. */
const INSTALLATION_CHECKS: readonly InstallationCheck[] = [...DATABASE_CHECKS, ...MACHINE_CHECKS];

export type CheckReport = Pick<InstallationCheck, 'id' | 'title'> & CheckResult;

/** Runs all checks one after another. A check that throws or takes longer than 20 s has failed. */
export async function runChecks(context: CheckContext): Promise<CheckReport[]> {
  const reports: CheckReport[] = [];
  for (const { id, title, run } of INSTALLATION_CHECKS) {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<CheckResult>((resolve) => {
      timer = setTimeout(
        () => resolve(failed(`The check took longer than ${CHECK_TIMEOUT_MS / 1000} s.`, 'Run this command again.')),
        CHECK_TIMEOUT_MS,
      );
    });
    const result = await Promise.race([run(context).catch(toFailedCheck), limit]);
    clearTimeout(timer);
    reports.push({ id, title, ...result });
  }
  return reports;
}

const toFailedCheck = (error: unknown): CheckResult =>
  failed(`The check ended with an error (${describeSystemError(error)}).`, 'Search the log of the database.');
