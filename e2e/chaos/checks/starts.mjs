import { placeOfStart, SLACK_MS, STOPPED, violation } from './lookup.mjs';

/** A command that may be started again by itself is started so often at the most. */
const RESTARTS = 3;
const NEVER_SENT = new Set(['SKIPPED', 'UNREACHABLE', 'HOST_KEY_MISMATCH']);
const NOTHING_SENT = new Set(['exec_refused', 'cannot_render']);

/** I2: a command starts at most once per dispatch and attempt, and once for each outcome that was told, but for what may start again by itself. */
export function startsAtMostOnce({ evidence }, at) {
  const known = evidence.filter((start) => start.dispatchId);
  const more = (groups, words) =>
    [...groups]
      .filter(([, starts]) => starts.length > 1)
      .map(([key, starts]) =>
        violation('I2', 'doubled', starts[0].run, `${words(key, starts[0])} began ${starts.length} times`),
      );
  const attemptOf = (start) => at.dispatches.get(start.dispatchId)?.attempt ?? start.attempt;
  const perOutcome = [...at.outcomes].flatMap(([place, outcomes]) => {
    const [run, key] = place.split(' ');
    const most = at.step(run, key)?.idempotent ? 1 + RESTARTS : 1;
    return outcomes
      .filter(({ starts }) => starts.length > most)
      .map(({ status, starts }) =>
        violation('I2', 'doubled', run, `${at.say(place)} began ${starts.length} times before it was ${status}`),
      );
  });
  return [
    ...more(
      Map.groupBy(known, (start) => start.dispatchId),
      (id) => `dispatch ${id}`,
    ),
    ...more(
      Map.groupBy(evidence, (start) => `${placeOfStart(start)} ${attemptOf(start)}`),
      (_, start) => `${at.say(placeOfStart(start))}, attempt ${attemptOf(start)},`,
    ),
    ...perOutcome,
  ];
}

/** I2: attempts come from the step's own retries, as many as it has, or from a person; a step that has retries left uses them. */
export function attemptsAreAskedFor(_found, at) {
  return [...at.outcomes].flatMap(([place, outcomes]) => {
    const [run, key] = place.split(' ');
    const count = at.step(run, key)?.retries?.count ?? 0;
    const faults = [];
    let made = 0;
    for (const { final, status, code } of outcomes) {
      if (!final) {
        made += 1;
        continue;
      }
      if (made > count) faults.push(`was tried again ${made} times and has ${count} retries`);
      const tried = ['FAILED', 'TIMED_OUT', 'UNREACHABLE'].includes(status) && code !== 'cannot_render';
      const stopped = STOPPED.has(at.runs.get(run)?.status);
      if (tried && made < count && !stopped && code !== 'run_timed_out')
        faults.push(`was given up as ${status} after ${made} of ${count} retries`);
      made = 0;
    }
    return faults.map((text) => violation('I2', 'other', run, `${at.say(place)} ${text}`));
  });
}

/** I2: one attempt on a host begins after the one before has ended. */
export function attemptsFollowEachOther(_found, at) {
  return [...at.starts].flatMap(([place, starts]) => {
    if (at.lost.has(place)) return [];
    const inOrder = starts.toSorted((a, b) => a.startedAt - b.startedAt);
    const early = inOrder.find((start, index) => index > 0 && start.startedAt < inOrder[index - 1].lastAt);
    // One that may be started again by itself is so once the host says that it is gone.
    return early ? [violation('I2', 'order', early.run, `${at.say(place)} began while an attempt before ran`)] : [];
  });
}

/** I3: what starts on a host was committed as an intent before. */
export function startsHaveIntents({ evidence }, at) {
  return evidence
    .filter((start) => {
      const intent = at.dispatches.get(start.dispatchId);
      return !intent || at.place(intent) !== placeOfStart(start) || intent.attempt !== start.attempt;
    })
    .map((start) =>
      violation('I3', 'other', start.run, `${at.say(placeOfStart(start))} began without a stored intent`),
    );
}

