import { hostStepOfStart, violation } from './lookup.mjs';

const DROPPED_OUTCOMES = new Set(['FAILED', 'TIMED_OUT', 'UNREACHABLE', 'HOST_KEY_CHANGED', 'UNKNOWN', 'CANCELLED']);
/** Host statuses in which an `always` step can reach the host. */
const REACHED_OUTCOMES = new Set(['SUCCEEDED', 'FAILED', 'TIMED_OUT']);
const COMPLETED_STATUSES = new Set(['SUCCEEDED', 'PARTIALLY_SUCCEEDED', 'FAILED', 'INTERRUPTED']);

/**
 * Steps are barriers: a command of a later step starts only after the commands of earlier steps ended. With strategy
 * `free`, this applies per host, and across hosts only between segments.
 */
export function stepsAreBarriers(_found, at) {
  return [...at.startsOfRun].flatMap(([run, starts]) =>
    starts.flatMap((start) => {
      if (at.lost.has(hostStepOfStart(start))) return [];
      const index = at.indexOf(run, start.step);
      const waits = (other) =>
        other.host === start.host
          ? at.indexOf(run, other.step) > index
          : at.segmentOf(run, at.indexOf(run, other.step)) > at.segmentOf(run, index);
      const earlyStart = starts.find((other) => waits(other) && other.startedAt < start.lastAt);
      if (!earlyStart) return [];
      return [
        violation(
          'order',
          'order',
          run,
          `${at.say(hostStepOfStart(earlyStart))} started before ${at.say(hostStepOfStart(start))} ended`,
        ),
      ];
    }),
  );
}

/** Batches are barriers: two batches of hosts never run at the same time. */
export function batchesAreBarriers({ results }, at) {
  const counts = Map.groupBy(results, ({ run, index }) => `${run} ${at.keys.get(`${run} ${index}`)}`);
  return [...Map.groupBy(at.found.evidence, (start) => `${start.run} ${start.step}`)].flatMap(([where, starts]) => {
    const [run, key] = where.split(' ');
    const { batch } = at.step(run, key) ?? {};
    if (!batch) return [];
    const batchSize = sizeOf(batch, counts.get(where)?.length ?? 0);
    const retries = at.decisions(run, /^retry/, key).map((event) => event.at);
    const sentAt = (start) => at.dispatches.get(start.dispatchId)?.at ?? 0;
    const roundNumber = (start) => retries.filter((retriedAt) => retriedAt <= sentAt(start)).length;
    const known = starts.filter((start) => !at.lost.has(hostStepOfStart(start)));
    return [...Map.groupBy(known, roundNumber).values()].flatMap((round) => {
      const groups = overlappingHosts(round);
      const large = groups.find((hosts) => hosts.length > batchSize);
      if (!large) return [];
      return [
        violation(
          'order',
          'order',
          run,
          `${at.say(where)} has batches of ${batchSize}, but ${large.join(', ')} ran at the same time`,
        ),
      ];
    });
  });
}

const sizeOf = (batch, hosts) =>
  batch.endsWith('%') ? Math.max(1, Math.floor((hosts * Number.parseInt(batch, 10)) / 100)) : Number(batch);

/** Groups hosts whose activity overlaps in time, from first to last sign of activity. */
function overlappingHosts(starts) {
  const hostSpans = [...Map.groupBy(starts, ({ host }) => host)]
    .map(([host, own]) => ({
      host,
      from: Math.min(...own.map(({ startedAt }) => startedAt)),
      to: Math.max(...own.map(({ lastAt }) => lastAt)),
    }))
    .sort((a, b) => a.from - b.from);
  const groups = [];
  let until = -Infinity;
  for (const { host, from, to } of hostSpans) {
    if (from < until) groups.at(-1).push(host);
    else groups.push([host]);
    until = Math.max(until, to);
  }
  return groups;
}

/** A host that did not succeed runs no later steps except "always" steps, unless a user skipped the failure. */
export function failedHostsAreDropped({ results }, at) {
  return results.flatMap((row) => {
    if (!DROPPED_OUTCOMES.has(row.status)) return [];
    const hostStep = at.hostStepOf(row);
    const [run, key, host] = hostStep.split(' ');
    if (at.decisions(run, /^skip$/, key).length > 0 && row.status !== 'UNKNOWN') return [];
    return [...at.dispatches.values()]
      .filter((sent) => sent.run === run && sent.index > row.index && at.hostOf(run, sent.server) === host)
      .map((sent) => at.keys.get(`${run} ${sent.index}`))
      .filter((later) => !at.step(run, later)?.always)
      .map((later) =>
        violation('order', 'order', run, `${at.say(hostStep)} is ${row.status}, but ${later} was sent there`),
      );
  });
}

/** After a failed step, only "always" steps run. They run on every host that they can reach. */
export function alwaysStepsRun({ steps }, at) {
  return [...at.runs.values()].flatMap((run) => {
    const own = steps.filter((step) => step.run === run.id);
    const specOf = (step) => at.step(run.id, step.key) ?? {};
    const failed = own.find((step) => step.status === 'FAILED' && specOf(step).onFailure !== 'continue');
    const startedAt = new Set(
      [...at.dispatches.values()].filter((sent) => sent.run === run.id).map((sent) => sent.index),
    );
    const after = own
      // Within a segment, other hosts may already have started the step: see noStepEntryAfterFailure.
      .filter((step) => failed && at.segmentOf(run.id, step.index) > at.segmentOf(run.id, failed.index))
      .filter((step) => startedAt.has(step.index) && !specOf(step).always)
      .map((step) =>
        violation('order', 'order', run.id, `${run.marker}: ${step.key} started after ${failed.key} failed`),
      );
    if (!COMPLETED_STATUSES.has(run.status) || run.code === 'engine_failed' || run.mode === 'dry_run') return after;
    const from = run.fromStep ? at.indexOf(run.id, run.fromStep) : 0;
    const missing = own
      .filter(
        (step) => specOf(step).always && step.index >= from && at.decisions(run.id, /^skip$/, step.key).length === 0,
      )
      .flatMap((step) =>
        [...at.hosts.values()]
          .filter(
            ({ run: of, host, status }) =>
              of === run.id && specOf(step).hosts.includes(host) && REACHED_OUTCOMES.has(status),
          )
          .filter(({ host }) => !at.results.has(`${run.id} ${step.key} ${host}`))
          .map(({ host, status }) =>
            violation(
              'order',
              'order',
              run.id,
              `${run.marker}: ${step.key} always runs, but not on ${host}, which is ${status}`,
            ),
          ),
      );
    return [...after, ...missing];
  });
}

/** A handler runs only where a step that notifies it changed something, in this run or in the resumed run. */
export function handlersFollowChanges({ evidence }, at) {
  return evidence.flatMap((start) => {
    const sources = at.step(start.run, start.step)?.onlyIfChanged ?? [];
    if (sources.length === 0) return [];
    const changed = sources.some((key) =>
      at
        .runsThatCount(start.run, key)
        .some((run) => at.outcomes.get(`${run} ${key} ${start.host}`)?.some((each) => each.changed)),
    );
    if (changed) return [];
    return [
      violation(
        'order',
        'order',
        start.run,
        `${at.say(hostStepOfStart(start))} started, but ${sources.join(', ')} changed nothing there`,
      ),
    ];
  });
}

export const dryRunsStartNothing = ({ evidence }, at) =>
  evidence
    .filter((start) => at.runs.get(start.run)?.mode === 'dry_run')
    .map((start) => violation('order', 'order', start.run, `${at.say(hostStepOfStart(start))} started in a dry run`));
