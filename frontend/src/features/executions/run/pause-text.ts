import type { Approval, DecisionAction, Execution, Pause, PauseAnswer, PauseReason } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { nameOfStep } from './step-name';

export function headline(
  { startedAt, awaitsYou }: Pick<Execution, 'startedAt' | 'awaitsYou'>,
  { reason }: Pick<Pause, 'reason'>,
  stepName: string | null,
): string {
  const step = stepName ? `“${stepName}”` : 'the next step';
  switch (reason) {
    case 'APPROVAL':
      return startedAt === null
        ? 'Waiting for approval. No host was touched.'
        : 'Waiting for another approval before it continues.';
    case 'STEP_CONFIRM':
      return `Waiting for ${awaitsYou ? 'your ' : ''}confirmation before ${step}`;
    case 'FAILURE_DECISION':
      return `Hosts failed in ${step}. Choose how to continue.`;
    case 'GATE':
      return `Waiting at the gate ${step}`;
    case 'REQUESTED':
      return `Paused on request before ${step}`;
  }
}

/** Examples: "1 of 2 approvals", "Needs 1 approval". */
export function describeApprovals({ decisions, requiredApprovals }: Pick<Approval, 'decisions' | 'requiredApprovals'>) {
  const given = decisions.filter(({ decision }) => decision === 'approved').length;
  return given === 0 ? `Needs ${plural(requiredApprovals, 'approval')}` : `${given} of ${requiredApprovals} approvals`;
}

/** Returns why the signed-in member may not approve; null: the member may. */
export function describeObstacle({ currentUserObstacle }: Approval, environmentName: string): string | null {
  switch (currentUserObstacle?.code) {
    case 'grant_required':
      return `Approval needs the grant “approve” in ${environmentName} or the Admin role. Ask an admin.`;
    case 'self_approval':
      return `${currentUserObstacle?.text} You can still reject or cancel it.`;
    case 'already_decided':
      return 'You have approved this run. It needs another approver.';
    case undefined:
      return null;
    default:
      return currentUserObstacle?.text ?? null;
  }
}

/** Members who may not approve because they are the requester or have already approved may still reject. */
export const mayReject = ({ currentUserCanDecide, currentUserObstacle }: Approval): boolean =>
  currentUserCanDecide ||
  currentUserObstacle?.code === 'self_approval' ||
  currentUserObstacle?.code === 'already_decided';

export interface ChoiceText {
  label: string;
  sentence: string;
  color?: string;
}

/**
 * Returns label and explanation of a decision. They depend on the pause, because an action differs between kinds of
 * pauses.
 */
export function choiceText(action: DecisionAction, reason: PauseReason): ChoiceText {
  switch (action) {
    case 'proceed':
      return reason === 'GATE'
        ? { label: 'Open gate', sentence: 'Runs the steps after the gate.' }
        : { label: 'Run step', sentence: 'Runs the step on its hosts now.' };
    case 'retry':
      return {
        label: 'Retry step',
        sentence: 'Runs the step again on all its hosts, including successful ones, or on hosts you choose.',
      };
    case 'retry_failed':
      return { label: 'Retry failed hosts', sentence: 'Runs the step again where it failed.' };
    case 'skip':
      return reason === 'FAILURE_DECISION'
        ? { label: 'Continue with failed hosts', sentence: 'Failed hosts also run the next steps.' }
        : { label: 'Skip step', sentence: 'Continues with the next step.' };
    case 'exclude_hosts':
      return {
        label: 'Continue without failed hosts',
        sentence: 'Runs the next steps on the remaining hosts only.',
      };
    case 'abort':
      return { label: 'Abort run', sentence: 'Starts nothing more. Completed changes stay.', color: 'red' };
  }
}

/** Whether a decision takes effect immediately. Other decisions open a dialog first. */
export const isImmediate = (action: DecisionAction, reason: PauseReason): boolean =>
  action === 'proceed' && reason !== 'GATE';

export const takesHosts = (action: DecisionAction): boolean =>
  action === 'retry' || action === 'retry_failed' || action === 'exclude_hosts';

/** Returns the paused step; null: the pause waits for an approval. */
export const pausedStep = ({ pause, steps }: Pick<Execution, 'pause' | 'steps'>) =>
  steps.find(({ key }) => key === pause?.stepKey) ?? null;

const ACTION_ORDER: readonly DecisionAction[] = ['proceed', 'retry_failed', 'retry', 'exclude_hosts', 'skip', 'abort'];

/** Returns the possible decisions, the most likely first. */
export const choicesOf = ({ choices }: Pick<Pause, 'choices'>): DecisionAction[] =>
  ACTION_ORDER.filter((action) => choices.includes(action));

/** What a member answered to a pause. Example: "Retry failed hosts, Restart, 2 hosts". */
export const answerText = (
  { action, pauseReason, stepKey, hostCount }: PauseAnswer,
  steps: Execution['steps'],
): string =>
  [
    choiceText(action, pauseReason ?? 'STEP_CONFIRM').label,
    nameOfStep(steps, stepKey),
    ...(hostCount === null ? [] : [plural(hostCount, 'host')]),
  ].join(', ');
