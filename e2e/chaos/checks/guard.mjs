import { hostStepOfStart, UNFINISHED_STATUSES, violation } from './lookup.mjs';

/** Resolutions that a user sets without knowledge of the host. Results that a check found are not among them. */
const USER_RESOLUTIONS = new Set(['marked_succeeded', 'marked_failed', 'skipped', 'run_again']);

const STATUSES_BEFORE_ADMISSION = new Set(['CANCELLED', 'EXPIRED', 'REJECTED']);

/**
 * I6: commands of two runs never overlap on a host. Two runs of a plan that is not `parallelSafe` never overlap either.
 */
export function runsNeverOverlap({ evidence }, at) {
  // If a user released or retried a host with an unknown result, the user accepted a possible overlap.
  const claims = (start) => {
    const hostStep = hostStepOfStart(start);
    const { status, resolution } = at.results.get(hostStep) ?? {};
    return !at.lost.has(hostStep) || (status === 'UNKNOWN' && !USER_RESOLUTIONS.has(resolution));
  };
  const known = evidence.filter(claims);
  const onHosts = overlaps(
    Map.groupBy(known, (start) => start.host),
    at,
  );
  const guarded = known.filter((start) => at.plan(start.run)?.parallelSafe === false);
  const ofPlans = overlaps(
    Map.groupBy(guarded, (start) => at.plan(start.run).name),
    at,
  );
  return [...onHosts, ...ofPlans];
}

const overlaps = (groups, at) =>
  [...groups].flatMap(([name, starts]) => {
    const inOrder = starts.toSorted((a, b) => a.startedAt - b.startedAt);
    return inOrder.flatMap((start, index) =>
      inOrder
        .slice(index + 1)
        .filter((later) => later.run !== start.run && later.startedAt < start.lastAt)
        .map((later) =>
          violation(
            'I6',
            'doubled',
            later.run,
            `${name}: ${at.say(hostStepOfStart(later))} started while ${at.say(hostStepOfStart(start))} ran`,
          ),
        ),
    );
  });

/**
 * I10: each guard key belongs to an active run or to a host with an unresolved UNKNOWN result. Each such run and host
 * has its keys; a queued run has none yet.
 */
export function guardKeysMatchRuns({ hosts, results, guardKeys, queue }, at) {
  const waiting = new Set(queue.map(({ run }) => run));
  const hostKeys = new Map(hosts.map((row) => [`${row.run} ${row.server}`, `host:${row.hostname}:${row.port}`]));
  const lost = results.filter((row) => row.status === 'UNKNOWN' && row.resolution === null);
  const kept = new Set(lost.map(({ run, server }) => `${run} ${hostKeys.get(`${run} ${server}`)}`));
  const held = new Set(guardKeys.map(({ run, key }) => `${run} ${key}`));
  const isOpen = (run) => UNFINISHED_STATUSES.has(at.runs.get(run)?.status);
  const isDry = (run) => at.runs.get(run)?.mode === 'dry_run';
  const orphanKeys = guardKeys
    .filter(({ run, key }) => isDry(run) || (!isOpen(run) && !kept.has(`${run} ${key}`)))
    .map(({ run, key }) =>
      violation('I10', 'other', run, `${key} is held by a run that is ${at.runs.get(run)?.status}`),
    );
  const required = [...at.runs.values()].flatMap(({ id, planId, environmentId }) => {
    const ofHosts = hosts.filter(({ run }) => run === id).map(({ server }) => hostKeys.get(`${id} ${server}`));
    const ofPlan = at.plan(id)?.parallelSafe === false ? [`plan:${planId}:${environmentId}`] : [];
    return isOpen(id) && !isDry(id) && !waiting.has(id) ? [...ofHosts, ...ofPlan].map((key) => [id, key]) : [];
  });
  const bare = required
    .filter(([run, key]) => !held.has(`${run} ${key}`))
    .map(([run, key]) => violation('I10', 'other', run, `${at.say(run)} is active but lacks ${key}`));
  const freed = [...kept]
    .filter((each) => !held.has(each))
    .map((each) => {
      const [run, key] = each.split(' ');
      return violation('I10', 'other', run, `${key} is free, although a command there has an unknown result`);
    });
  const earlyKeys = guardKeys
    .filter(({ run, key }) => waiting.has(run) && !kept.has(`${run} ${key}`))
    .map(({ run, key }) => violation('I10', 'other', run, `${key} is held by ${at.say(run)}, which is in the queue`));
  return [...orphanKeys, ...bare, ...freed, ...earlyKeys];
}

/** A queued run leaves the queue once: it runs, or it ends without starting a command. */
export function queuedRunsStartOnce({ queue, dispatches }, at) {
  const sent = new Set(dispatches.map(({ run }) => run));
  const say = (run, text) => violation('queue', 'order', run, `${at.say(run)} ${text}`);
  const leftInQueue = queue
    .filter(({ run }) => !UNFINISHED_STATUSES.has(at.runs.get(run)?.status))
    .map(({ run }) => say(run, 'is finished but still in the queue'));
  const missingKeyRuns = [...at.runs.values()]
    .filter(({ onOverlap, mode }) => onOverlap === 'queue' && mode !== 'dry_run')
    .flatMap(({ id, status }) => {
      const events = at.events.get(id) ?? [];
      const ends = events.filter(({ type }) => type === 'execution.finished').length;
      const began = events.some(({ type, data }) => type === 'execution.status_changed' && data.status === 'RUNNING');
      // If all steps are skipped, the run is admitted and ends without the status RUNNING.
      const wasQueued = events.some(({ data }) => data.waitsFor);
      const wasAdmitted = began || !wasQueued || events.some(({ data }) => data.waitsFor === null);
      const faults = [];
      if (!UNFINISHED_STATUSES.has(status) && ends !== 1) faults.push(`was queueable and ended ${ends} times`);
      if (!began && (sent.has(id) || at.startsOfRun.has(id))) faults.push('started a command before it was admitted');
      if (!wasAdmitted && !UNFINISHED_STATUSES.has(status) && !STATUSES_BEFORE_ADMISSION.has(status))
        faults.push(`is ${status} and was never admitted`);
      return [...faults, ...faultsOfAdmissions(events)].map((text) => say(id, text));
    });
  return [...leftInQueue, ...missingKeyRuns];
}

/**
 * Checks the admissions of a run. An event's `waitsFor` says why the run waits; null: the run was admitted. A run keeps
 * its guard keys until its end.
 */
function faultsOfAdmissions(events) {
  let waitsFor = null;
  let admissions = 0;
  return events.flatMap(({ data }) => {
    if (data.waitsFor !== undefined) waitsFor = data.waitsFor;
    if (data.waitsFor === null) admissions += 1;
    if (data.waitsFor === null && admissions > 1) return ['was admitted twice'];
    return data.status === 'RUNNING' && waitsFor !== null ? ['started while it was in the queue'] : [];
  });
}
