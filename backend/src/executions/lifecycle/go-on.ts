import { type Decision, end, mapValues, replaceStep, settle, settledBetween, standingsAfter } from './ending.js';
import { advance, firstBatch, paused } from './next-step.js';
import { dropsOut, tally } from './outcome.js';
import type { HostInStep, RunState, StepState } from './run-state.js';
import type { HostStatus, StepStatus } from './statuses.js';

/**
 * Goes on from what is stored: hosts of the current step that have no result get one, in batches; then comes the next
 * step. What may have been started is asked for, never started again.
 */
export function goOn(state: RunState): Decision {
  const running: RunState = { ...state, status: 'RUNNING', pause: null };
  const { current } = running;
  if (!current) return advance(running);
  const step = running.steps[current.index];
  const batch = firstBatch(running);
  if (!step || batch.length === 0) return closeStep(running);
  // A dry run gives each host its verdict, whatever is in the way of the others.
  const enough = running.mode !== 'dry_run' && step.policy.batch && !tolerated(running, step);
  const begun = batch.filter((id) => current.hosts[id]?.status !== 'PENDING' || current.hosts[id]?.dispatched);
  if (enough && begun.length === 0) return closeStep(withoutRest(running));
  const hosts = enough ? begun : batch;
  if (running.clearance.kind === 'clear' || running.mode === 'dry_run') return runOn(running, current.index, hosts);
  // Not cleared any more: what was sent gets its result, and nothing new is sent.
  const sent = hosts.filter((id) => current.hosts[id]?.dispatched);
  if (sent.length > 0) return runOn(running, current.index, sent);
  const { kind, reason } = running.clearance;
  if (kind === 'revoked') return end(settle(running, 'CANCELLED'), 'CANCELLED', reason);
  return paused(running, { reason: 'APPROVAL', index: null, text: reason.text });
}

const runOn = (state: RunState, index: number, hosts: string[]): Decision => ({
  state,
  effects: [{ type: 'run_step', index, hosts, stopping: false }],
});

/** Ends the current step by its hosts' results, or asks a person when more failed than its policy allows. */
function closeStep(state: RunState): Decision {
  const { current } = state;
  const step = current && state.steps[current.index];
  if (!current || !step) return advance(state);
  const statuses = Object.values(current.hosts).map((host) => host.status);
  const failed = statuses.filter(dropsOut);
  if (state.mode === 'dry_run') return advance(closed(state, failed.length > 0 ? 'FAILED' : settledStatus(statuses)));
  if (failed.length === 0) return advance(closed(state, settledStatus(statuses)));
  if (tolerated(state, step)) return advance(closed(state, 'PARTIALLY_SUCCEEDED'));
  if (state.mode === 'auto' || step.policy.goesOn) return advance(closed(state, 'FAILED'));
  return paused(state, {
    reason: 'FAILURE_DECISION',
    index: current.index,
    text: `${tally(failed, statuses.length)}.`,
  });
}

/** The current step over with this status; hosts that did not succeed take no further part. */
export function closed(state: RunState, status: StepStatus, reason: string | null = null): RunState {
  const { current } = state;
  if (!current) return state;
  return {
    ...state,
    current: null,
    steps: replaceStep(state.steps, current.index, { status, reason }),
    hosts: { ...state.hosts, ...standingsAfter(state.hosts, current.hosts) },
  };
}

/** A step that was skipped on every host was skipped. */
const settledStatus = (statuses: readonly HostStatus[]): StepStatus =>
  statuses.length > 0 && statuses.every((status) => status === 'SKIPPED') ? 'SKIPPED' : 'SUCCEEDED';

/** Whether so many failures are within the step's own limit, or the plan's over all hosts of the run. */
function tolerated(state: RunState, step: StepState): boolean {
  const results = Object.entries(state.current?.hosts ?? {});
  const failed = results.filter(([, host]) => dropsOut(host.status)).map(([id]) => id);
  if (failed.length === 0) return true;
  const { maxFailPercent } = step.policy;
  if (maxFailPercent !== null) return failed.length * 100 <= results.length * maxFailPercent;
  const dropped = new Set([
    ...failed,
    ...Object.keys(state.hosts).filter((id) => dropsOut(state.hosts[id] ?? 'PENDING')),
  ]);
  return dropped.size * 100 <= Object.keys(state.hosts).length * state.maxFailPercent;
}

/** The hosts of batches that are not begun any more are left out. */
function withoutRest(state: RunState): RunState {
  const { current } = state;
  if (!current) return state;
  const hosts = mapValues(
    current.hosts,
    (host): HostInStep => (host.status === 'PENDING' && !host.dispatched ? { ...host, status: 'SKIPPED' } : host),
  );
  const settled = settledBetween(current, hosts);
  return { ...state, current: { ...current, hosts }, settled, hosts: { ...state.hosts, ...settled?.hosts } };
}
