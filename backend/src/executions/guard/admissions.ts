import type { Reason } from '../../common/http/reason.view.js';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { affected, rows, sql } from '../../common/database/sql.js';
import { conflict } from '../../common/errors/problem.js';
import { JobQueue } from '../../common/queue/job-queue.js';
import type { RunAdmission, RunState } from '../lifecycle/run-state.js';
import { isFinished, type QueueReason } from '../lifecycle/statuses.js';
import type { NewRunEvent } from '../output/run-events.js';
import type { RunRef } from '../record/run-head.js';
import { returnGuardKeys, lockQueueExclusively, leaveQueue, takeGuardKeys } from './guard-queue.js';
import {
  MAX_QUEUED_RUNS,
  MAX_QUEUED_PER_MEMBER,
  DEFAULT_QUEUE_TIMEOUT_SECONDS,
  countQueuedRuns,
  type QueuedRow,
  insertQueueRow,
} from './queue-rows.js';

const MAX_NAMED_RUNS = 3;

/**
 * Decides whether a run that waits for its start time or for guard keys may begin. Runs in the transaction of the run's
 * own change.
 */
@Injectable()
export class Admissions {
  constructor(private readonly queue: JobQueue) {}

  /** Decides by time alone. Null: check the clearances, then call `checkAdmission`. */
  checkBeforeKeys({ early, late, reason, start_at }: QueuedRow): RunAdmission | null {
    if (early) return { kind: 'early' };
    if (!late) return null;
    const planned = reason === 'start_time' && start_at ? ` It was planned for ${start_at.toISOString()}.` : '';
    const text = `It reached its maximum time in the queue without getting all guard keys.${planned} Nothing was run. Start it again to wait again.`;
    return { kind: 'late', reason: { code: 'queue_expired', text } };
  }

  /** Takes the run's guard keys, unless another run holds one of them or has waited longer for it. */
  async checkAdmission(
    tx: EntityManager,
    ref: RunRef,
    environmentId: string,
    { on_overlap, start_at }: QueuedRow,
  ): Promise<RunAdmission> {
    await lockQueueExclusively(tx, ref.tenantId);
    if (await takeGuardKeys(tx, ref)) return { kind: 'free' };
    // Such a run waits, because its requester could not know when it would be approved.
    const wasApproved = start_at === null;
    if (on_overlap === 'queue' || wasApproved) return { kind: 'blocked' };
    return { kind: 'refused', reason: await describeOverlap(tx, ref, environmentId) };
  }

  /** Stores the decision on a run. @returns events about it */
  async applyRunChange(
    tx: EntityManager,
    ref: RunRef,
    before: RunState,
    { queued, state }: { queued: QueuedRow; state: RunState },
  ): Promise<NewRunEvent[]> {
    const { reason: was } = queued;
    if (isFinished(state.status)) return [];
    const { kind } = state.admission;
    if (kind === 'admitted') {
      await affected(
        tx,
        sql`update executions set not_before = null where tenant_id = ${ref.tenantId} and id = ${ref.executionId}`,
      );
      return mayHaveBeenQueued(queued) ? [createQueueEvent(state, null)] : [];
    }
    const reason =
      state.status !== 'PENDING' || before.clearance.kind === 'held' ? null : toQueueReason(state.admission);
    if (reason) await this.recordWait(tx, ref, reason, queued.start_at);
    else if (was) await leaveQueue(tx, this.queue, ref);
    return state.status === 'PENDING' && reason !== was ? [createQueueEvent(state, reason)] : [];
  }

  /**
   * Queues an accepted run that needs no approval or has it. The run takes its guard keys at once, or waits.
   * @returns what the run waits for; null: it has its keys
   */
  async enterQueue(tx: EntityManager, ref: RunRef, startAt: Date | null): Promise<QueueReason | null> {
    if (!startAt && (await takeGuardKeys(tx, ref))) return null;
    const reason = startAt ? 'start_time' : 'overlap';
    await this.recordWait(tx, ref, reason, startAt);
    return reason;
  }

