/**
 * The invariants (docs: what must hold whatever fails), each a function from what the database and the hosts hold to what
 * breaks it. Pure: nothing here asks anybody.
 *
 * @typedef {{ invariant: string, kind: 'lost' | 'doubled' | 'false_success' | 'stuck' | 'order' | 'other', run: string | null, text: string }} Violation
 *
 * What is looked at (`Found`):
 * - `asked`: each start that was asked for: `marker`, `id` (of the run, once a start was answered by 201), `plan`
 * - `plans`: name to steps (`key`, `lines`, `failOn`, `exitCode`)
 * - `again`: how often a person asked to run a step of a run again, by `<marker> <step>`
 * - `evidence`: `Start[]` of all hosts, see evidence.mjs
 * - `runs`, `steps`, `hosts`, `results`, `outputs`, `events`, `audit`, `guardKeys`, `dispatches`: rows, see collect.mjs;
 *   `dispatches` is null where the product keeps no list of them
 */

const UNFINISHED = new Set(['PENDING', 'RUNNING', 'PAUSED', 'CANCELLING']);
const NEVER_SENT = new Set(['PENDING', 'CONNECTING', 'SKIPPED', 'UNREACHABLE', 'HOST_KEY_MISMATCH']);

/** Looks rows and evidence up by what they belong to. */
function indexOf(found) {
  const runs = new Map(found.runs.map((run) => [run.id, run]));
  const byMarker = new Map(found.runs.map((run) => [run.marker, run]));
  const hosts = new Map(found.hosts.map((row) => [`${row.run} ${row.server}`, row.host]));
  const keys = new Map(found.steps.map((row) => [`${row.run} ${row.index}`, row.key]));
  const place = (row) =>
    `${runs.get(row.run)?.marker} ${keys.get(`${row.run} ${row.index}`)} ${hosts.get(`${row.run} ${row.server}`)}`;
  const starts = Map.groupBy(found.evidence, placeOf);
  const results = new Map(found.results.map((row) => [place(row), row]));
  return { runs, byMarker, place, starts, results };
}

const placeOf = (start) => `${start.marker} ${start.step} ${start.host}`;

/** I1: every accepted run is stored, once, and ends, or waits for a named reason. */
export function everyAcceptedRunEnds(found) {
  const stored = Map.groupBy(found.runs, (run) => run.marker);
  const lost = found.asked
    .filter(({ id }) => id && !found.runs.some((run) => run.id === id))
    .map(({ id, marker }) => violation('I1', 'lost', id, `${marker} was answered by 201, and the run is not stored`));
  const doubled = [...stored]
    .filter(([, runs]) => runs.length > 1)
    .map(([marker, runs]) =>
      violation('I1', 'doubled', runs[1].id, `${marker} was asked for once and is ${runs.length} runs`),
    );
  const stuck = found.runs
    .filter((run) => UNFINISHED.has(run.status) && !(run.status === 'PAUSED' && run.pause?.reason))
    .map((run) =>
      violation('I1', 'stuck', run.id, `${run.marker} is still ${run.status}, epoch ${run.epoch}, owner ${run.owner}`),
    );
  return [...lost, ...doubled, ...stuck];
}

/** I2: a command starts at most once per dispatch, and once per host and step unless a person asked for more. */
export function startsAtMostOnce(found) {
  const { byMarker } = indexOf(found);
  const known = found.evidence.filter((start) => start.dispatchId);
  const perDispatch = [...Map.groupBy(known, (start) => start.dispatchId)]
    .filter(([, starts]) => starts.length > 1)
    .map(([id, starts]) =>
      violation('I2', 'doubled', byMarker.get(starts[0].marker)?.id, `dispatch ${id} began ${starts.length} times`),
    );
  const perPlace = [...Map.groupBy(found.evidence, placeOf)]
    .filter(([, [start, ...more]]) => more.length > (found.again[`${start.marker} ${start.step}`] ?? 0))
    .map(([place, starts]) =>
      violation('I2', 'doubled', byMarker.get(starts[0].marker)?.id, `${place} began ${starts.length} times`),
    );
  return [...perDispatch, ...perPlace];
}

