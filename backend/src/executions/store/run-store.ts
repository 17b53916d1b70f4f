import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type AuditActor, AuditTrail } from '../../audit/audit-trail.js';
import { row, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { JobQueue } from '../../common/queue/job-queue.js';
import { ApprovalRounds } from '../approval/approval-rounds.js';
import { ClearanceCheck } from '../approval/clearance.js';
import { Admissions, mayHaveBeenQueued, toQueueReason } from '../guard/admissions.js';
import { type QueuedRow, findQueuedRow } from '../guard/queue-rows.js';
import { type Decision, decideNextState } from '../lifecycle/decide.js';
import type { RunEvent } from '../lifecycle/run-event.js';
import { type RunAdmission, ADMITTED, CLEARED, type RunState } from '../lifecycle/run-state.js';
import { isFinished, toStatusAction } from '../lifecycle/statuses.js';
import { appendEvents } from '../output/run-events.js';
import {
  waitsForClearance,
  releaseGuardOfRun,
  listStatusEvents,
  notifyDrivers,
  writeHead,
  writeProgress,
} from './save-run-state.js';
import { type OwnershipFence, OwnershipLostError } from './fence.js';
import { countSettledResults, reportRunChange } from './run-log.js';
import { toTokenEndReason, lockHead, readHead, type RunHead, type RunRef } from '../record/run-head.js';
import { loadRunState, loadStateOfHosts } from './load-run-state.js';

/** Events after which a run may continue to its next step. The clearance is checked for these. */
const CONTINUING_EVENTS: ReadonlySet<RunEvent['type']> = new Set(['claimed', 'step_finished', 'hosts_finished']);

/**
 * Loads the state of a run, and commits each decision in one transaction: status, steps, results, guard, events, audit
 * and jobs.
 */
@Injectable()
export class RunStore {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly queue: JobQueue,
    private readonly clearances: ClearanceCheck,
    private readonly approvals: ApprovalRounds,
    private readonly admissions: Admissions,
  ) {}

  /** Decides on one event in a new transaction. @throws OwnershipLostError when the fence is no longer valid */
  applyTransition(ref: RunRef, fence: OwnershipFence | null, actor: AuditActor, event: RunEvent): Promise<Decision> {
    return this.units.run(ref.tenantId, (tx) => this.applyTransitionIn(tx, ref, fence, actor, event));
  }

  /** Whether a running step may begin anything new: the run was not stopped and has clearance. */
  mayContinue(ref: RunRef): Promise<boolean> {
    return this.units.run(ref.tenantId, async (tx) => {
      const head = await readHead(tx, ref);
      return head?.status === 'RUNNING' && (await this.clearances.getClearance(tx, ref, head)).kind === 'clear';
    });
  }

  /** Like `applyTransition`, in the caller's transaction. */
  async applyTransitionIn(
    tx: EntityManager,
    ref: RunRef,
    fence: OwnershipFence | null,
    actor: AuditActor,
    event: RunEvent,
  ): Promise<Decision> {
    const head = await lockHead(tx, ref);
    if (!head || (fence && !(await ownsLease(tx, head, fence)))) throw new OwnershipLostError();
    const movingHosts = event.type === 'hosts_finished' ? event.hosts : null;
    const clearance = CONTINUING_EVENTS.has(event.type)
      ? await this.clearances.getClearance(tx, ref, head, movingHosts)
      : CLEARED;
    const part = movingHosts && (await loadStateOfHosts(tx, ref, head, clearance, movingHosts));
    const before = part ?? (await loadRunState(tx, ref, head, { clearance, admission: toAdmission(head) }));
    const decision = decideNextState(before, event);
    if (decision.state !== before) await this.commitDecision(tx, ref, head, before, decision, actor);
    return decision;
  }

  /** Checks whether a queued run may begin. Does nothing for a run that is not queued. */
  admitRun(ref: RunRef): Promise<void> {
    const actor: AuditActor = { kind: 'system', tenantId: ref.tenantId, name: 'engine' };
    return this.units.run(ref.tenantId, async (tx) => {
      const head = await lockHead(tx, ref);
      const queued = head?.status === 'PENDING' ? await findQueuedRow(tx, ref) : undefined;
      if (!head || !queued) return;
      const known = this.admissions.checkBeforeKeys(queued);
      const clearance = known ? CLEARED : await this.clearances.getClearance(tx, ref, head);
      const asks = !known && clearance.kind === 'clear';
      const found: RunAdmission = asks
        ? await this.admissions.checkAdmission(tx, ref, head.environment_id, queued)
        : (known ?? { kind: 'waiting' });
      const before = await loadRunState(tx, ref, head, { clearance, admission: found });
      const decision = decideNextState(before, { type: 'admission_asked' });
      const { state } = decision;
      // Nothing changed: the run still waits, for the reason that is already recorded.
      if (remainsQueued(before, state, queued))
        await this.admissions.applyRunChange(tx, ref, before, { queued, state });
      else await this.commitDecision(tx, ref, head, before, decision, actor, queued);
    });
  }

  /** Cancels a waiting run whose token has ended before a step started. Does nothing for other runs. */
  endForEndedToken(ref: RunRef): Promise<void> {
    const actor: AuditActor = { kind: 'system', tenantId: ref.tenantId, name: 'engine' };
    return this.units.run(ref.tenantId, async (tx) => {
      const head = await lockHead(tx, ref);
      if (!head?.token_end || (head.status !== 'PENDING' && head.status !== 'PAUSED')) return;
      await this.applyTransitionIn(tx, ref, null, actor, {
        type: 'abandoned',
        reason: toTokenEndReason(head.token_end),
      });
    });
  }

  /** Ends a run as EXPIRED when the time limit of its pause has passed. Does nothing for other runs. */
  expirePause(ref: RunRef): Promise<void> {
    const actor: AuditActor = { kind: 'system', tenantId: ref.tenantId, name: 'engine' };
    return this.units.run(ref.tenantId, async (tx) => {
      const head = await lockHead(tx, ref);
      if (head?.status === 'PAUSED' && head.pause_expired)
        await this.applyTransitionIn(tx, ref, null, actor, { type: 'pause_expired' });
    });
  }

  private async commitDecision(
    tx: EntityManager,
    ref: RunRef,
    head: RunHead,
    before: RunState,
    decision: Decision,
    actor: AuditActor,
    queued?: QueuedRow,
  ): Promise<void> {
    const { state } = decision;
    const events = await writeProgress(tx, ref, before, state);
    await writeHead(tx, ref, before, state);
    if (before.status !== state.status) {
      events.push(...listStatusEvents(before, state));
      events.push(...(await this.approvals.applyRunChange(tx, ref, before, state)));
      await this.audit.record(tx, actor, {
        action: toStatusAction(state.status),
        resourceId: ref.executionId,
        resourceName: head.plan_name,
        before: { status: before.status },
        after: { status: state.status, reason: state.reason, pauseReason: state.pause?.reason ?? null },
      });
    } else if (waitsForClearance(state) && before.reason?.text !== state.reason?.text)
      events.push(...listStatusEvents(before, state));
    if (queued) {
      events.push(...(await this.admissions.applyRunChange(tx, ref, before, { queued, state })));
      if (state.admission.kind === 'admitted' && mayHaveBeenQueued(queued))
        await this.recordAdmissionAudit(tx, ref, head, actor);
    }
    if (state.settled.length > 0) this.units.beforeCommit(tx, async () => countSettledResults(state));
    if (before.status !== state.status) this.units.beforeCommit(tx, async () => reportRunChange(ref, head, state));
    if (isFinished(state.status)) await releaseGuardOfRun(tx, this.queue, ref);
    if (state.pause?.reason === 'APPROVAL' && before.status === 'PENDING' && !head.begun && !queued)
      await this.admissions.releaseKeys(tx, ref);
    await appendEvents(tx, ref, events);
    await this.enqueueEffects(tx, ref, before, decision);
  }

  async recordFullHomes(
    tx: EntityManager,
    ref: RunRef,
    start: { stepKey: string; serverIds: readonly string[] },
  ): Promise<void> {
    const run = await row(
      tx,
      sql<{ plan_name: string }>`select plan_name from executions where id = ${ref.executionId}`,
    );
    await this.audit.record(
      tx,
      { kind: 'system', tenantId: ref.tenantId, name: 'engine' },
      {
        action: 'execution.start_without_journal',
        resourceId: ref.executionId,
        resourceName: run?.plan_name ?? null,
        after: { ...start, reason: 'home_full' },
      },
    );
  }

  private recordAdmissionAudit(tx: EntityManager, ref: RunRef, head: RunHead, actor: AuditActor): Promise<void> {
    return this.audit.record(tx, actor, {
      action: 'execution.admitted',
      resourceId: ref.executionId,
      resourceName: head.plan_name,
    });
  }

  private async enqueueEffects(
    tx: EntityManager,
    ref: RunRef,
    before: RunState,
    { state, effects }: Decision,
  ): Promise<void> {
    if (state.status === 'CANCELLING' || isFinished(state.status)) await notifyDrivers(tx, ref);
    // Notifies the driver. If there is none, the next owner finds the event.
    if (state.status === 'CANCELLING' || effects.some(({ type }) => type === 'enqueue'))
      await this.queue.enqueueAdvanceRun(tx, ref);
    if (state.status === 'PAUSED' && before.status !== 'PAUSED') {
      const paused = await row(
        tx,
        sql<{ pause_expires_at: Date | null }>`select pause_expires_at from executions where id = ${ref.executionId}`,
      );
      if (paused?.pause_expires_at) await this.queue.enqueueAdvanceRun(tx, ref, { at: paused.pause_expires_at });
    }
  }
}

const remainsQueued = (
  before: RunState,
  { status, reason, admission }: RunState,
  { reason: was }: QueuedRow,
): boolean =>
  status === 'PENDING' && reason === null && before.reason === null && was !== null && toQueueReason(admission) === was;

const toAdmission = ({ admitted }: RunHead): RunAdmission => (admitted ? ADMITTED : { kind: 'waiting' });

async function ownsLease(
  tx: EntityManager,
  head: RunHead,
  { owner, epoch, sliceId }: OwnershipFence,
): Promise<boolean> {
  if (!sliceId) return head.owner === owner && head.epoch === epoch;
  const slice = await row(
    tx,
    sql`select 1 from execution_slices
      where id = ${sliceId} and owner = ${owner} and epoch = ${epoch} and finished_at is null`,
  );
  return slice !== undefined;
}
