import { dropsOut, finalHostStatus, outcomeOf } from './outcome.js';
import type { Effect, RunEvent } from './run-event.js';
import type { HostInStep, RunState, StatusReason, StepState } from './run-state.js';
import { type ExecutionStatus, type HostStatus, isFinished, isHostFinished } from './statuses.js';
import { demandTransition, isExpected } from './transitions.js';

export interface Decision {
  state: RunState;
  effects: Effect[];
}

/**
 * The one place where a run's course is decided. Pure: reads no clock, does no I/O, and says the same thing again
 * when it is asked again. An event that the status does not expect changes nothing.
 */
export function decide(state: RunState, event: RunEvent): Decision {
  if (!isExpected(state.status, event.type))
    return { state, effects: isFinished(state.status) ? [{ type: 'finish' }] : [] };
  const decision = react(state, event);
  demandTransition(state.status, event.type, decision.state.status);
  return decision;
}

function react(state: RunState, event: RunEvent): Decision {
  switch (event.type) {
    case 'claimed':
    case 'step_finished':
      // The end of a step may be told twice, when an answer got lost; it then finds the next step begun, which is not over.
      return state.status === 'CANCELLING' ? end(settle(state, 'CANCELLED'), 'CANCELLED', state.reason) : resume(state);
    case 'commands_stopped':
      return end(settle(state, 'CANCELLED'), 'CANCELLED', state.reason);
    case 'deadline_passed':
      return state.status === 'CANCELLING'
        ? end(settle(state, 'CANCELLED'), 'CANCELLED', state.reason)
        : end(settle(state, 'TIMED_OUT'), 'TIMED_OUT', {
            code: 'run_timed_out',
            text: "The run's own time limit passed.",
          });
    case 'engine_failed':
      return breakOff(state);
    case 'cancel_requested':
      return cancel(state, event.by, event.reason);
  }
}

function cancel(state: RunState, by: string, why: string | null): Decision {
  if (state.status === 'CANCELLING') return { state, effects: [{ type: 'stop_commands' }] };
  const reason: StatusReason = { code: 'cancelled', text: `Cancelled by ${by}${why ? `: ${why}` : '.'}` };
  if (state.status === 'PENDING') return end(state, 'CANCELLED', reason);
  return { state: { ...state, status: 'CANCELLING', reason }, effects: [{ type: 'stop_commands' }] };
}

function breakOff(state: RunState): Decision {
  const settled = settle(state, 'CANCELLED');
  if (state.status === 'CANCELLING') return end(settled, 'CANCELLED', state.reason);
  const unknown = Object.values(settled.hosts).includes('UNKNOWN');
  const text = 'Runward met a fault of its own and broke the run off; the log of its worker tells more.';
  return end(settled, unknown ? 'INTERRUPTED' : 'FAILED', { code: 'engine_failed', text });
}

/**
 * Goes on from what is stored. Hosts that nothing was sent to are run; what may have been started and has no result is
 * UNKNOWN, and is not run again.
 */
function resume(state: RunState): Decision {
  const running: RunState = { ...state, status: 'RUNNING' };
  const { current } = running;
  if (!current) return advance(running);
  const hosts = mapValues(current.hosts, (host): HostInStep => {
    if (isHostFinished(host.status)) return host;
    return { ...host, status: host.dispatched ? 'UNKNOWN' : 'PENDING' };
  });
  const open = Object.keys(hosts).filter((id) => hosts[id]?.status === 'PENDING');
  const settled = newlyFinished(current.hosts, hosts);
  const resumed: RunState = {
    ...running,
    current: { index: current.index, hosts },
    settled: settled && { index: current.index, hosts: settled },
  };
  return open.length > 0
    ? { state: resumed, effects: [{ type: 'run_step', index: current.index, hosts: open }] }
    : advance(closeStep(resumed));
}

/** Ends the current step by its hosts' results; hosts that did not succeed take no further part. */
function closeStep(state: RunState): RunState {
  const { current } = state;
  if (!current) return state;
  const results = Object.entries(current.hosts);
  const failed = results.some(([, host]) => dropsOut(host.status));
  return {
    ...state,
    current: null,
    steps: replace(state.steps, current.index, { status: failed ? 'FAILED' : 'SUCCEEDED' }),
    hosts: {
      ...state.hosts,
      ...Object.fromEntries(results.filter(([, host]) => dropsOut(host.status)).map(([id, host]) => [id, host.status])),
    },
  };
}