/** I3: what starts on a host was committed as an intent before. */
export function startsHaveIntents(found) {
  const { byMarker, results } = indexOf(found);
  const committed = found.dispatches && new Set(found.dispatches.map((row) => row.dispatchId));
  return found.evidence
    .filter((start) => {
      if (committed && start.dispatchId) return !committed.has(start.dispatchId);
      return !results.get(placeOf(start))?.dispatchId;
    })
    .map((start) =>
      violation('I3', 'other', byMarker.get(start.marker)?.id, `${placeOf(start)} began without a stored intent`),
    );
}

/** I4: a reported exit code, 0 above all, is the one that the host saw. */
export function resultsWereObserved(found) {
  const { place, starts } = indexOf(found);
  return found.results.flatMap((row) => {
    const claimed = row.status === 'SUCCEEDED' ? 0 : row.status === 'FAILED' ? row.exitCode : null;
    if (claimed === null) return [];
    if ((starts.get(place(row)) ?? []).some((start) => start.exitCode === claimed)) return [];
    const kind = row.status === 'SUCCEEDED' ? 'false_success' : 'other';
    return [
      violation('I4', kind, row.run, `${place(row)} is ${row.status} (${claimed}), and its host saw no such end`),
    ];
  });
}

/** I5: "not started" means that nothing began. */
export function notStartedMeansNoStart(found) {
  const { place, starts } = indexOf(found);
  const says = (row) =>
    (NEVER_SENT.has(row.status) && row.attempts <= 1 && !found.again[place(row).split(' ').slice(0, 2).join(' ')]) ||
    /before the command was started/.test(row.message ?? '');
  return found.results
    .filter((row) => says(row) && starts.has(place(row)))
    .map((row) =>
      violation('I5', 'other', row.run, `${place(row)} is ${row.status}, "not started", and its host saw a start`),
    );
}

/** I6: commands of two runs never run on one host at the same time. */
export function runsNeverOverlap(found) {
  const { byMarker, results } = indexOf(found);
  // Without a journal a host whose result is UNKNOWN is given free again: who says so claims nothing about its command.
  const claims = (start) => found.dispatches !== null || results.get(placeOf(start))?.status !== 'UNKNOWN';
  return [...Map.groupBy(found.evidence, (start) => start.host)].flatMap(([host, starts]) => {
    const inOrder = starts.filter(claims).sort((a, b) => a.startedAt - b.startedAt);
    return inOrder.flatMap((start, at) =>
      inOrder
        .slice(at + 1)
        .filter((later) => later.marker !== start.marker && later.startedAt < start.lastAt)
        .map((later) =>
          violation(
            'I6',
            'doubled',
            byMarker.get(later.marker)?.id,
            `${host}: ${placeOf(later)} began while ${placeOf(start)} ran`,
          ),
        ),
    );
  });
}

/** I7: nothing is written or started by an older epoch; what is finished stays as it is. */
export function olderEpochsAreSilent(found) {
  const { runs } = indexOf(found);
  const late = [...Map.groupBy(found.events, (event) => event.run)].flatMap(([run, events]) => {
    const end = events.findIndex((event) => event.type === 'execution.finished');
    if (end < 0) return [];
    return events
      .slice(end + 1)
      .map((event) => violation('I7', 'other', run, `${runs.get(run)?.marker} got ${event.type} after its end`));
  });
  const ends = found.events.filter((event) => event.type === 'host.finished');
  const twice = [...Map.groupBy(ends, ({ run, data }) => `${run} ${data.stepKey} ${data.serverId}`)]
    .filter(
      ([, [{ run, data }, ...more]]) => more.length > (found.again[`${runs.get(run)?.marker} ${data.stepKey}`] ?? 0),
    )
    .map(([, events]) => {
      const words = events.map((event) => event.data.status).join(', ');
      return violation(
        'I7',
        'other',
        events[0].run,
        `${runs.get(events[0].run)?.marker} ${events[0].data.stepKey}: a host ended as ${words}`,
      );
    });
  return [...late, ...twice, ...startsByOlderEpochs(found)];
}

