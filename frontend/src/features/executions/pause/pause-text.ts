import type { Approval, DecisionAction, Execution, Pause, PauseReason } from '../../../api/types';
import { plural } from '../../../ui/format/format';

/** Title of the bar: what the run waits for. */
export function headline(
  { startedAt, awaitsYou }: Pick<Execution, 'startedAt' | 'awaitsYou'>,
  { reason }: Pick<Pause, 'reason'>,
  stepName: string | null,
): string {
  const step = stepName ? `“${stepName}”` : 'the next step';
  switch (reason) {
    case 'APPROVAL':
      return startedAt === null
        ? 'Waits for approval. No host has been touched.'
        : 'Waits for approval again, before anything more is started.';
    case 'STEP_CONFIRM':
      return `Waits for ${awaitsYou ? 'your' : 'a'} go-ahead before ${step}`;
    case 'FAILURE_DECISION':
      return `Hosts failed in ${step}. How should it go on?`;
    case 'GATE':
      return `Waits at the gate ${step}`;
    case 'REQUESTED':
      return `Paused before ${step}, as somebody asked`;
  }
}

/** "1 of 2 approvals", "Needs 1 approval". */
export function describeApprovals({ decisions, requiredApprovals }: Pick<Approval, 'decisions' | 'requiredApprovals'>) {
  const given = decisions.filter(({ decision }) => decision === 'approved').length;
  return given === 0 ? `Needs ${plural(requiredApprovals, 'approval')}` : `${given} of ${requiredApprovals} approvals`;
}

/** Why the signed-in member may not approve; null when they may. */
export function describeObstacle(
  { currentUserObstacle, currentUserObstacleText }: Approval,
  environmentName: string,
): string | null {
  switch (currentUserObstacle) {
    case 'grant_required':
      return `To approve needs the grant “approve” in ${environmentName}, or the Admin role. An admin gives it.`;
    case 'self_approval':
      return `${currentUserObstacleText} You may still reject or cancel it.`;
    case 'already_decided':
      return 'You have approved it; it waits for somebody else.';
    case null:
      return null;
  }
}

/** Members who may not approve because the run is their own, or because they have approved it, may still reject it. */
export const mayReject = ({ currentUserCanDecide, currentUserObstacle }: Approval): boolean =>
  currentUserCanDecide || currentUserObstacle === 'self_approval' || currentUserObstacle === 'already_decided';

export interface ChoiceText {
  label: string;
  sentence: string;
  color?: string;
}

/** Label and explanation of each decision; the same action differs between kinds of pauses. */
export function choiceText(action: DecisionAction, reason: PauseReason): ChoiceText {
  switch (action) {
    case 'proceed':
      return reason === 'GATE'
        ? { label: 'Let it through', sentence: 'The gate opens and the steps after it run.' }
        : { label: 'Proceed', sentence: 'The step runs now on its hosts.' };
    case 'retry':
      return {
        label: 'Run the step again',
        sentence: 'On all of its hosts, also where it succeeded, or on those that you choose.',
      };
    case 'retry_failed':
      return { label: 'Retry failed hosts', sentence: 'The command is started once more where it failed.' };
    case 'skip':
      return reason === 'FAILURE_DECISION'
        ? { label: 'Go on regardless', sentence: 'The hosts that failed take part in the next steps all the same.' }
        : { label: 'Skip this step', sentence: 'It does not run on any host; the next step follows.' };
    case 'exclude_hosts':
      return {
        label: 'Go on without them',
        sentence: 'The hosts that failed take no further part; the next steps run on the others.',
      };
    case 'abort':
      return { label: 'Abort the run', sentence: 'Nothing more is started. What was done stays done.', color: 'red' };
  }
}

/** Decisions that take effect at once; the others open a dialog first. */
export const isImmediate = (action: DecisionAction, reason: PauseReason): boolean =>
  action === 'proceed' && reason !== 'GATE';

/** Decisions that may name hosts. */
export const takesHosts = (action: DecisionAction): boolean =>
  action === 'retry' || action === 'retry_failed' || action === 'exclude_hosts';

/** The step that a pause is about; null for an approval. */
export const pausedStep = ({ pause, steps }: Pick<Execution, 'pause' | 'steps'>) =>
  steps.find(({ key }) => key === pause?.stepKey) ?? null;

const ORDER: readonly DecisionAction[] = ['proceed', 'retry_failed', 'retry', 'exclude_hosts', 'skip', 'abort'];

/** The possible decisions, the most likely first. */
export const choicesOf = ({ choices }: Pick<Pause, 'choices'>): DecisionAction[] =>
  ORDER.filter((action) => choices.includes(action));