  releaseKeys(tx: EntityManager, ref: RunRef): Promise<void> {
    return returnGuardKeys(tx, this.queue, ref, DEFAULT_QUEUE_TIMEOUT_SECONDS);
  }

  private async recordWait(tx: EntityManager, ref: RunRef, reason: QueueReason, startAt: Date | null): Promise<void> {
    await insertQueueRow(tx, ref, reason);
    if (reason === 'start_time' && startAt) await this.queue.enqueueAdvanceRun(tx, ref, { at: startAt });
  }

  /** @throws Problem 409 `queue_full` */
  async requireQueueCapacity(
    tx: EntityManager,
    { tenantId, userId }: { tenantId: string; userId: string },
    environment: { id: string; name: string },
  ): Promise<void> {
    const { all, own } = await countQueuedRuns(tx, tenantId, environment.id, userId);
    if (own > MAX_QUEUED_PER_MEMBER)
      throw conflict(
        'queue_full',
        `${MAX_QUEUED_PER_MEMBER} of your runs wait in "${environment.name}" already: for other runs, for their start time or for approval. This is the limit for a member. Cancel runs that you no longer need.`,
      );
    if (all <= MAX_QUEUED_RUNS) return;
    throw conflict(
      'queue_full',
      `${MAX_QUEUED_RUNS} runs wait in "${environment.name}" already: for other runs, for their start time or for approval. Cancel runs that you no longer need, or start this one later.`,
    );
  }
}

/**
 * Returns whether an earlier event may have reported that the run waits. Runs with `onOverlap: refuse` are reported
 * only when they wait.
 */
export const mayHaveBeenQueued = ({ reason, on_overlap }: QueuedRow): boolean =>
  reason !== null || on_overlap === 'queue';

/** Returns what the run waits for; null: neither for its start time nor for guard keys. */
export const toQueueReason = ({ kind }: RunAdmission): QueueReason | null => {
  if (kind === 'early') return 'start_time';
  return kind === 'blocked' ? 'overlap' : null;
};

export const createQueueEvent = ({ status }: Pick<RunState, 'status'>, waitsFor: QueueReason | null): NewRunEvent => ({
  type: 'execution.status_changed',
  data: { status, previous: status, reason: null, waitsFor },
});

/** Names conflicting runs of the same environment, which the reader can see. Only counts the other ones. */
async function describeOverlap(
  tx: EntityManager,
  { tenantId, executionId }: RunRef,
  environmentId: string,
): Promise<Reason> {
  const conflicting = await rows(
    tx,
    sql<{ plan_name: string; started_by_name: string; here: boolean; waits: boolean }>`
      select e.plan_name, e.started_by_name, e.environment_id = ${environmentId} as here, min(x.waits::int) = 1 as waits
      from (
        select g.execution_id, false as waits from guard_waits w join guard_keys g on g.tenant_id = ${tenantId} and g.key = w.key
          where w.tenant_id = ${tenantId} and w.execution_id = ${executionId}
        union
        select q.execution_id, true from guard_waits w
          join guard_waits o on o.tenant_id = ${tenantId} and o.key = w.key and o.execution_id <> ${executionId}
          join guard_queue q on q.tenant_id = ${tenantId} and q.execution_id = o.execution_id and q.arrival is not null
          where w.tenant_id = ${tenantId} and w.execution_id = ${executionId}) x
      join executions e on e.tenant_id = ${tenantId} and e.id = x.execution_id group by e.id order by e.id`,
  );
  const here = conflicting.filter((run) => run.here);
  const named = here
    .slice(0, MAX_NAMED_RUNS)
    .map(
      (run) => `the run of "${run.plan_name}" that ${run.started_by_name} started${run.waits ? ', which waits' : ''}`,
    );
  const more = conflicting.length - named.length;
  const others = more > 0 ? [`${more} ${named.length > 0 ? 'more ' : ''}run(s)`] : [];
  const who = [...named, ...others].join('; ') || 'another run';
  return {
    code: 'run_overlap',
    text: `At its start time, other runs conflicted: ${who}. Nothing was run. Start it again with onOverlap: queue to wait.`,
  };
}
