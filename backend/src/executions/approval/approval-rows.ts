import type { EntityManager } from 'typeorm';
import { affected, row, rows, sql } from '../../common/database/sql.js';
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
export const findLatestApproval = (tx: EntityManager, { executionId }: RunRef): Promise<ApprovalRow | undefined> =>
  row(
    tx,
    sql<ApprovalRow>`
      select round, state, required_approvals, allow_self_approval, digest, requested_by, requested_by_name,
        requested_at, expires_at, reason_code, reason_text
      from approvals where execution_id = ${executionId} order by round desc limit 1`,
  );

export const listApprovalDecisions = (
  tx: EntityManager,
  { executionId }: RunRef,
  round: number,
): Promise<ApprovalDecisionRow[]> =>
  rows(
    tx,
    sql<ApprovalDecisionRow>`
      select user_id, user_name, decision, comment, at from approval_decisions
      where execution_id = ${executionId} and round = ${round} and withdrawn_at is null order by at, user_id`,
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

export async function insertApproval(
  tx: EntityManager,
  { tenantId, executionId }: RunRef,
  approval: NewApproval,
): Promise<void> {
  const { round, requiredApprovals, allowSelfApproval, ttlSeconds, digest, reason } = approval;
  await affected(
    tx,
    sql`insert into approvals (tenant_id, execution_id, round, state, required_approvals, allow_self_approval, digest, requested_by,
        requested_by_name, expires_at, reason_code, reason_text)
      values (${tenantId}, ${executionId}, ${round}, 'pending', ${requiredApprovals}, ${allowSelfApproval}, ${digest},
        ${approval.requestedBy}, ${approval.requestedByName},
        -- A late approval must not start a planned run outside its maintenance time.
        coalesce(
          (select start_at from executions where tenant_id = ${tenantId} and id = ${executionId} and start_at > now()),
          now() + make_interval(secs => ${ttlSeconds})
        ), ${reason?.code ?? null}, ${reason?.text ?? null})`,
  );
  await affected(
    tx,
    sql`update executions e set pause_expires_at = a.expires_at from approvals a
      where e.id = ${executionId} and a.execution_id = ${executionId} and a.round = ${round}`,
  );
}

export const setApprovalState = (
  tx: EntityManager,
  { executionId }: RunRef,
  round: number,
  state: ApprovalState,
): Promise<unknown> =>
  affected(
    tx,
    sql`update approvals set state = ${state}, decided_at = now() where execution_id = ${executionId} and round = ${round}`,
  );
