import { type Asker, whatWasAsked } from './askers.js';
import { type Author, whatWasSaved } from './authors/author-kinds.js';
import { type RightFromAsker, whatWasGiven } from './rights-from-askers.js';

/** Why somebody beside its starter has to leave the approval of a run to others, and who. */
export type Involvement = Omit<Author, 'userId'> | Omit<Asker, 'userId'> | Omit<RightFromAsker, 'userId'>;
export type Involved = Author | Asker | RightFromAsker;

/** Whether they asked for it, and did not just write a part of it. */
const hasAsked = (involvement: Involvement): involvement is Omit<Asker, 'userId'> =>
  involvement.kind === 'token' || involvement.kind === 'schedule' || involvement.kind === 'schedule_token';

/** How a member stands to a run that waits for approval. */
export interface Approver {
  /** Admin, or the grant `approve` in the run's environment. */
  mayApprove: boolean;
  isRequester: boolean;
  /** How they asked for it beside the starter, or what they wrote of it that has not run approved there; null: neither. */
  involved: Involvement | null;
}

export type ApprovalObstacle = 'grant_required' | 'self_approval' | 'already_decided';

/**
 * Why a member may not approve; null: they may. The requester is the user, whichever token was used; neither they, nor
 * whoever holds what the run was started with, nor whoever wrote a part of what has not run approved there, nor whom one
 * of those who asked for it gave the right meanwhile may approve unless the environment allows it; one user counts once.
 */
export function obstacleToApproval(
  approver: Approver,
  { allowSelfApproval, alreadyDecided }: { allowSelfApproval: boolean; alreadyDecided: boolean },
): ApprovalObstacle | null {
  if (!approver.mayApprove) return 'grant_required';
  if (!allowSelfApproval && (approver.isRequester || approver.involved)) return 'self_approval';
  return alreadyDecided ? 'already_decided' : null;
}

/** The obstacle as a sentence that says what to do. */
export function obstacleText(
  obstacle: ApprovalObstacle,
  { isRequester, involved }: Approver,
  environment: string,
): string {
  switch (obstacle) {
    case 'grant_required':
      return `This needs the grant "approve" in "${environment}". Ask an admin for it.`;
    case 'self_approval':
      if (isRequester || !involved) return 'You started this run, so somebody else has to approve it.';
      if (involved.kind === 'right')
        return `${whatWasGiven(involved)} since this run was started or its plan last ran approved in "${environment}", and asked for this run, so somebody else has to approve it.`;
      if (hasAsked(involved)) return `You ${whatWasAsked(involved)}, so somebody else has to approve it.`;
      return `You saved ${whatWasSaved(involved)}, and that has not run approved in "${environment}" yet, so somebody else has to approve it.`;
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
