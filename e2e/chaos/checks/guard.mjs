import { placeOfStart, UNFINISHED, violation } from './lookup.mjs';

/** What a person said of a host themselves; what was found there by asking it is no such thing. */
const BY_WORD = new Set(['marked_succeeded', 'marked_failed', 'skipped', 'run_again']);

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
 * such host, without its keys.
 */
export function guardKeysBelong({ hosts, results, guardKeys }, at) {
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
    return isOpen(id) && !isDry(id) ? [...ofHosts, ...ofPlan].map((key) => [id, key]) : [];
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
  return [...orphans, ...bare, ...freed];
}
