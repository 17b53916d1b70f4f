import {
  ADMITTED,
  CLEARED,
  type RunState,
  type StepPolicy,
  type StepState,
} from '../../src/executions/lifecycle/run-state.js';
import type { ExecutionStatus, HostStatus } from '../../src/executions/lifecycle/statuses.js';

const PLAIN: StepPolicy = {
  gate: false,
  placeholder: false,
  confirm: false,
  always: false,
  runOnce: false,
  batch: null,
  maxFailPercent: null,
  onFailure: 'stop',
  continuesOnFailure: false,
  onlyIfChanged: [],
};

/** A waiting step on these hosts, with default policies. */
export const step = (
  key: string,
  targets: string[],
  { policy, ...changes }: Partial<Omit<StepState, 'policy'>> & { policy?: Partial<StepPolicy> } = {},
): StepState => ({
  key,
  status: 'PENDING',
  reason: null,
  targets,
  policy: { ...PLAIN, ...policy },
  confirmed: false,
  ...changes,
});

/** A run with two steps on hosts a and b that waits for a worker. */
export function pendingRun(changes: Partial<RunState> = {}): RunState {
  return {
    status: 'PENDING',
    reason: null,
    mode: 'auto',
    strategy: 'barrier',
    maxFailPercent: 0,
    steps: [step('one', ['a', 'b']), step('two', ['a', 'b'])],
    hosts: { a: 'PENDING', b: 'PENDING' },
    open: [],
    reached: {},
    toleratedFailures: {},
    changed: {},
    done: {},
    pause: null,
    pauseRequestedBy: null,
    clearance: CLEARED,
    admission: ADMITTED,
    settled: [],
    reopened: null,
    answered: null,
    ...changes,
  };
}

/**
 * Like `pendingRun`, but in its first step. The parameter gives each host's status; a trailing `*` means dispatched.
 */
export function runningRun(
  statuses: Record<string, HostStatus | `${HostStatus}*`>,
  status: ExecutionStatus = 'RUNNING',
): RunState {
  const hosts = Object.fromEntries(
    Object.entries(statuses).map(([id, each]) => [
      id,
      { status: each.replace('*', '') as HostStatus, dispatched: each.endsWith('*') },
    ]),
  );
  const { steps } = pendingRun();
  const [first, ...rest] = steps as [StepState, ...StepState[]];
  return pendingRun({
    status,
    steps: [{ ...first, status: 'RUNNING' }, ...rest],
    open: [{ index: 0, hosts }],
  });
}
