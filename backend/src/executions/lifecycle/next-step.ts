import type { Reason } from '../../common/http/reason.view.js';
import { type RunDecision, endRun, replaceStep } from './settle.js';
import { enterStep, listFreeWork, advanceSegment, findStoppingStep } from './segment-progress.js';
import { computeRunOutcome, computeDryRunOutcome } from './outcome.js';
import type { OpenStep, RunPauseState, RunState, StepState } from './run-state.js';
import { findSegmentAt } from './segment.js';
import { isHostFinished } from './statuses.js';
import { listEligibleHosts } from './eligibility.js';

/**
 * Starts the next step that has hosts, pauses before it, or ends the run. After a FAILED step that stops the run, only
 * steps with `always` remain.
 */
export function advanceToNextStep(from: RunState): RunDecision {
  let state = from;
  for (const [index, step] of state.steps.entries()) {
    if (step.status !== 'PENDING' && step.status !== 'PAUSED') continue;
    const failed = findStoppingStep(state);
    if (failed && !step.policy.always) {
      state = skipStep(state, index, { code: 'earlier_step_failed', text: `Step "${failed.key}" failed.` });
      continue;
    }
    if (step.policy.placeholder && state.mode === 'dry_run') {
      const reason: Reason = {
        code: 'placeholder',
        text: 'The plan is incomplete here. Add the missing part, then remove this step.',
      };
      state = { ...state, steps: replaceStep(state.steps, index, { status: 'FAILED', reason }) };
      continue;
    }
    if (step.policy.gate && state.mode === 'dry_run') {
      state = skipStep(state, index, { code: 'gate_in_dry_run', text: 'A real run waits for a person here.' });
      continue;
    }
    const hosts = listEligibleHosts(state, index);
    if (hosts.length === 0 && !step.policy.gate) {
      state = skipStep(state, index, getSkipReason(state, step));
      continue;
    }
    if (state.clearance.kind === 'revoked') return endRun(state, 'CANCELLED', state.clearance.reason);
    const pause = findPauseBefore(state, index, step);
    if (pause) return pauseRun(state, pause);
    if (!step.policy.gate) return beginStep(state, index, hosts);
    state = { ...state, steps: replaceStep(state.steps, index, { status: 'SUCCEEDED' }) };
  }
  const { status, reason } = (state.mode === 'dry_run' ? computeDryRunOutcome : computeRunOutcome)(
    state.hosts,
    state.steps,
  );
  return endRun(state, status, reason);
}

export function pauseRun(state: RunState, pause: RunPauseState): RunDecision {
  const before = pause.reason === 'STEP_CONFIRM' || pause.reason === 'GATE';
  const showsPause = before || pause.reason === 'FAILURE_DECISION';
  return {
    state: {
      ...state,
      status: 'PAUSED',
      pause,
      reason: null,
      pauseRequestedBy: before || pause.reason === 'REQUESTED' ? null : state.pauseRequestedBy,
      steps:
        showsPause && pause.index !== null ? replaceStep(state.steps, pause.index, { status: 'PAUSED' }) : state.steps,
    },
    effects: [{ type: 'wait' }],
  };
}

function findPauseBefore(state: RunState, index: number, step: StepState): RunPauseState | null {
  if (state.mode === 'dry_run') return null;
  if (state.clearance.kind === 'reapprove')
    return { reason: 'APPROVAL', index: null, text: state.clearance.reason.text };
  if (!step.confirmed) {
    if (step.policy.gate) return { reason: 'GATE', index, text: null };
    const asks = state.mode === 'interactive' || (state.mode === 'semi_assisted' && step.policy.confirm);
    if (asks) return { reason: 'STEP_CONFIRM', index, text: null };
  }
  // Any other pause here replaces the requested one, so that a person is asked only once.
  if (state.pauseRequestedBy === null) return null;
  return { reason: 'REQUESTED', index, text: `${state.pauseRequestedBy.name} asked for a pause.` };
}

function beginStep(state: RunState, index: number, ids: readonly string[]): RunDecision {
  const running: RunState = { ...state, status: 'RUNNING', pause: null };
  const segment = findSegmentAt(running, index);
  if (segment) {
    const begun = advanceSegment(running, segment, Object.keys(running.hosts));
    return { state: begun, effects: listFreeWork(begun, ({ status }) => !isHostFinished(status)) };
  }
  const begun = enterStep(running, index, ids);
  const [step] = begun.open;
  const batch = step ? listFirstBatch(begun, step) : [];
  return { state: begun, effects: [{ type: 'run_step', index, hosts: batch, stopping: false }] };
}

/** Selects the hosts of the step that get a result now: running ones, otherwise new ones up to the batch size. */
export function listFirstBatch(state: RunState, { index, hosts }: OpenStep): string[] {
  const all = Object.entries(hosts);
  const open = all.filter(([, host]) => ['PENDING', 'CONNECTING', 'RUNNING'].includes(host.status));
  const { batch } = state.steps[index]?.policy ?? { batch: null };
  if (!batch || state.mode === 'dry_run') return open.map(([id]) => id);
  const size = 'hosts' in batch ? batch.hosts : Math.max(1, Math.floor((all.length * batch.percent) / 100));
  const begun = open.filter(([, host]) => host.status !== 'PENDING' || host.dispatched);
  const undispatchedHosts = open.filter(([, host]) => host.status === 'PENDING' && !host.dispatched);
  // After a take-over, complete the started batch first: its results decide whether more hosts may begin.
  return (begun.length > 0 ? begun : undispatchedHosts.slice(0, size)).map(([id]) => id);
}

function getSkipReason(state: RunState, step: StepState): Reason {
  if (step.targets.length === 0)
    return { code: 'no_targets', text: 'No host of the run matches the targets of this step.' };
  if (step.policy.onlyIfChanged.length > 0 && step.targets.some((id) => state.hosts[id] === 'PENDING')) {
    const names = step.policy.onlyIfChanged.map((key) => `"${key}"`).join(', ');
    return { code: 'nothing_changed', text: `${names} changed nothing.` };
  }
  return { code: 'no_hosts_left', text: 'No host of this step is still in the run.' };
}

const skipStep = (state: RunState, index: number, reason: Reason): RunState => ({
  ...state,
  steps: replaceStep(state.steps, index, { status: 'SKIPPED', reason }),
});
