import { type Decision, replaceStep } from './ending.js';
import { closed } from './go-on.js';
import { dropsOut } from './outcome.js';
import type { HostInStep, RunState, StatusReason } from './run-state.js';
import type { RunEvent } from './run-event.js';
import { PAUSE_CHOICES } from './statuses.js';

type Answer = Extract<RunEvent, { type: 'decided' }>;

/**
 * A person's answer to a pause inside a run. The caller has found out that the run waits for it and that the action is
 * one of its choices; hosts that the current step does not have are left out of account.
 */
export function answer(state: RunState, event: Answer): Decision {
  const { pause } = state;
  if (!pause || !PAUSE_CHOICES[pause.reason].includes(event.action)) return { state, effects: [] };
  if (event.action === 'abort') return { state: aborted(state, event), effects: [{ type: 'ring' }] };
  const going: RunState = { ...state, status: 'RUNNING', pause: null, reason: null };
  const index = pause.index ?? 0;
  switch (event.action) {
    case 'proceed':
      return resumed({ ...going, steps: replaceStep(going.steps, index, { status: 'PENDING', confirmed: true }) });
    case 'retry':
      return resumed(reopen(going, (id, host) => event.serverIds?.includes(id) ?? host.status !== 'UNKNOWN'));
    case 'retry_failed':
      return resumed(reopen(going, (id, host) => wantsRetry(going, id, host, event.serverIds?.includes(id))));
    case 'exclude_hosts':
      return resumed(exclude(going, event));
    case 'skip':
      return resumed(skipStep(going, event));
  }
}

/**
 * Hosts to run again: those that failed, and those whose turn did not come because of it; one whose result is unknown
 * only by name, as its command may still run.
 */
function wantsRetry({ hosts }: RunState, id: string, host: HostInStep, named: boolean | undefined): boolean {
  if (host.status === 'SKIPPED' && hosts[id] === 'SKIPPED') return named !== false;
  if (!dropsOut(host.status)) return false;
  return host.status === 'UNKNOWN' ? named === true : named !== false;
}

/** A worker goes on with it. */
const resumed = (state: RunState): Decision => ({ state, effects: [{ type: 'ring' }] });

function reopen(state: RunState, which: (id: string, host: HostInStep) => boolean): RunState {
  const { current } = state;
  if (!current) return state;
  const ids = Object.keys(current.hosts).filter((id) => which(id, current.hosts[id] as HostInStep));
  const leftOut = ids.filter((id) => state.hosts[id] === 'SKIPPED');
  const hosts = Object.fromEntries(
    Object.entries(current.hosts).map(([id, host]): [string, HostInStep] => [
      id,
      ids.includes(id) ? { status: 'PENDING', dispatched: false } : host,
    ]),
  );
  return {
    ...state,
    current: { ...current, hosts },
    // One that failed an earlier step and is only cleaned up here takes no further part.
    hosts: { ...state.hosts, ...Object.fromEntries(leftOut.map((id) => [id, 'PENDING' as const])) },
    reopened: { index: current.index, hosts: ids },
    steps: replaceStep(state.steps, current.index, { status: 'RUNNING', reason: null }),
  };
}

/** Goes on without the hosts that failed, and without others that were named. */
function exclude(state: RunState, event: Answer): RunState {
  const { current } = state;
  if (!current) return state;
  const named = (event.serverIds ?? []).filter((id) => current.hosts[id] && !dropsOut(current.hosts[id].status));
  const late = Object.values(current.hosts).some(({ status }) => status === 'SKIPPED');
  const whom = late ? 'the hosts that failed and those whose turn had not come' : 'the hosts that failed';
  const left = closed(state, 'PARTIALLY_SUCCEEDED', `${event.by} left out ${whom}.`);
  return {
    ...left,
    hosts: { ...left.hosts, ...Object.fromEntries(named.map((id) => [id, 'SKIPPED' as const])) },
  };
}

/** Before a step: it does not run. After a failure: the hosts that failed go on all the same. */
function skipStep(state: RunState, event: Answer): RunState {
  const { current } = state;
  const why = event.comment ? `: ${event.comment}` : '.';
  if (!current) {
    const index = state.steps.findIndex((step) => step.status === 'PAUSED');
    const steps = replaceStep(state.steps, index, { status: 'SKIPPED', reason: `${event.by} skipped it${why}` });
    return { ...state, steps };
  }
  const reason = `${event.by} went on in spite of the failures${why}`;
  // Nobody can speak for a host that was lost: it takes no further part whoever says what.
  const lost = Object.keys(current.hosts).filter((id) => current.hosts[id]?.status === 'UNKNOWN');
  return {
    ...state,
    current: null,
    steps: replaceStep(state.steps, current.index, { status: 'PARTIALLY_SUCCEEDED', reason }),
    hosts: { ...state.hosts, ...Object.fromEntries(lost.map((id) => [id, 'UNKNOWN' as const])) },
  };
}

function aborted(state: RunState, event: Answer): RunState {
  const reason: StatusReason = {
    code: 'aborted',
    text: `Aborted by ${event.by}${event.comment ? `: ${event.comment}` : '.'}`,
  };
  return { ...state, status: 'CANCELLING', pause: null, reason };
}
