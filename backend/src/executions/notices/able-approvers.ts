import type { EntityManager } from 'typeorm';
import type { EnvironmentReader } from '../../environments/environment.reader.js';
import { findApprovalObstacle } from '../approval/approval-policy.js';
import { type ApprovalRow, listApprovalDecisions } from '../approval/approval-rounds.js';
import { findAuthorsAmongUsers } from '../approval/author-rows.js';
import type { RunRef } from '../record/run-head.js';
import type { RunApproval } from './run-notice.js';

const MAX_NAMED_APPROVERS = 10;

/**
 * Returns an approval request, and the members who can approve it now: they have the right, and no rule prevents it.
 */
export async function loadApprovalWithApprovers(
  tx: EntityManager,
  environments: EnvironmentReader,
  ref: RunRef,
  environmentId: string,
  approval: ApprovalRow,
): Promise<RunApproval> {
  const policy = await environments.readApprovalPolicy(tx, ref.tenantId, environmentId);
  const members = await environments.listApprovers(tx, ref.tenantId, environmentId);
  const decisions = await listApprovalDecisions(tx, ref, approval.round);
  const authors = await findAuthorsAmongUsers(
    tx,
    ref,
    approval.round,
    members.map(({ id }) => id),
  );
  const allowSelfApproval = approval.allow_self_approval && policy.allowSelfApproval;
  const ableMembers = members.filter(({ id }) => {
    const approver = {
      mayApprove: true,
      isRequester: id === approval.requested_by,
      involved: authors.get(id) ?? null,
    };
    const alreadyDecided = decisions.some(({ user_id }) => user_id === id);
    return findApprovalObstacle(approver, { allowSelfApproval, alreadyDecided }) === null;
  });
  return {
    round: approval.round,
    required: Math.max(approval.required_approvals, policy.requiredApprovals),
    given: decisions.filter(({ decision }) => decision === 'approved').length,
    until: approval.expires_at,
    reason: approval.reason_text,
    approvers: ableMembers.slice(0, MAX_NAMED_APPROVERS).map(({ name }) => name),
    moreApprovers: Math.max(0, ableMembers.length - MAX_NAMED_APPROVERS),
  };
}
