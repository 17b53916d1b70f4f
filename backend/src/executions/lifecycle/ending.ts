import type { Effect } from './run-event.js';
import { dropsOut, finalHostStatus } from './outcome.js';
import type { HostInStep, RunState, StatusReason, StepState } from './run-state.js';
import { type ExecutionStatus, type HostStatus, isHostFinished } from './statuses.js';

export interface Decision {
  state: RunState;
  effects: Effect[];
}

/** Gives every host of the current step a result: what has none was stopped before it began, or nobody knows. */
export function settle(state: RunState, status: Extract<HostStatus, 'CANCELLED' | 'TIMED_OUT'>): RunState {
  const { current } = state;
  if (!current) return state;
  const hosts = mapValues(current.hosts, (host): HostInStep => {
    if (isHostFinished(host.status)) return host;
    return { ...host, status: host.dispatched ? 'UNKNOWN' : status };
  });
  const whole = Object.values(hosts).every((host) => host.status === 'SUCCEEDED');
  return {
    ...state,
    current: null,
    settled: settledBetween(current, hosts),
    steps: replaceStep(state.steps, current.index, {
      status: whole ? 'SUCCEEDED' : status === 'CANCELLED' ? 'CANCELLED' : 'FAILED',
    }),
    hosts: { ...state.hosts, ...standingsAfter(state.hosts, hosts) },
  };
}

export function end(state: RunState, status: ExecutionStatus, reason: StatusReason | null): Decision {
  const stopped = !['SUCCEEDED', 'PARTIALLY_SUCCEEDED', 'INTERRUPTED', 'FAILED'].includes(status);
  const cut = stopped || reason?.code === 'engine_failed';
  const steps = state.steps.map((step) =>
    step.status === 'PENDING' || step.status === 'PAUSED'
      ? { ...step, status: 'CANCELLED' as const, reason: cut ? 'The run ended before it.' : step.reason }
      : step,
  );
  const hosts = Object.fromEntries(
    Object.entries(state.hosts).map(([id, standing]): [string, HostStatus] => {
      const final = finalHostStatus(id, standing, steps, state.wentOn[id]);
      return [id, cut && final === 'SKIPPED' ? 'CANCELLED' : final];
    }),
  );
  return {
    state: { ...state, status, reason, steps, hosts, pause: null, pauseRequestedBy: null },
    effects: [{ type: 'finish' }],
  };
}

export const replaceStep = (steps: readonly StepState[], index: number, change: Partial<StepState>): StepState[] =>
  steps.map((step, at) => (at === index ? { ...step, ...change } : step));

/** Standings of hosts that take no further part after this step; one that had dropped out before keeps its own. */
export function standingsAfter(
  standings: Readonly<Record<string, HostStatus>>,
  hosts: Readonly<Record<string, HostInStep>>,
): Record<string, HostStatus> {
  const dropped = Object.entries(hosts).filter(([id, host]) => dropsOut(host.status) && standings[id] === 'PENDING');
  return Object.fromEntries(dropped.map(([id, host]) => [id, host.status]));
}

/** Results that a decision itself gave; null when there are none. */
export function settledBetween(
  before: { index: number; hosts: Readonly<Record<string, HostInStep>> },
  after: Readonly<Record<string, HostInStep>>,
): RunState['settled'] {
  const changed = Object.entries(after).filter(
    ([id, host]) => isHostFinished(host.status) && before.hosts[id]?.status !== host.status,
  );
  if (changed.length === 0) return null;
  return { index: before.index, hosts: Object.fromEntries(changed.map(([id, host]) => [id, host.status])) };
}

export const mapValues = <V, W>(record: Readonly<Record<string, V>>, map: (value: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
