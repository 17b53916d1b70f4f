/** Hosts come to a step by decisions, each after a certain event of its run: what was told until then was known. */
import { violation } from './lookup.mjs';

const DROPPED = new Set(['FAILED', 'TIMED_OUT', 'UNREACHABLE', 'HOST_KEY_MISMATCH', 'UNKNOWN', 'CANCELLED']);

/** Once more hosts failed than a step allows, no host comes to another one but those that run always, unless a person was asked. */
export function nothingBeginsAfterAFailure({ comings }, at) {
  const failures = new Map([...at.runs.keys()].map((run) => [run, failuresOf(at, run)]));
  return real(comings, at).flatMap((coming) => {
    const { run, after } = coming;
    const [, key] = at.place(coming).split(' ');
    if (at.step(run, key)?.always) return [];
    const answered = (failure) =>
      at
        .decisions(run, /^(skip|exclude_hosts|retry|retry_failed)$/, failure.data.stepKey)
        .some(({ seq }) => seq > failure.seq && seq <= after);
    const failure = failures.get(run)?.find((each) => each.seq <= after && !answered(each));
    if (!failure) return [];
    const text = `${at.say(at.place(coming))} was begun after ${failure.data.stepKey} had failed`;
    return [violation('order', 'order', run, text)];
  });
}

/** What is beyond the limit whatever the other hosts do: a failure in a step that allows none, or that of a step. */
function failuresOf(at, run) {
  return (at.events.get(run) ?? []).filter(({ type, data }) => {
    const { onFailure, maxFailPercent } = at.step(run, data.stepKey) ?? {};
    if (onFailure === 'continue') return false;
    if (type === 'step.finished') return data.status === 'FAILED';
    return type === 'host.finished' && DROPPED.has(data.status) && (maxFailPercent ?? null) === null;
  });
}

/** Once somebody asked for a pause, no host comes to another step before the run has waited. */
export const aPauseIsHeeded = ({ comings }, at) =>
  real(comings, at)
    .filter(({ pauseAsked }) => pauseAsked)
    .map((coming) => {
      const text = `${at.say(at.place(coming))} was begun although somebody had asked for a pause`;
      return violation('pause', 'order', coming.run, text);
    });

/** A run that succeeded, and in which nobody passed anything over, has a result of each step on each of its hosts. */
export function nothingIsLeftOut({ hosts }, at) {
  return [...at.runs.values()].flatMap((run) => {
    const passedOver = at.decisions(run.id, /^(skip|exclude_hosts)$/).length > 0;
    if (run.status !== 'SUCCEEDED' || run.mode === 'dry_run' || passedOver) return [];
    const own = hosts.filter((row) => row.run === run.id);
    const from = run.fromStep ? at.indexOf(run.id, run.fromStep) : 0;
    return (at.plan(run.id)?.steps ?? []).slice(from).flatMap((step) => {
      const targets = step.type === 'gate' ? [] : own.filter(({ host }) => step.hosts.includes(host));
      const done = targets.filter(({ host }) => at.results.has(`${run.id} ${step.key} ${host}`));
      if (step.runOnce && done.length === 1) return [];
      return targets
        .filter((row) => !done.includes(row) && isWanted(at, run.id, step, row.host))
        .map(({ host }) =>
          violation('order', 'lost', run.id, `${run.marker} succeeded, and ${step.key} was never begun on ${host}`),
        );
    });
  });
}

const isWanted = (at, run, { onlyIfChanged }, host) =>
  onlyIfChanged.length === 0 || onlyIfChanged.some((key) => at.results.get(`${run} ${key} ${host}`)?.changed === true);

/** A dry run goes on whatever it finds. */
const real = (comings, at) => comings.filter(({ run }) => at.runs.get(run)?.mode !== 'dry_run');
