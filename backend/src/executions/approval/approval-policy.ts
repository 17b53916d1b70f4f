import {
  type FurtherRequester,
  describeRequest,
  type RightFromRequester,
  describeGivenRight,
} from './rights-from-requesters.js';
import { type Author, describeSavedContent } from './authors/author-kinds.js';
import { describeMissingGrant } from '../../environments/grant-policy.js';

export type ApproverInvolvement =
  | Omit<Author, 'userId'>
  | Omit<FurtherRequester, 'userId'>
  | Omit<RightFromRequester, 'userId'>;
export type InvolvedMember = Author | FurtherRequester | RightFromRequester;

const isRequesterKind = (involvement: ApproverInvolvement): involvement is Omit<FurtherRequester, 'userId'> =>
  involvement.kind === 'token' || involvement.kind === 'schedule' || involvement.kind === 'schedule_token';

export interface Approver {
  mayApprove: boolean;
  isRequester: boolean;
  /** Why the user counts as a further requester or as an author; null = neither. */
  involved: ApproverInvolvement | null;
}

export type ApprovalObstacle = 'grant_required' | 'self_approval' | 'already_decided';

/**
 * Returns why a member may not approve; null = the member may. Unless the environment allows self-approval, these users
 * may not approve:
 * - the requester, regardless of the token used
 * - holders of the credential that started the run
 * - authors of content that has not run approved there
 * - users with a right from a requester
 *
 * Each user counts once.
 */
export function findApprovalObstacle(
  approver: Approver,
  { allowSelfApproval, alreadyDecided }: { allowSelfApproval: boolean; alreadyDecided: boolean },
): ApprovalObstacle | null {
  if (!approver.mayApprove) return 'grant_required';
  if (!allowSelfApproval && (approver.isRequester || approver.involved)) return 'self_approval';
  return alreadyDecided ? 'already_decided' : null;
}

export function describeApprovalObstacle(
  obstacle: ApprovalObstacle,
  { isRequester, involved }: Approver,
  environment: string,
): string {
  switch (obstacle) {
    case 'grant_required':
      return describeMissingGrant('approve', environment);
    case 'self_approval':
      if (isRequester || !involved) return 'You started this run, so another member must approve it.';
      if (involved.kind === 'right')
        return `${describeGivenRight(involved)} since this run was started or its plan last ran approved in "${environment}", and also requested this run. Another member must approve it.`;
      if (isRequesterKind(involved)) return `You ${describeRequest(involved)}, so another member must approve it.`;
      return `You saved ${describeSavedContent(involved)}, and that has not run approved in "${environment}" yet, so another member must approve it.`;
    case 'already_decided':
      return 'You have already approved this run; it waits for further approvers.';
  }
}

/** Whether the run has enough approvals. Approvals of users who may no longer approve do not count. */
export const isApproved = (
  givenBy: readonly string[],
  stillMayApprove: (userId: string) => boolean,
  requiredApprovals: number,
): boolean => new Set(givenBy.filter(stillMayApprove)).size >= requiredApprovals;
