import type { EntityManager } from 'typeorm';
import type { RunRef } from '../record/run-head.js';

export type ApprovalState = 'pending' | 'approved' | 'rejected' | 'expired' | 'cancelled' | 'superseded';

export interface ApprovalRow {
  round: number;
  state: ApprovalState;
  required_approvals: number;
  allow_self_approval: boolean;
  digest: string;
  requested_by: string;
  requested_by_name: string;
  requested_at: Date;
  expires_at: Date;
  reason_code: string | null;
  reason_text: string | null;
}

export interface ApprovalDecisionRow {
  user_id: string;
  user_name: string;
  decision: 'approved' | 'rejected';
  comment: string | null;
  at: Date;
}

/** Returns the latest request; undefined = the run never needed approval. */
export async function latestApproval(tx: EntityManager, ref: RunRef): Promise<ApprovalRow | undefined> {
  const [row] = await tx.query<ApprovalRow[]>(
    `select round, state, required_approvals, allow_self_approval, digest, requested_by, requested_by_name,
        requested_at, expires_at, reason_code, reason_text
      from approvals where execution_id = $1 order by round desc limit 1`,
    [ref.executionId],
  );
  return row;
}

export const decisionsOf = (tx: EntityManager, ref: RunRef, round: number): Promise<ApprovalDecisionRow[]> =>
  tx.query<ApprovalDecisionRow[]>(
    `select user_id, user_name, decision, comment, at from approval_decisions
      where execution_id = $1 and round = $2 and withdrawn_at is null order by at, user_id`,
    [ref.executionId, round],
  );

export interface NewApproval {
  round: number;
  requiredApprovals: number;
  allowSelfApproval: boolean;
  ttlSeconds: number;
  digest: string;
  requestedBy: string;
  requestedByName: string;
  reason: { code: string; text: string } | null;
}

export async function insertApproval(tx: EntityManager, ref: RunRef, approval: NewApproval): Promise<void> {
  await tx.query(
    `insert into approvals (tenant_id, execution_id, round, state, required_approvals, allow_self_approval, digest, requested_by,
        requested_by_name, expires_at, reason_code, reason_text)
      values ($1, $2, $3, 'pending', $4, $5, $6, $7, $8,
        -- A late approval must not start a planned run outside its maintenance time.
        coalesce(
          (select start_at from executions where tenant_id = $1 and id = $2 and start_at > now()),
          now() + make_interval(secs => $9)
        ), $10, $11)`,
    [
      ref.tenantId,
      ref.executionId,
      approval.round,
      approval.requiredApprovals,
      approval.allowSelfApproval,
      approval.digest,
      approval.requestedBy,
      approval.requestedByName,
      approval.ttlSeconds,
      approval.reason?.code ?? null,
      approval.reason?.text ?? null,
    ],
  );
  await tx.query(
    `update executions e set pause_expires_at = a.expires_at from approvals a
      where e.id = $1 and a.execution_id = $1 and a.round = $2`,
    [ref.executionId, approval.round],
  );
}

export const setApprovalState = (
  tx: EntityManager,
  ref: RunRef,
  round: number,
  state: ApprovalState,
): Promise<unknown> =>
  tx.query('update approvals set state = $3, decided_at = now() where execution_id = $1 and round = $2', [
    ref.executionId,
    round,
    state,
  ]);
