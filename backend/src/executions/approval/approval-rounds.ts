import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import type { RunState } from '../lifecycle/run-state.js';
import type { ExecutionStatus } from '../lifecycle/statuses.js';
import type { NewRunEvent } from '../output/run-events.js';
import type { RunRef } from '../record/run-head.js';
import { RunSecrets } from '../record/run-secrets.js';
import type { Asker } from './askers.js';
import { insertAuthors } from './author-rows.js';
import { type ApprovalState, insertApproval, latestApproval, setApprovalState } from './approval-rows.js';
import { type RequestedRun, UnapprovedAuthors } from './unapproved-authors.js';

/** What becomes of a request by the status that its run takes. */
const CLOSED_AS: Partial<Record<ExecutionStatus, ApprovalState>> = {
  PENDING: 'approved',
  REJECTED: 'rejected',
  EXPIRED: 'expired',
  CANCELLED: 'cancelled',
  CANCELLING: 'cancelled',
};

/** The policy that a round is asked by. */
export interface ApprovalPolicy {
  requiredApprovals: number;
  allowSelfApproval: boolean;
  approvalTtlSeconds: number;
}

/** Requests for approval and what becomes of them, always in the transaction of the run's own change. */
@Injectable()
export class ApprovalRounds {
  constructor(
    private readonly environments: EnvironmentReader,
    private readonly authors: UnapprovedAuthors,
    private readonly secrets: RunSecrets,
  ) {}

  /** Asks for approval of what the run holds now. */
  async request(
    tx: EntityManager,
    ref: RunRef,
    policy: ApprovalPolicy,
    reason: { code: string; text: string } | null = null,
  ): Promise<NewRunEvent> {
    const [run] = await tx.query<RoundRun[]>(
      `select digest, started_by, started_by_name, plan_id, plan_name, plan_revision, environment_id, askers, snapshot->'library' as library,
          snapshot->'calledPlans' as called
        from executions where id = $1`,
      [ref.executionId],
    );
    if (!run) throw new Error('The run that waits for approval is gone.');
    const previous = await latestApproval(tx, ref);
    if (previous && (previous.state === 'pending' || previous.state === 'approved'))
      await setApprovalState(tx, ref, previous.round, 'superseded');
    const round = (previous?.round ?? 0) + 1;
    await insertApproval(tx, ref, {
      round,
      requiredApprovals: policy.requiredApprovals,
      allowSelfApproval: policy.allowSelfApproval,
      ttlSeconds: policy.approvalTtlSeconds,
      digest: run.digest,
      requestedBy: run.started_by,
      requestedByName: run.started_by_name,
      reason,
    });
    const askers = run.askers ?? [];
    const authors = (await this.authors.of(tx, ref, run)).filter(
      ({ userId }) => !askers.some((asker) => asker.userId === userId),
    );
    await insertAuthors(tx, ref, round, [...askers, ...authors]);
    const { requiredApprovals } = policy;
    return { type: 'approval.requested', data: { digest: run.digest, requiredApprovals, reason } };
  }

  /** Follows a change of the run's status: closes a request that is answered, opens one that has become needed. */
  async follow(tx: EntityManager, ref: RunRef, before: RunState, after: RunState): Promise<NewRunEvent[]> {
    if (before.pause?.reason === 'APPROVAL') {
      const state = CLOSED_AS[after.status];
      const open = state && (await latestApproval(tx, ref));
      if (open && state) await setApprovalState(tx, ref, open.round, state);
      return [];
    }
    if (after.pause?.reason !== 'APPROVAL') return [];
    const { clearance } = before;
    await this.secrets.refresh(tx, ref);
    const policy = await this.environments.approvalPolicy(tx, ref.tenantId, await environmentOf(tx, ref));
    return [await this.request(tx, ref, policy, clearance.kind === 'reapprove' ? clearance.reason : null)];
  }
}

interface RoundRun extends RequestedRun {
  digest: string;
  started_by: string;
  started_by_name: string;
  askers: Asker[] | null;
}

async function environmentOf(tx: EntityManager, ref: RunRef): Promise<string> {
  const [row] = await tx.query<{ environment_id: string }[]>('select environment_id from executions where id = $1', [
    ref.executionId,
  ]);
  return row?.environment_id ?? '';
}
