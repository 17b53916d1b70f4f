/**
 * Invariants of step entries. A step entry is a decision of the engine that a host enters a step. The decision knows
 * all events of the run up to `after`.
 */
import { violation } from './lookup.mjs';

const DROPPED_OUTCOMES = new Set(['FAILED', 'TIMED_OUT', 'UNREACHABLE', 'HOST_KEY_CHANGED', 'UNKNOWN', 'CANCELLED']);

/** After too many hosts failed, no host enters another step except "always" steps, unless a user decided otherwise. */
export function noStepEntryAfterFailure({ stepEntries }, at) {
  const failures = new Map([...at.runs.keys()].map((run) => [run, failuresOf(at, run)]));
  return real(stepEntries, at).flatMap((entry) => {
    const { run, after } = entry;
    const [, key] = at.hostStepOf(entry).split(' ');
    if (at.step(run, key)?.always) return [];
    const answered = (failure) =>
      at
        .decisions(run, /^(skip|exclude_hosts|retry|retry_failed)$/, failure.data.stepKey)
        .some(({ seq }) => seq > failure.seq && seq <= after);
    const failure = failures.get(run)?.find((each) => each.seq <= after && !answered(each));
    if (!failure) return [];
    const text = `${at.say(at.hostStepOf(entry))} started after ${failure.data.stepKey} failed`;
    return [violation('order', 'order', run, text)];
  });
}

/**
 * Returns failures of which one alone exceeds the limit: a failed step, or a failed host in a step that allows no
 * failures.
 */
function failuresOf(at, run) {
  return (at.events.get(run) ?? []).filter(({ type, data }) => {
    const { onFailure, maxFailPercent } = at.step(run, data.stepKey) ?? {};
    if (onFailure === 'continue') return false;
    if (type === 'step.finished') return data.status === 'FAILED';
    return type === 'host.finished' && DROPPED_OUTCOMES.has(data.status) && (maxFailPercent ?? null) === null;
  });
}

/** After a pause was requested, no host enters another step before the run has paused. */
export const pausesAreRespected = ({ stepEntries }, at) =>
  real(stepEntries, at)
    .filter(({ pauseRequested }) => pauseRequested)
    .map((entry) => {
      const text = `${at.say(at.hostStepOf(entry))} started although a pause was requested`;
      return violation('pause', 'order', entry.run, text);
    });

/** If a run succeeded without skips or exclusions, each of its hosts has a result of each step. */
export function everyHostHasResults({ hosts }, at) {
  return [...at.runs.values()].flatMap((run) => {
    const wasSkipped = at.decisions(run.id, /^(skip|exclude_hosts)$/).length > 0;
    if (run.status !== 'SUCCEEDED' || run.mode === 'dry_run' || wasSkipped) return [];
    const own = hosts.filter((row) => row.run === run.id);
    const from = run.fromStep ? at.indexOf(run.id, run.fromStep) : 0;
    return (at.plan(run.id)?.steps ?? []).slice(from).flatMap((step) => {
      const targets = step.type === 'gate' ? [] : own.filter(({ host }) => step.hosts.includes(host));
      const done = targets.filter(({ host }) => at.results.has(`${run.id} ${step.key} ${host}`));
      if (step.runOnce && done.length === 1) return [];
      return targets
        .filter((row) => !done.includes(row) && isDue(at, run.id, step, row.host))
        .map(({ host }) =>
          violation('order', 'lost', run.id, `${run.marker} succeeded, but ${step.key} never ran on ${host}`),
        );
    });
  });
}

const isDue = (at, run, { onlyIfChanged }, host) =>
  onlyIfChanged.length === 0 || onlyIfChanged.some((key) => at.results.get(`${run} ${key} ${host}`)?.changed === true);

/** Omits dry runs, because a dry run continues after failures. */
const real = (stepEntries, at) => stepEntries.filter(({ run }) => at.runs.get(run)?.mode !== 'dry_run');
