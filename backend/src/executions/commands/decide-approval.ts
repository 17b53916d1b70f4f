import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { affected, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, Problem, grantRequiredProblem } from '../../common/errors/problem.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { mayApprove, describeMissingGrant } from '../../environments/grant-policy.js';
import {
  type ApprovalObstacle,
  type Approver,
  isApproved,
  describeApprovalObstacle,
  findApprovalObstacle,
} from '../approval/approval-policy.js';
import { findAuthorsAmongUsers } from '../approval/author-rows.js';
import {
  ApprovalRounds,
  type ApprovalRow,
  listApprovalDecisions,
  findLatestApproval,
} from '../approval/approval-rounds.js';
import type { ApproveExecutionRequest, RejectExecutionRequest } from '../contract/steering.dto.js';
import type { ExecutionView } from '../contract/execution.view.js';
import { isFinished } from '../lifecycle/statuses.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import { appendEvents } from '../output/run-events.js';
import { lockHead, type RunHead, type RunRef, toTokenEndReason } from '../record/run-head.js';
import { describeChangedSecrets, RunSecrets } from '../record/run-secrets.js';
import { RunStore } from '../store/run-store.js';

/** Run under decision. Its row is locked, so that decisions are made one after the other. */
interface PendingApproval {
  ref: RunRef;
  head: RunHead;
  approval: ApprovalRow;
}

