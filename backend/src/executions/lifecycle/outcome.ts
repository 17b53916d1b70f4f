import type { StatusReason, StepState } from './run-state.js';
import { type ExecutionStatus, type HostStatus, isHostFinished } from './statuses.js';

/** How a status is told in a sentence, in the order of what matters most. */
const WORDS: [HostStatus, string][] = [
  ['FAILED', 'failed'],
  ['TIMED_OUT', 'timed out'],
  ['UNREACHABLE', 'unreachable'],
  ['HOST_KEY_UNKNOWN', 'with a host key that nobody has accepted'],
  ['HOST_KEY_MISMATCH', 'with a host key that is not the pinned one'],
  ['UNKNOWN', 'with an unknown result'],
];

/** Whether a host that ended a step like this takes no part in later ones. */
export const dropsOut = (status: HostStatus): boolean =>
  isHostFinished(status) && status !== 'SUCCEEDED' && status !== 'SKIPPED';

/**
 * The final status of a run whose steps are over. Only what was observed counts as success: one host that nobody
 * can speak for makes the run INTERRUPTED. Failures that each step's own policy, the plan's
 * threshold or a person put up with leave it PARTIALLY_SUCCEEDED, unless no host is left that did not fail.
 */
export function outcomeOf(
  hosts: Readonly<Record<string, HostStatus>>,
  steps: readonly StepState[],
): { status: ExecutionStatus; reason: StatusReason | null } {
  const dropped = Object.values(hosts).filter(dropsOut);
  const failedStep = steps.find((step) => step.status === 'FAILED');
  const passedOver = steps.find((step) => step.status === 'PARTIALLY_SUCCEEDED');
  if (dropped.length === 0 && !failedStep && !passedOver) return { status: 'SUCCEEDED', reason: null };
  if (dropped.length === 0 && passedOver) {
    const text = passedOver.reason?.text ?? `Step "${passedOver.key}" failed on some hosts.`;
    return { status: 'PARTIALLY_SUCCEEDED', reason: { code: 'some_hosts_failed', text } };
  }
  const text = `${tally(dropped, Object.keys(hosts).length)}${failedStep ? ` in step "${failedStep.key}"` : ''}.`;
  if (dropped.includes('UNKNOWN')) {
    const advice =
      'Look on the hosts with an unknown result and say what you found; until then nothing else runs there.';
    return { status: 'INTERRUPTED', reason: { code: 'hosts_lost', text: `${text} ${advice}` } };
  }
  const none = dropped.length === Object.keys(hosts).length;
  if (failedStep || none) return { status: 'FAILED', reason: { code: 'hosts_failed', text } };
  return { status: 'PARTIALLY_SUCCEEDED', reason: { code: 'some_hosts_failed', text } };
}

/** The final status of a dry run: in order when nothing is in the way of any step. */
export function previewOutcomeOf(
  hosts: Readonly<Record<string, HostStatus>>,
  steps: readonly StepState[],
): { status: ExecutionStatus; reason: StatusReason | null } {
  const failedStep = steps.find((step) => step.status === 'FAILED');
  if (!failedStep) return { status: 'SUCCEEDED', reason: null };
  const dropped = Object.values(hosts).filter(dropsOut);
  const { key, reason } = failedStep;
  const by =
    reason?.code === 'placeholder'
      ? `Step "${key}": ${reason.text}`
      : `${tally(dropped, Object.keys(hosts).length)}, first in step "${key}".`;
  const text = `A real run would be blocked: ${by}`;
  return { status: 'FAILED', reason: { code: 'blocked', text } };
}

/** "2 failed, 1 unreachable of 5 hosts". */
export function tally(dropped: readonly HostStatus[], total: number): string {
  const parts = WORDS.flatMap(([status, words]) => {
    const count = dropped.filter((each) => each === status).length;
    return count > 0 ? [`${count} ${words}`] : [];
  });
  return `${parts.join(', ') || 'none'} of ${total} ${total === 1 ? 'host' : 'hosts'}`;
}

/**
 * The standing that a host is left with when the run is over. Where a person had it go on in spite of a failure
 * (`toleratedFailures`), that is still what was observed there.
 */
export function finalHostStatus(
  serverId: string,
  overall: HostStatus,
  steps: readonly StepState[],
  toleratedFailures?: HostStatus,
): HostStatus {
  if (overall !== 'PENDING') return overall;
  if (toleratedFailures) return toleratedFailures;
  const ran = steps.some(
    (step) =>
      step.targets.includes(serverId) &&
      step.status !== 'PENDING' &&
      step.status !== 'SKIPPED' &&
      step.status !== 'CANCELLED',
  );
  return ran ? 'SUCCEEDED' : 'SKIPPED';
}