function startsByOlderEpochs(found) {
  const { byMarker } = indexOf(found);
  const epochs = new Map((found.dispatches ?? found.results).map((row) => [row.dispatchId, row.epoch]));
  const known = found.evidence.filter((start) => epochs.has(start.dispatchId));
  return [...Map.groupBy(known, (start) => `${start.host} ${start.marker}`)].flatMap(([, starts]) => {
    let highest = 0;
    return starts
      .sort((a, b) => a.startedAt - b.startedAt)
      .filter((start) => {
        const epoch = epochs.get(start.dispatchId);
        highest = Math.max(highest, epoch);
        return epoch < highest;
      })
      .map((start) =>
        violation('I7', 'order', byMarker.get(start.marker)?.id, `${placeOf(start)} was begun by an older epoch`),
      );
  });
}

/** I8: stored output is what the host printed, in order, from its beginning; all of it when the host succeeded. */
export function outputIsAPrefix(found) {
  const { place, starts, results } = indexOf(found);
  const stored = new Map(found.outputs.map((row) => [place(row), row.text]));
  const wrong = found.outputs.flatMap((row) => {
    const fault = faultOf(row.text, starts.get(place(row)) ?? []);
    return fault ? [violation('I8', 'other', row.run, `${place(row)}: ${fault}`)] : [];
  });
  const short = [...results].flatMap(([where, row]) => {
    if (row.status !== 'SUCCEEDED') return [];
    const last = (starts.get(where) ?? []).findLast((start) => start.exitCode === 0);
    if (!last) return []; // I4 tells of it
    const text = stored.get(where) ?? '';
    const count = text.split('\n').filter((line) => line.startsWith(`${last.nonce} `)).length;
    if (count === last.lines && (text === '' || text.endsWith('\n'))) return [];
    return [violation('I8', 'other', row.run, `${where} SUCCEEDED with ${count} of ${last.lines} lines stored`)];
  });
  return [...wrong, ...short];
}

/** Blocks of lines, one for each start, each counting from 1 to at most what its host has on record. */
function faultOf(text, starts) {
  const lines = text.split('\n');
  const open = lines.pop();
  const seen = new Set();
  let [nonce, count] = [null, 0];
  for (const line of lines) {
    const [of, number] = line.split(' ');
    if (of !== nonce) {
      if (seen.has(of)) return `lines of ${of} come twice`;
      seen.add(of);
      [nonce, count] = [of, 0];
    }
    count += 1;
    if (Number(number) !== count) return `line ${number} of ${of} stands where ${count} should`;
    const start = starts.find((each) => each.nonce === of);
    if (!start) return `a line that no command of the host printed: ${line.slice(0, 60)}`;
    if (start.lines < count) return `line ${count} of ${of}, which its host never printed`;
  }
  if (open === '') return null;
  const known = starts.some(({ nonce: of }) => `${of} `.startsWith(open.slice(0, of.length + 1)));
  return known ? null : `a piece that no command of the host printed: ${open.slice(0, 60)}`;
}

