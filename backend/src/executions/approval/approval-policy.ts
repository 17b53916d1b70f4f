import { type Author, whatWasSaved } from './used-revisions.js';

/** How a member stands to a run that waits for approval. */
export interface Approver {
  /** Admin, or the grant `approve` in the run's environment. */
  mayApprove: boolean;
  isRequester: boolean;
  /** What they wrote of it that has not run approved there; null: nothing. */
  wrote: Omit<Author, 'userId'> | null;
}

export type ApprovalObstacle = 'grant_required' | 'self_approval' | 'already_decided';

/**
 * Why a member may not approve; null: they may. The requester is the user, whichever token was used; neither they nor
 * whoever wrote a part of what has not run approved there may approve unless the environment allows it; one user counts
 * once.
 */
export function obstacleToApproval(
  approver: Approver,
  { allowSelfApproval, alreadyDecided }: { allowSelfApproval: boolean; alreadyDecided: boolean },
): ApprovalObstacle | null {
  if (!approver.mayApprove) return 'grant_required';
  if (!allowSelfApproval && (approver.isRequester || approver.wrote)) return 'self_approval';
  return alreadyDecided ? 'already_decided' : null;
}

/** The obstacle as a sentence that says what to do. */
export function obstacleText(
  obstacle: ApprovalObstacle,
  { isRequester, wrote }: Approver,
  environment: string,
): string {
  switch (obstacle) {
    case 'grant_required':
      return `This needs the grant "approve" in "${environment}". Ask an admin for it.`;
    case 'self_approval':
      if (isRequester || !wrote) return 'You started this run, so somebody else has to approve it.';
      return `You saved ${whatWasSaved(wrote)}, and that has not run approved in "${environment}" yet, so somebody else has to approve it.`;
    case 'already_decided':
      return 'You have approved this run already; it waits for others.';
  }
}

/** Whether so many approvals let the run in. Only those count whose givers may still approve. */
export const isApproved = (
  givenBy: readonly string[],
  stillMayApprove: (userId: string) => boolean,
  requiredApprovals: number,
): boolean => new Set(givenBy.filter(stillMayApprove)).size >= requiredApprovals;