@Injectable()
export class DecideApproval {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly store: RunStore,
    private readonly executions: ExecutionsReader,
    private readonly environments: EnvironmentReader,
    private readonly approvals: ApprovalRounds,
    private readonly secrets: RunSecrets,
  ) {}

  /**
   * @throws Problem 404; 403 `self_approval`, `grant_required`; 409 `not_waiting`, `already_decided`, `token_ended`, `digest_changed`
   */
  async approveRun(caller: Principal, id: string, request: ApproveExecutionRequest): Promise<ExecutionView> {
    const outcome = await this.units.run(caller.tenantId, async (tx): Promise<ExecutionView | Problem> => {
      const lockPending = await this.lockPendingApproval(tx, caller, id, 'grant');
      await this.requireApprovalRight(tx, caller, lockPending, true);
      requireValidToken(lockPending);
      requireExpectedDigest(lockPending, request.digest);
      const renewedApproval = await this.renewIfChanged(tx, caller, lockPending);
      // Returned instead of thrown, so that the renewed approval request is committed.
      if (renewedApproval) return renewedApproval;
      await this.recordDecision(tx, caller, lockPending, 'approved', request.comment ?? null);
      if (await this.hasEnoughApprovals(tx, lockPending))
        await this.store.applyTransitionIn(tx, lockPending.ref, null, caller, { type: 'approved', by: caller.name });
      return this.executions.getInTransaction(tx, caller, id);
    });
    if (outcome instanceof Problem) throw outcome;
    return outcome;
  }

  /** Ends the run after a single rejection. @throws Problem as `approveRun`, except `self_approval` */
  rejectRun(caller: Principal, id: string, request: RejectExecutionRequest): Promise<ExecutionView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const lockPending = await this.lockPendingApproval(tx, caller, id, 'grant');
      await this.requireApprovalRight(tx, caller, lockPending, false);
      requireExpectedDigest(lockPending, request.digest);
      await this.recordDecision(tx, caller, lockPending, 'rejected', request.comment);
      const event = { type: 'rejected' as const, by: caller.name, comment: request.comment };
      await this.store.applyTransitionIn(tx, lockPending.ref, null, caller, event);
      return this.executions.getInTransaction(tx, caller, id);
    });
  }

  /**
   * Withdraws the caller's approval while the run still waits. @throws Problem 404; 409 `not_waiting`, `not_decided`
   */
  withdrawApproval(caller: Principal, id: string): Promise<ExecutionView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const { ref, approval, head } = await this.lockPendingApproval(tx, caller, id, 'none');
      const count = await affected(
        tx,
        sql`update approval_decisions set withdrawn_at = now()
          where execution_id = ${id} and round = ${approval.round} and user_id = ${caller.userId} and withdrawn_at is null`,
      );
      if (count === 0)
        throw conflict('not_decided', 'You have not approved this run, so you cannot withdraw an approval.');
      await appendEvents(tx, ref, [
        { type: 'approval.decided', data: { decision: 'withdrawn', user: { id: caller.userId, name: caller.name } } },
      ]);
      await this.audit.record(tx, caller, {
        action: 'execution.withdraw_approval',
        resourceId: id,
        resourceName: head.plan_name,
        after: { digest: head.digest },
      });
      return this.executions.getInTransaction(tx, caller, id);
    });
  }

  /** @param right `grant`: a caller without the grant `approve` gets 403, also while the run does not wait */
  private async lockPendingApproval(
    tx: EntityManager,
    caller: Principal,
    id: string,
    right: 'grant' | 'none',
  ): Promise<PendingApproval> {
    await this.executions.getVisibleRun(tx, caller, id);
    const ref = { tenantId: caller.tenantId, executionId: id };
    const head = await lockHead(tx, ref);
    const approval = await findLatestApproval(tx, ref);
    if (head && approval?.state === 'pending' && head.pause_reason === 'APPROVAL' && !head.pause_expired)
      return { ref, head, approval };
    if (head && right === 'grant') await this.requireGrant(tx, caller, head.environment_id);
    const why = head && isFinished(head.status) && head.status_text ? ` ${head.status_text}` : '';
    const text = `The run is ${head?.status ?? 'gone'} and does not wait for approval.${why}`;
    throw conflict('not_waiting', text, { choices: [] });
  }

  private async requireGrant(tx: EntityManager, { tenantId, userId, role }: Principal, id: string): Promise<void> {
    const environment = role === 'admin' ? null : await this.environments.readRights(tx, tenantId, id, [userId]);
    const rights = environment?.of(userId);
    if (environment && !(rights && mayApprove(rights)))
      throw grantRequiredProblem(describeMissingGrant('approve', environment.name));
  }

  private async requireApprovalRight(
    tx: EntityManager,
    caller: Principal,
    lockPending: PendingApproval,
    isApproval: boolean,
  ) {
    const { ref, head, approval } = lockPending;
    const environmentRights = await this.environments.readRights(tx, caller.tenantId, head.environment_id, [
      caller.userId,
    ]);
    const rights = environmentRights?.of(caller.userId) ?? null;
    const decisions = await listApprovalDecisions(tx, ref, approval.round);
    const { allowSelfApproval } = await this.environments.readApprovalPolicy(tx, ref.tenantId, head.environment_id);
    const authors = await findAuthorsAmongUsers(tx, ref, approval.round, isApproval ? [caller.userId] : []);
    const approver: Approver = {
      mayApprove: rights !== null && mayApprove(rights),
      isRequester: isApproval && caller.userId === approval.requested_by,
      involved: authors.get(caller.userId) ?? null,
    };
    const decided = isApproval && decisions.some(({ user_id }) => user_id === caller.userId);
    const obstacle = findApprovalObstacle(approver, {
      allowSelfApproval: approval.allow_self_approval && allowSelfApproval,
      // Lets a member approve again while the approvals do not suffice. An approver may have regained the right since
      // the last count, and another approval recounts.
      alreadyDecided: decided && !(await this.hasEnoughApprovals(tx, lockPending)),
    });
    if (obstacle)
      throw toApprovalProblem(obstacle, describeApprovalObstacle(obstacle, approver, environmentRights?.name ?? ''));
  }

  /**
   * Starts a new approval round when a secret has changed since the request: an approval covers exactly what will run.
   * @returns the error for the approver; null: no secret has changed
   */
  private async renewIfChanged(
    tx: EntityManager,
    caller: Principal,
    { ref, head }: PendingApproval,
  ): Promise<Problem | null> {
    const changed = await this.secrets.findChangedSecrets(tx, ref, head.environment_id, head.snapshot);
    if (changed.length === 0) return null;
    const text = `The secret ${describeChangedSecrets(changed)} was changed while the run waited.`;
    await this.secrets.refreshServerSecrets(tx, ref);
    const policy = await this.environments.readApprovalPolicy(tx, ref.tenantId, head.environment_id);
    const event = await this.approvals.requestApproval(tx, ref, policy, { code: 'secret_changed', text });
    await appendEvents(tx, ref, [event]);
    await this.audit.record(tx, caller, {
      action: 'execution.renew_approval',
      resourceId: ref.executionId,
      resourceName: head.plan_name,
      before: { digest: head.digest },
      after: { ...event.data, secrets: changed.map(({ name }) => name) },
    });
    return conflict(
      'digest_changed',
      `${text} It would run with the new value. Review the run again, then approve it.`,
    );
  }

  private async recordDecision(
    tx: EntityManager,
    caller: Principal,
    { ref, head, approval }: PendingApproval,
    decision: 'approved' | 'rejected',
    comment: string | null,
  ): Promise<void> {
    await affected(
      tx,
      sql`insert into approval_decisions (tenant_id, execution_id, round, user_id, user_name, decision, comment, digest)
        values (${ref.tenantId}, ${ref.executionId}, ${approval.round}, ${caller.userId}, ${caller.name}, ${decision},
          ${comment}, ${head.digest})
        on conflict (execution_id, round, user_id) do update
          set decision = excluded.decision, comment = excluded.comment, digest = excluded.digest, at = now(), withdrawn_at = null`,
    );
    await appendEvents(tx, ref, [
      { type: 'approval.decided', data: { decision, comment, user: { id: caller.userId, name: caller.name } } },
    ]);
    await this.audit.record(tx, caller, {
      action: decision === 'approved' ? 'execution.approve' : 'execution.reject',
      resourceId: ref.executionId,
      resourceName: head.plan_name,
      after: { digest: head.digest, comment },
    });
  }

  /** Counts only approvals of members who may still approve. */
  private async hasEnoughApprovals(tx: EntityManager, { ref, head, approval }: PendingApproval): Promise<boolean> {
    const ids = (await listApprovalDecisions(tx, ref, approval.round)).map(({ user_id }) => user_id);
    const environmentRights = await this.environments.readRights(tx, ref.tenantId, head.environment_id, ids);
    const stillMayApprove = (userId: string): boolean => {
      const rights = environmentRights?.of(userId);
      return rights ? mayApprove(rights) : false;
    };
    const policy = await this.environments.readApprovalPolicy(tx, ref.tenantId, head.environment_id);
    const authors = await findAuthorsAmongUsers(tx, ref, approval.round, ids);
    const isOwn = (userId: string): boolean => userId === approval.requested_by || authors.has(userId);
    const counts = (userId: string): boolean => stillMayApprove(userId) && (policy.allowSelfApproval || !isOwn(userId));
    return isApproved(ids, counts, Math.max(policy.requiredApprovals, approval.required_approvals));
  }
}

/** @throws Problem 409 `token_ended`: the run cannot begin and will be cancelled */
function requireValidToken({ head }: PendingApproval): void {
  if (head.token_end) throw conflict('token_ended', toTokenEndReason(head.token_end).text);
}

/** @throws Problem 409 when the approver reviewed another digest than the run's current one */
function requireExpectedDigest({ head }: PendingApproval, digest: string | undefined): void {
  if (digest === undefined || digest === head.digest) return;
  throw conflict('digest_changed', 'The run has changed since you reviewed it. Review it again.');
}

const toApprovalProblem = (obstacle: ApprovalObstacle, text: string): Problem => new Problem(obstacle, text);
