import type { Reason } from '../../common/http/reason.view.js';
import type { RunEffect } from './run-event.js';
import { computeFinalHostStatus } from './outcome.js';
import type { HostInStep, OpenStep, RunState, StepState } from './run-state.js';
import { findSegmentAt } from './segment.js';
import { type ExecutionStatus, type HostStatus, isHostFinished, type StepStatus } from './statuses.js';
import { isDroppedHost, getOverallStatus, isEligible } from './eligibility.js';

export interface RunDecision {
  state: RunState;
  effects: RunEffect[];
}

/** Gives every host of the open steps a result: UNKNOWN where a command was sent, otherwise `status`. */
export function settleOpenHosts(state: RunState, status: Extract<HostStatus, 'CANCELLED' | 'TIMED_OUT'>): RunState {
  let settled: RunState = { ...state, open: [] };
  for (const step of state.open) {
    const hosts = mapValues(step.hosts, (host): HostInStep => {
      if (isHostFinished(host.status)) return host;
      return { ...host, status: host.dispatched ? 'UNKNOWN' : status };
    });
    const whole = Object.values(hosts).every((host) => host.status === 'SUCCEEDED') && !isAwaited(state, step);
    settled = {
      ...settled,
      settled: [...settled.settled, ...listSettledHosts(step, hosts)],
      steps: replaceStep(settled.steps, step.index, {
        status: whole ? 'SUCCEEDED' : status === 'CANCELLED' ? 'CANCELLED' : 'FAILED',
      }),
      hosts: { ...settled.hosts, ...computeOverallStatuses(settled.hosts, hosts) },
    };
  }
  return settled;
}

/** Whether a host would have entered the step later if the run had not been stopped. False for a barrier step. */
function isAwaited(state: RunState, { index, hosts }: OpenStep): boolean {
  if (!findSegmentAt(state, index)) return false;
  const stopped = (id: string): boolean =>
    STOPPED_STATUSES.has(getOverallStatus(state, id)) || isEligible(state, index, id);
  return state.steps[index]?.targets.some((id) => !hosts[id] && stopped(id)) ?? false;
}

const STOPPED_STATUSES: ReadonlySet<HostStatus> = new Set(['CANCELLED', 'TIMED_OUT']);

const RUN_ENDED_REASON: Reason = { code: 'run_ended', text: 'The run ended before this step.' };

export function endRun(state: RunState, status: ExecutionStatus, reason: Reason | null): RunDecision {
  const stopped = !['SUCCEEDED', 'PARTIALLY_SUCCEEDED', 'INTERRUPTED', 'FAILED'].includes(status);
  const cut = stopped || reason?.code === 'engine_failed';
  const steps = state.steps.map((step) =>
    step.status === 'PENDING' || step.status === 'PAUSED'
      ? { ...step, status: 'CANCELLED' as const, reason: cut ? RUN_ENDED_REASON : step.reason }
      : step,
  );
  const hosts = Object.fromEntries(
    Object.entries(state.hosts).map(([id, overall]): [string, HostStatus] => {
      const finalStatus = computeFinalHostStatus(id, overall, steps, state.toleratedFailures[id]);
      return [id, cut && finalStatus === 'SKIPPED' ? 'CANCELLED' : finalStatus];
    }),
  );
  return {
    state: { ...state, status, reason, steps, hosts, pause: null, pauseRequestedBy: null },
    effects: [{ type: 'finish' }],
  };
}

export const replaceStep = (steps: readonly StepState[], index: number, change: Partial<StepState>): StepState[] =>
  steps.map((step, at) => (at === index ? { ...step, ...change } : step));

/** Closes the open step with this status. Hosts whose result there is a failure take no further part. */
export function closeOpenStep(
  state: RunState,
  { index, hosts }: OpenStep,
  status: StepStatus,
  reason: Reason | null = null,
): RunState {
  return {
    ...state,
    open: state.open.filter((step) => step.index !== index),
    steps: replaceStep(state.steps, index, { status, reason }),
    hosts: { ...state.hosts, ...computeOverallStatuses(state.hosts, hosts) },
  };
}

/** Overall statuses of hosts that drop out in this step. A host that failed earlier keeps its status. */
export function computeOverallStatuses(
  overall: Readonly<Record<string, HostStatus>>,
  hosts: Readonly<Record<string, HostInStep>>,
): Record<string, HostStatus> {
  const dropped = Object.entries(hosts).filter(([id, host]) => isDroppedHost(host) && overall[id] === 'PENDING');
  return Object.fromEntries(dropped.map(([id, host]) => [id, host.status]));
}

export function listSettledHosts(before: OpenStep, after: Readonly<Record<string, HostInStep>>): RunState['settled'] {
  const changed = Object.entries(after).filter(
    ([id, host]) => isHostFinished(host.status) && before.hosts[id]?.status !== host.status,
  );
  if (changed.length === 0) return [];
  return [{ index: before.index, hosts: Object.fromEntries(changed.map(([id, host]) => [id, host.status])) }];
}

export const replaceOpenHosts = (state: RunState, index: number, hosts: OpenStep['hosts']): RunState => ({
  ...state,
  open: [...state.open.filter((step) => step.index !== index), { index, hosts }].sort((a, b) => a.index - b.index),
});

export const mapValues = <V, W>(record: Readonly<Record<string, V>>, map: (value: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
