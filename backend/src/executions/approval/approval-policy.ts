/** How a member stands to a run that waits for approval. */
export interface Approver {
  /** Admin, or the grant `approve` in the run's environment. */
  mayApprove: boolean;
  isRequester: boolean;
  isLastEditor: boolean;
}

export type ApprovalObstacle = 'grant_required' | 'self_approval' | 'already_decided';

/**
 * Why a member may not approve; null: they may (design: domain §6). The requester is the user, whichever token was
 * used; neither they nor the last editor of the plan's revision may approve unless the environment allows it; one
 * user counts once.
 */
export function obstacleToApproval(
  approver: Approver,
  { allowSelfApproval, alreadyDecided }: { allowSelfApproval: boolean; alreadyDecided: boolean },
): ApprovalObstacle | null {
  if (!approver.mayApprove) return 'grant_required';
  if (!allowSelfApproval && (approver.isRequester || approver.isLastEditor)) return 'self_approval';
  return alreadyDecided ? 'already_decided' : null;
}

/** Whether so many approvals let the run in. Only those count whose givers may still approve. */
export const isApproved = (
  givenBy: readonly string[],
  stillMayApprove: (userId: string) => boolean,
  requiredApprovals: number,
): boolean => new Set(givenBy.filter(stillMayApprove)).size >= requiredApprovals;
