import type { StatusReason, StepState } from './run-state.js';
import { type ExecutionStatus, type HostStatus, isHostFinished } from './statuses.js';

/** How a status is told in a sentence, in the order of what matters most. */
const WORDS: [HostStatus, string][] = [
  ['FAILED', 'failed'],
  ['TIMED_OUT', 'timed out'],
  ['UNREACHABLE', 'unreachable'],
  ['HOST_KEY_MISMATCH', 'with a host key that is not the pinned one'],
  ['UNKNOWN', 'with an unknown result'],
];

/** Whether a host that ended a step like this takes no part in later ones. */
export const dropsOut = (status: HostStatus): boolean =>
  isHostFinished(status) && status !== 'SUCCEEDED' && status !== 'SKIPPED';

/**
 * The final status of a run whose steps are over. Only what was observed counts as success: one host that nobody
 * can speak for makes the run INTERRUPTED (design: domain §4).
 */
export function outcomeOf(
  hosts: Readonly<Record<string, HostStatus>>,
  failedStep: StepState | undefined,
): { status: ExecutionStatus; reason: StatusReason | null } {
  const dropped = Object.values(hosts).filter(dropsOut);
  if (dropped.length === 0) return { status: 'SUCCEEDED', reason: null };
  const parts = WORDS.flatMap(([status, words]) => {
    const count = dropped.filter((each) => each === status).length;
    return count > 0 ? [`${count} ${words}`] : [];
  });
  const where = failedStep ? ` in step "${failedStep.key}"` : '';
  const total = Object.keys(hosts).length;
  const text = `${parts.join(', ')} of ${total} ${total === 1 ? 'host' : 'hosts'}${where}.`;
  return dropped.includes('UNKNOWN')
    ? {
        status: 'INTERRUPTED',
        reason: {
          code: 'hosts_lost',
          text: `${text} Look on the hosts with an unknown result before you run it again.`,
        },
      }
    : { status: 'FAILED', reason: { code: 'hosts_failed', text } };
}

/** The standing that a host is left with when the run is over. */
export function finalHostStatus(serverId: string, standing: HostStatus, steps: readonly StepState[]): HostStatus {
  if (standing !== 'PENDING') return standing;
  const own = steps.filter((step) => step.targets.includes(serverId));
  const ran = own.filter(
    (step) => step.status !== 'PENDING' && step.status !== 'SKIPPED' && step.status !== 'CANCELLED',
  );
  return own.length > 0 && ran.length === own.length ? 'SUCCEEDED' : 'SKIPPED';
}