/** I5: "not started" means that nothing began. */
export function notStartedMeansNoStart(_found, at) {
  const says = ({ status, code, message }) =>
    NEVER_SENT.has(status) || NOTHING_SENT.has(code) || /before the command was started/.test(message ?? '');
  return [...at.outcomes].flatMap(([place, outcomes]) =>
    outcomes
      .filter((outcome) => says(outcome) && outcome.starts.length > 0)
      .map(({ status, code }) =>
        violation(
          'I5',
          'other',
          place.split(' ')[0],
          `${at.say(place)} is ${status} (${code}), "not started", and its host saw a start`,
        ),
      ),
  );
}

/** I7: nothing is written or started by an older epoch; what is finished stays as it is. */
export function olderEpochsAreSilent(_found, at) {
  return [
    ...writtenAfterTheEnd(at),
    ...endedAgain(at),
    ...intentsOfOthers(at),
    ...startsOutOfOrder(at),
    ...startsAfterTheEnd(at),
  ];
}

function writtenAfterTheEnd(at) {
  return [...at.events].flatMap(([run, events]) => {
    const end = events.findIndex((event) => event.type === 'execution.finished');
    if (end < 0) return [];
    return events
      .slice(end + 1)
      .filter(({ type }) => type !== 'host.resolved')
      .map((event) => violation('I7', 'other', run, `${at.say(run)} got ${event.type} after its end`));
  });
}

function endedAgain(at) {
  return [...at.outcomes].flatMap(([place, outcomes]) => {
    const run = place.split(' ')[0];
    const ends = outcomes.filter(({ final }) => final);
    const words = ends.map(({ status }) => status).join(', ');
    const faults = [];
    if (ends.length > 1 + at.reopenings(place).length) faults.push(`ended as ${words}`);
    const { status } = at.results.get(place) ?? {};
    const open = ['PENDING', 'CONNECTING', 'RUNNING'].includes(status);
    if (ends.length > 0 && !open && ends.at(-1).status !== status)
      faults.push(`is ${status}, and was told as ${words}`);
    return faults.map((text) => violation('I7', 'other', run, `${at.say(place)} ${text}`));
  });
}

/** What a trigger saw in the transaction of each intent. */
function intentsOfOthers(at) {
  return [...at.dispatches.values()].flatMap((row) => {
    const say = (text) => [violation('I7', 'other', row.run, `an intent of ${at.say(at.place(row))} ${text}`)];
    if (!['RUNNING', 'CANCELLING'].includes(row.status)) return say(`was stored while the run was ${row.status}`);
    const epoch = row.sliced ? row.sliceEpoch : row.runEpoch;
    return row.epoch === epoch ? [] : say(`carries the epoch ${row.epoch}, and its owner's is ${epoch}`);
  });
}

function startsOutOfOrder(at) {
  const known = at.found.evidence.filter((start) => at.dispatches.has(start.dispatchId));
  return [...Map.groupBy(known, (start) => `${start.host} ${start.run}`)].flatMap(([, starts]) => {
    let newest = -Infinity;
    return starts
      .toSorted((a, b) => a.startedAt - b.startedAt)
      .filter((start) => {
        const sent = at.dispatches.get(start.dispatchId).at;
        newest = Math.max(newest, sent);
        return sent < newest && !at.lost.has(placeOfStart(start));
      })
      .map((start) =>
        violation('I7', 'order', start.run, `${at.say(placeOfStart(start))} began after what was sent later`),
      );
  });
}

function startsAfterTheEnd(at) {
  return at.found.evidence
    .filter((start) => {
      const finishedAt = at.runs.get(start.run)?.finishedAt ?? null;
      return finishedAt !== null && at.beganAt(start) > finishedAt + SLACK_MS && !at.lost.has(placeOfStart(start));
    })
    .map((start) => violation('I7', 'order', start.run, `${at.say(placeOfStart(start))} began after the run's end`));
}
