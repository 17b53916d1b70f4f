import type { EntityManager } from 'typeorm';
import type { Reason } from '../../common/http/reason.view.js';
import { Problem } from '../../common/errors/problem.js';
import { DATABASE_PROBLEMS } from '../../common/errors/problems/database-problems.js';
import { findFirstRunInEnvironment, findWaitingRunOfSchedule } from '../../executions/queries/scheduled-runs.js';
import type { FireOutcome } from '../records/schedule.entity.js';

export interface FireResult {
  outcome: FireOutcome;
  /** Null = a run was started. */
  reason: Reason | null;
  executionId: string | null;
  blockedBy: string | null;
}

export const startedResult = (executionId: string): FireResult => ({
  ...{ outcome: 'started', reason: null, executionId, blockedBy: null },
});

export const notStartedResult = (outcome: FireOutcome, code: Reason['code'], text: string): FireResult => ({
  outcome,
  reason: { code, text: text.slice(0, MAX_REASON_LENGTH) },
  ...{ executionId: null, blockedBy: null },
});

const MAX_REASON_LENGTH = 2_000;
const LISTED_ERRORS = 3;

/** Problems that concern one occurrence, not the schedule. */
const SKIP_CODES = new Set<string>(['run_overlap', 'collection_frozen', 'outside_run_window', 'queue_full']);
const { disk_space_low: _, ...DATABASE } = DATABASE_PROBLEMS;
const TEMPORARY_CODES = new Set<string>(['too_many_at_once', 'busy', 'changed_meanwhile', ...Object.keys(DATABASE)]);

export const isTemporary = (problem: Problem): boolean => TEMPORARY_CODES.has(problem.code);

/** Outcome of an occurrence while a run of the schedule is queued; null = no run is queued. */
export async function findWaitingRunResult(
  tx: EntityManager,
  tenantId: string,
  id: string,
): Promise<FireResult | null> {
  const blockedBy = await findWaitingRunOfSchedule(tx, tenantId, id);
  if (blockedBy === null) return null;
  const reason = 'Another run of this schedule already waits in the queue. Only one may wait at a time.';
  return { ...notStartedResult('skipped', 'run_waiting', reason), blockedBy };
}

/**
 * Outcome of a refused start. Names a conflicting run only if it is in the same environment, because readers may not
 * see others.
 */
export async function toRefusedResult(
  tx: EntityManager,
  place: { tenantId: string; environmentId: string },
  problem: Problem,
): Promise<FireResult> {
  const result = notStartedResult(
    SKIP_CODES.has(problem.code) ? 'skipped' : 'refused',
    problem.code,
    toReasonText(problem),
  );
  if (problem.code !== 'run_overlap') return result;
  const ids = (problem.extras.conflicts ?? []).flatMap(({ executionId }) => executionId ?? []);
  const there = await findFirstRunInEnvironment(tx, place, ids);
  if (!there) return { ...result, reason: { code: problem.code, text: 'A run of another environment conflicted.' } };
  const text = `It conflicted with the run of "${there.planName}" that ${there.startedByName} started.`;
  return { ...result, reason: { code: problem.code, text }, blockedBy: there.id };
}

function toReasonText({ detail, extras }: Problem): string {
  const faults = (extras.errors ?? []).slice(0, LISTED_ERRORS).map(({ path, message }) => `${path}: ${message}`);
  return [detail, ...faults].join(' ');
}
