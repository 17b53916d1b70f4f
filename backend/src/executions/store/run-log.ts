import { Logger } from '@nestjs/common';
import { runWithLogFields } from '../../common/logging/log-fields.js';
import { hostResults, runsEnded } from '../../common/metrics/metrics.js';
import type { RunState } from '../lifecycle/run-state.js';
import { isFinished } from '../lifecycle/statuses.js';
import type { RunHead, RunRef } from '../record/run-head.js';

const log = new Logger('Run');

/** Logs the start and the end of a run, and counts ended runs. Called before the commit of the change. */
export function reportRunChange(
  { executionId: run, tenantId: tenant }: RunRef,
  head: Pick<RunHead, 'begun' | 'created_at' | 'started_by' | 'plan_id'>,
  { status, reason }: Pick<RunState, 'status' | 'reason'>,
): void {
  const starts = status === 'RUNNING' && !head.begun;
  const ends = isFinished(status);
  if (!starts && !ends) return;
  const seconds = Math.max(0, Math.round((Date.now() - head.created_at.getTime()) / 100) / 10);
  const code = reason?.code ?? undefined;
  const fields = { run, tenant, user: head.started_by, plan: head.plan_id, status, code, seconds };
  runWithLogFields(fields, () =>
    log.log(
      starts
        ? `Run ${run} started ${seconds} s after its request.`
        : `Run ${run} ended ${status}${code === undefined ? '' : ` (${code})`} ${seconds} s after its request.`,
    ),
  );
  if (ends) runsEnded.inc({ status });
}

/** Counts results that a decision sets, such as UNKNOWN after a lost worker. Called before the commit of the change. */
export function countSettledResults({ settled }: Pick<RunState, 'settled'>): void {
  for (const { hosts } of settled) for (const status of Object.values(hosts)) hostResults.inc({ status });
}
