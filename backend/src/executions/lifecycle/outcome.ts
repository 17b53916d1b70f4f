import type { Reason } from '../../common/http/reason.view.js';
import type { StepState } from './run-state.js';
import { type ExecutionStatus, type HostStatus, isHostFinished } from './statuses.js';

const HOST_STATUS_TEXTS: [HostStatus, string][] = [
  ['FAILED', 'failed'],
  ['TIMED_OUT', 'timed out'],
  ['UNREACHABLE', 'unreachable'],
  ['HOST_KEY_UNKNOWN', 'with a host key that was not accepted'],
  ['HOST_KEY_CHANGED', 'with a changed host key'],
  ['UNKNOWN', 'with an unknown result'],
];

/** Whether a host with this status in a step takes no part in later steps. */
export const isDroppedStatus = (status: HostStatus): boolean =>
  isHostFinished(status) && status !== 'SUCCEEDED' && status !== 'SKIPPED';

/**
 * Final status of a run whose steps are over. One host with an unknown result makes the run INTERRUPTED. Failures that
 * the step's policy, the plan's limit or a person tolerated make it PARTIALLY_SUCCEEDED, unless every host failed.
 */
export function computeRunOutcome(
  hosts: Readonly<Record<string, HostStatus>>,
  steps: readonly StepState[],
): { status: ExecutionStatus; reason: Reason | null } {
  const dropped = Object.values(hosts).filter(isDroppedStatus);
  const failedStep = steps.find((step) => step.status === 'FAILED');
  const passedOver = steps.find((step) => step.status === 'PARTIALLY_SUCCEEDED');
  if (dropped.length === 0 && !failedStep && !passedOver) return { status: 'SUCCEEDED', reason: null };
  if (dropped.length === 0 && passedOver) {
    const text = passedOver.reason?.text ?? `Step "${passedOver.key}" failed on some hosts.`;
    return { status: 'PARTIALLY_SUCCEEDED', reason: { code: 'some_hosts_failed', text } };
  }
  const text = `${describeStatusCounts(dropped, Object.keys(hosts).length)}${failedStep ? ` in step "${failedStep.key}"` : ''}.`;
  if (dropped.includes('UNKNOWN')) {
    const advice = 'Check the hosts with an unknown result and resolve it. Until then nothing else runs there.';
    return { status: 'INTERRUPTED', reason: { code: 'hosts_lost', text: `${text} ${advice}` } };
  }
  const none = dropped.length === Object.keys(hosts).length;
  if (failedStep || none) return { status: 'FAILED', reason: { code: 'hosts_failed', text } };
  return { status: 'PARTIALLY_SUCCEEDED', reason: { code: 'some_hosts_failed', text } };
}

/** Final status of a dry run: SUCCEEDED when no step is blocked. */
export function computeDryRunOutcome(
  hosts: Readonly<Record<string, HostStatus>>,
  steps: readonly StepState[],
): { status: ExecutionStatus; reason: Reason | null } {
  const failedStep = steps.find((step) => step.status === 'FAILED');
  if (!failedStep) return { status: 'SUCCEEDED', reason: null };
  const dropped = Object.values(hosts).filter(isDroppedStatus);
  const { key, reason } = failedStep;
  const by =
    reason?.code === 'placeholder'
      ? `Step "${key}": ${reason.text}`
      : `${describeStatusCounts(dropped, Object.keys(hosts).length)}, first in step "${key}".`;
  const text = `A real run would be blocked: ${by}`;
  return { status: 'FAILED', reason: { code: 'blocked', text } };
}

/** Example: "2 failed, 1 unreachable of 5 hosts". */
export function describeStatusCounts(dropped: readonly HostStatus[], total: number): string {
  const parts = HOST_STATUS_TEXTS.flatMap(([status, words]) => {
    const count = dropped.filter((each) => each === status).length;
    return count > 0 ? [`${count} ${words}`] : [];
  });
  return `${parts.join(', ') || 'none'} of ${total} ${total === 1 ? 'host' : 'hosts'}`;
}

/** Final status of a host when the run is over. A failure that a person tolerated remains the status. */
export function computeFinalHostStatus(
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
