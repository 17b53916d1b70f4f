import { placeOfStart, UNFINISHED, violation } from './lookup.mjs';

/** What a person said of a host themselves; what was found there by asking it is no such thing. */
const BY_WORD = new Set(['marked_succeeded', 'marked_failed', 'skipped', 'run_again']);

/** How a run ends whose turn never came. */
const NEVER_BEGAN = new Set(['CANCELLED', 'EXPIRED', 'REJECTED']);

/** I6: commands of two runs never run on one host at the same time, nor two runs of a plan that is not for that. */
export function runsNeverOverlap({ evidence }, at) {
  // Who gave a host free, or went on there, without knowing what became of its command, has said so.
  const claims = (start) => {
    const place = placeOfStart(start);
    const { status, resolution } = at.results.get(place) ?? {};
    return !at.lost.has(place) || (status === 'UNKNOWN' && !BY_WORD.has(resolution));
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
            `${name}: ${at.say(placeOfStart(later))} began while ${at.say(placeOfStart(start))} ran`,
          ),
        ),
    );
  });

/**
 * I10: no guard key without an active run, or a host whose result is UNKNOWN and not yet resolved; no active run, and no
 * such host, without its keys. A run that waits for them has none yet.
 */
export function guardKeysBelong({ hosts, results, guardKeys, queue }, at) {
  const waiting = new Set(queue.map(({ run }) => run));
  const hostKeys = new Map(hosts.map((row) => [`${row.run} ${row.server}`, `host:${row.hostname}:${row.port}`]));
  const lost = results.filter((row) => row.status === 'UNKNOWN' && row.resolution === null);
  const kept = new Set(lost.map(({ run, server }) => `${run} ${hostKeys.get(`${run} ${server}`)}`));
  const held = new Set(guardKeys.map(({ run, key }) => `${run} ${key}`));
  const isOpen = (run) => UNFINISHED.has(at.runs.get(run)?.status);
  const isDry = (run) => at.runs.get(run)?.mode === 'dry_run';
  const orphans = guardKeys
    .filter(({ run, key }) => isDry(run) || (!isOpen(run) && !kept.has(`${run} ${key}`)))
    .map(({ run, key }) =>
      violation('I10', 'other', run, `${key} is held by a run that is ${at.runs.get(run)?.status}`),
    );
  const wanted = [...at.runs.values()].flatMap(({ id, planId, environmentId }) => {
    const ofHosts = hosts.filter(({ run }) => run === id).map(({ server }) => hostKeys.get(`${id} ${server}`));
    const ofPlan = at.plan(id)?.parallelSafe === false ? [`plan:${planId}:${environmentId}`] : [];
    return isOpen(id) && !isDry(id) && !waiting.has(id) ? [...ofHosts, ...ofPlan].map((key) => [id, key]) : [];
  });
  const bare = wanted
    .filter(([run, key]) => !held.has(`${run} ${key}`))
    .map(([run, key]) => violation('I10', 'other', run, `${at.say(run)} is not finished and does not hold ${key}`));
  const freed = [...kept]
    .filter((each) => !held.has(each))
    .map((each) => {
      const [run, key] = each.split(' ');
      return violation('I10', 'other', run, `${key} is free, and nobody knows what became of a command there`);
    });
  const early = guardKeys
    .filter(({ run, key }) => waiting.has(run) && !kept.has(`${run} ${key}`))
    .map(({ run, key }) =>
      violation('I10', 'other', run, `${key} is held by ${at.say(run)}, which waits for its turn`),
    );
  return [...orphans, ...bare, ...freed, ...early];
}

/** A run that may wait for its turn leaves the line, once: it runs, or ends without having begun anything. */
export function queuedRunsGoOnce({ queue, dispatches }, at) {
  const sent = new Set(dispatches.map(({ run }) => run));
  const say = (run, text) => violation('queue', 'order', run, `${at.say(run)} ${text}`);
  const left = queue
    .filter(({ run }) => !UNFINISHED.has(at.runs.get(run)?.status))
    .map(({ run }) => say(run, 'is over and still stands in line'));
  const gone = [...at.runs.values()]
    .filter(({ onOverlap, mode }) => onOverlap === 'queue' && mode !== 'dry_run')
    .flatMap(({ id, status }) => {
      const events = at.events.get(id) ?? [];
      const ends = events.filter(({ type }) => type === 'execution.finished').length;
      const began = events.some(({ type, data }) => type === 'execution.status_changed' && data.status === 'RUNNING');
      // A run whose steps are all skipped ends in its turn without having begun.
      const stoodInLine = events.some(({ data }) => data.waitsFor);
      const hadTurn = began || !stoodInLine || events.some(({ data }) => data.waitsFor === null);
      const faults = [];
      if (!UNFINISHED.has(status) && ends !== 1) faults.push(`could wait for its turn and ended ${ends} times`);
      if (!began && (sent.has(id) || at.startsOfRun.has(id))) faults.push('began something before its turn');
      if (!hadTurn && !UNFINISHED.has(status) && !NEVER_BEGAN.has(status))
        faults.push(`is ${status} and never had its turn`);
      return [...faults, ...faultsOfTurns(events)].map((text) => say(id, text));
    });
  return [...left, ...gone];
}

/** Events of a run tell what it waits for, and by null that it has that: what it has taken it keeps to its end. */
function faultsOfTurns(events) {
  let waitsFor = null;
  let turns = 0;
  return events.flatMap(({ data }) => {
    if (data.waitsFor !== undefined) waitsFor = data.waitsFor;
    if (data.waitsFor === null) turns += 1;
    if (data.waitsFor === null && turns > 1) return ['had its turn twice'];
    return data.status === 'RUNNING' && waitsFor !== null ? ['began while it stood in line'] : [];
  });
}