/** Goes to the next step that has hosts, or ends the run. After a failed step the rest is skipped (policy: stop). */
function advance(state: RunState): Decision {
  let next = state;
  const failed = state.steps.find((step) => step.status === 'FAILED');
  for (const [index, step] of state.steps.entries()) {
    if (step.status !== 'PENDING') continue;
    if (failed) {
      next = {
        ...next,
        steps: replace(next.steps, index, { status: 'SKIPPED', reason: `Step "${failed.key}" failed.` }),
      };
      continue;
    }
    const hosts = step.targets.filter((id) => next.hosts[id] === 'PENDING');
    if (hosts.length > 0) {
      const current = {
        index,
        hosts: Object.fromEntries(
          hosts.map((id): [string, HostInStep] => [id, { status: 'PENDING', dispatched: false }]),
        ),
      };
      return {
        state: { ...next, current, steps: replace(next.steps, index, { status: 'RUNNING' }) },
        effects: [{ type: 'run_step', index, hosts }],
      };
    }
    next = {
      ...next,
      steps: replace(next.steps, index, { status: 'SKIPPED', reason: 'No host of the run matches its targets.' }),
    };
  }
  const { status, reason } = outcomeOf(next.hosts, failed);
  return end(next, status, reason);
}

/** Gives every host of the current step a result: what has none was stopped before it began, or nobody knows. */
function settle(state: RunState, status: Extract<HostStatus, 'CANCELLED' | 'TIMED_OUT'>): RunState {
  if (!state.current) return state;
  const hosts = mapValues(state.current.hosts, (host): HostInStep => {
    if (isHostFinished(host.status)) return host;
    return { ...host, status: host.dispatched ? 'UNKNOWN' : status };
  });
  const results = Object.entries(hosts);
  const settled = newlyFinished(state.current.hosts, hosts);
  const whole = results.every(([, host]) => host.status === 'SUCCEEDED');
  return {
    ...state,
    current: null,
    settled: settled && { index: state.current.index, hosts: settled },
    steps: replace(state.steps, state.current.index, {
      status: whole ? 'SUCCEEDED' : status === 'CANCELLED' ? 'CANCELLED' : 'FAILED',
    }),
    hosts: {
      ...state.hosts,
      ...Object.fromEntries(results.filter(([, host]) => dropsOut(host.status)).map(([id, host]) => [id, host.status])),
    },
  };
}

function end(state: RunState, status: ExecutionStatus, reason: StatusReason | null): Decision {
  const stopped = status === 'CANCELLED' || status === 'TIMED_OUT' || reason?.code === 'engine_failed';
  const steps = state.steps.map((step) =>
    step.status === 'PENDING'
      ? { ...step, status: 'CANCELLED' as const, reason: stopped ? 'The run ended before it.' : step.reason }
      : step,
  );
  const hosts = Object.fromEntries(
    Object.entries(state.hosts).map(([id, standing]): [string, HostStatus] => {
      const final = finalHostStatus(id, standing, steps);
      return [id, stopped && final === 'SKIPPED' ? 'CANCELLED' : final];
    }),
  );
  return { state: { ...state, status, reason, steps, hosts }, effects: [{ type: 'finish' }] };
}

const replace = (steps: readonly StepState[], index: number, change: Partial<StepState>): StepState[] =>
  steps.map((step, at) => (at === index ? { ...step, ...change } : step));

function newlyFinished(
  before: Readonly<Record<string, HostInStep>>,
  after: Readonly<Record<string, HostInStep>>,
): Record<string, HostStatus> | null {
  const changed = Object.entries(after).filter(
    ([id, host]) => isHostFinished(host.status) && before[id]?.status !== host.status,
  );
  return changed.length > 0 ? Object.fromEntries(changed.map(([id, host]) => [id, host.status])) : null;
}

const mapValues = <V, W>(record: Readonly<Record<string, V>>, map: (value: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