/** I9: one audit entry for each transition, and the last one tells the status that the run has. */
export function everyTransitionIsAudited(found) {
  const { runs } = indexOf(found);
  const entries = Map.groupBy(
    found.audit.filter((entry) => entry.before !== entry.after),
    (entry) => entry.run,
  );
  const changes = Map.groupBy(
    found.events.filter((event) => event.type === 'execution.status_changed'),
    (event) => event.run,
  );
  return [...runs.values()].flatMap(({ id, marker, status }) => {
    const told = (changes.get(id) ?? []).map(({ data }) => `${data.previous ?? ''}>${data.status}`);
    const audited = (entries.get(id) ?? []).map(({ before, after }) => `${before ?? ''}>${after}`);
    const faults = [];
    if (told.toSorted().join() !== audited.toSorted().join())
      faults.push(`${marker} went ${told.join(' ')}, and the audit trail says ${audited.join(' ')}`);
    if (told.at(-1)?.split('>')[1] !== status)
      faults.push(`${marker} is ${status}, and its last change was ${told.at(-1)}`);
    const broken = told.find((change, at) => at > 0 && change.split('>')[0] !== told[at - 1].split('>')[1]);
    if (broken) faults.push(`${marker} went ${told.join(' ')}, which is no way`);
    return faults.map((text) => violation('I9', 'order', id, text));
  });
}

/** I10: no guard key without an active run or, with a journal, a host whose result is UNKNOWN; no active run, and no such host, without its keys. */
export function guardKeysBelong(found) {
  const { runs } = indexOf(found);
  const hostKeys = new Map(found.hosts.map((row) => [`${row.run} ${row.server}`, `host:${row.hostname}:${row.port}`]));
  const lost = found.results.filter((row) => found.dispatches && row.status === 'UNKNOWN');
  const kept = new Set(lost.map(({ run, server }) => `${run} ${hostKeys.get(`${run} ${server}`)}`));
  const orphans = found.guardKeys
    .filter(({ run, key }) => !UNFINISHED.has(runs.get(run)?.status) && !kept.has(`${run} ${key}`))
    .map(({ run, key }) => violation('I10', 'other', run, `${key} is held by a run that is ${runs.get(run)?.status}`));
  const held = new Set(found.guardKeys.map(({ run, key }) => `${run} ${key}`));
  const bare = found.hosts
    .filter(
      ({ run, hostname, port }) =>
        UNFINISHED.has(runs.get(run)?.status) && !held.has(`${run} host:${hostname}:${port}`),
    )
    .map(({ run, host }) =>
      violation('I10', 'other', run, `${runs.get(run)?.marker} is not finished and does not hold ${host}`),
    );
  const freed = [...kept]
    .filter((each) => !held.has(each))
    .map((each) => {
      const [run, key] = each.split(' ');
      return violation('I10', 'other', run, `${key} is free, and nobody knows what became of a command there`);
    });
  return [...orphans, ...bare, ...freed];
}

/** Steps are barriers: no command of a later step begins before those of an earlier one have ended, nor on a host that failed it. */
export function stepsAreBarriers(found) {
  const { byMarker, results } = indexOf(found);
  const known = found.evidence.filter((start) => byMarker.has(start.marker));
  return [...Map.groupBy(known, (start) => start.marker)].flatMap(([marker, starts]) => {
    const run = byMarker.get(marker);
    const order = found.steps.filter((step) => step.run === run.id).sort((a, b) => a.index - b.index);
    const at = new Map(order.map((step) => [step.key, step.index]));
    return starts.flatMap((start) => {
      const early = starts.find((other) => at.get(other.step) > at.get(start.step) && other.startedAt < start.lastAt);
      if (!early || results.get(placeOf(start))?.status === 'UNKNOWN') return [];
      return [violation('order', 'order', run.id, `${placeOf(early)} began before ${placeOf(start)} had ended`)];
    });
  });
}

export const INVARIANTS = [
  everyAcceptedRunEnds,
  startsAtMostOnce,
  startsHaveIntents,
  resultsWereObserved,
  notStartedMeansNoStart,
  runsNeverOverlap,
  olderEpochsAreSilent,
  outputIsAPrefix,
  everyTransitionIsAudited,
  guardKeysBelong,
  stepsAreBarriers,
];

/** @returns {Violation[]} all that is broken */
export const check = (found) => INVARIANTS.flatMap((invariant) => invariant(found));

const violation = (invariant, kind, run, text) => ({ invariant, kind, run: run ?? null, text });
