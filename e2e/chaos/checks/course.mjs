import { placeOfStart, violation } from './lookup.mjs';

const DROPPED = new Set(['FAILED', 'TIMED_OUT', 'UNREACHABLE', 'HOST_KEY_MISMATCH', 'UNKNOWN', 'CANCELLED']);
/** How a host is left that an `always` step could reach. */
const REACHED = new Set(['SUCCEEDED', 'FAILED', 'TIMED_OUT']);
const TO_THE_END = new Set(['SUCCEEDED', 'PARTIALLY_SUCCEEDED', 'FAILED', 'INTERRUPTED']);

/**
 * Steps are barriers: no command of a later step begins before those of an earlier one have ended. Where hosts go on by
 * themselves, that is so on each host, and for all of them between two stretches of steps.
 */
export function stepsAreBarriers(_found, at) {
  return [...at.startsOfRun].flatMap(([run, starts]) =>
    starts.flatMap((start) => {
      if (at.lost.has(placeOfStart(start))) return [];
      const index = at.indexOf(run, start.step);
      const waits = (other) =>
        other.host === start.host
          ? at.indexOf(run, other.step) > index
          : at.stretchOf(run, at.indexOf(run, other.step)) > at.stretchOf(run, index);
      const early = starts.find((other) => waits(other) && other.startedAt < start.lastAt);
      if (!early) return [];
      return [
        violation(
          'order',
          'order',
          run,
          `${at.say(placeOfStart(early))} began before ${at.say(placeOfStart(start))} had ended`,
        ),
      ];
    }),
  );
}

/** Hosts of a later batch begin once those of the batch before have ended: what runs at once is one batch at the most. */
export function batchesAreBarriers({ results }, at) {
  const counts = Map.groupBy(results, ({ run, index }) => `${run} ${at.keys.get(`${run} ${index}`)}`);
  return [...Map.groupBy(at.found.evidence, (start) => `${start.run} ${start.step}`)].flatMap(([where, starts]) => {
    const [run, key] = where.split(' ');
    const { batch } = at.step(run, key) ?? {};
    if (!batch) return [];
    const most = sizeOf(batch, counts.get(where)?.length ?? 0);
    const again = at.decisions(run, /^retry/, key).map((event) => event.at);
    const sentAt = (start) => at.dispatches.get(start.dispatchId)?.at ?? 0;
    const roundOf = (start) => again.filter((asked) => asked <= sentAt(start)).length;
    const known = starts.filter((start) => !at.lost.has(placeOfStart(start)));
    return [...Map.groupBy(known, roundOf).values()].flatMap((round) => {
      const groups = togetherIn(round);
      const large = groups.find((hosts) => hosts.length > most);
      if (!large) return [];
      return [
        violation(
          'order',
          'order',
          run,
          `${at.say(where)} goes in batches of ${most}, and ${large.join(', ')} went on at once`,
        ),
      ];
    });
  });
}

const sizeOf = (batch, hosts) =>
  batch.endsWith('%') ? Math.max(1, Math.floor((hosts * Number.parseInt(batch, 10)) / 100)) : Number(batch);

/** Names of hosts whose times, from their first start to their last sign, hang together. */
function togetherIn(starts) {
  const spans = [...Map.groupBy(starts, ({ host }) => host)]
    .map(([host, own]) => ({
      host,
      from: Math.min(...own.map(({ startedAt }) => startedAt)),
      to: Math.max(...own.map(({ lastAt }) => lastAt)),
    }))
    .sort((a, b) => a.from - b.from);
  const groups = [];
  let until = -Infinity;
  for (const { host, from, to } of spans) {
    if (from < until) groups.at(-1).push(host);
    else groups.push([host]);
    until = Math.max(until, to);
  }
  return groups;
}

/** A host that did not succeed takes no part in later steps but those that run always, unless a person goes on in spite of it. */
export function failedHostsTakeNoPart({ results }, at) {
  return results.flatMap((row) => {
    if (!DROPPED.has(row.status)) return [];
    const place = at.place(row);
    const [run, key, host] = place.split(' ');
    if (at.decisions(run, /^skip$/, key).length > 0 && row.status !== 'UNKNOWN') return [];
    return [...at.dispatches.values()]
      .filter((sent) => sent.run === run && sent.index > row.index && at.hostOf(run, sent.server) === host)
      .map((sent) => at.keys.get(`${run} ${sent.index}`))
      .filter((later) => !at.step(run, later)?.always)
      .map((later) =>
        violation('order', 'order', run, `${at.say(place)} is ${row.status}, and ${later} was sent there`),
      );
  });
}

/** After a step that failed for good only those that run always are left; and those do run, on every host that they can reach. */
export function alwaysMeansAlways({ steps }, at) {
  return [...at.runs.values()].flatMap((run) => {
    const own = steps.filter((step) => step.run === run.id);
    const specOf = (step) => at.step(run.id, step.key) ?? {};
    const failed = own.find((step) => step.status === 'FAILED' && specOf(step).onFailure !== 'continue');
    const begun = new Set([...at.dispatches.values()].filter((sent) => sent.run === run.id).map((sent) => sent.index));
    const after = own
      // Within a stretch other hosts may have been at it by then: see nothingBeginsAfterAFailure.
      .filter((step) => failed && at.stretchOf(run.id, step.index) > at.stretchOf(run.id, failed.index))
      .filter((step) => begun.has(step.index) && !specOf(step).always)
      .map((step) =>
        violation('order', 'order', run.id, `${run.marker}: ${step.key} was begun after ${failed.key} had failed`),
      );
    if (!TO_THE_END.has(run.status) || run.code === 'engine_failed' || run.mode === 'dry_run') return after;
    const from = run.fromStep ? at.indexOf(run.id, run.fromStep) : 0;
    const missing = own
      .filter(
        (step) => specOf(step).always && step.index >= from && at.decisions(run.id, /^skip$/, step.key).length === 0,
      )
      .flatMap((step) =>
        [...at.hosts.values()]
          .filter(
            ({ run: of, host, status }) => of === run.id && specOf(step).hosts.includes(host) && REACHED.has(status),
          )
          .filter(({ host }) => !at.results.has(`${run.id} ${step.key} ${host}`))
          .map(({ host, status }) =>
            violation(
              'order',
              'order',
              run.id,
              `${run.marker}: ${step.key} runs always, and not on ${host}, which is ${status}`,
            ),
          ),
      );
    return [...after, ...missing];
  });
}

/** A handler runs where one of its steps changed something, in this run or in the one that it resumes, and nowhere else. */
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
        `${at.say(placeOfStart(start))} began, and ${sources.join(', ')} changed nothing there`,
      ),
    ];
  });
}

/** A dry run starts nothing. */
export const dryRunsStartNothing = ({ evidence }, at) =>
  evidence
    .filter((start) => at.runs.get(start.run)?.mode === 'dry_run')
    .map((start) => violation('order', 'order', start.run, `${at.say(placeOfStart(start))} began in a dry run`));
