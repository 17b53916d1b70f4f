import { hostStepOfStart, CLOCK_TOLERANCE_MS, STOPPED_STATUSES, violation } from './lookup.mjs';

const MAX_RESTARTS = 3;
const OUTCOMES_NEVER_SENT = new Set(['SKIPPED', 'UNREACHABLE', 'HOST_KEY_CHANGED']);
const CODES_BEFORE_SEND = new Set(['exec_refused', 'cannot_render']);

/**
 * I2: a command starts at most once per dispatch and attempt, and once per outcome. Only idempotent commands may
 * restart.
 */
export function startsAtMostOnce({ evidence }, at) {
  const known = evidence.filter((start) => start.dispatchId);
  const more = (groups, words) =>
    [...groups]
      .filter(([, starts]) => starts.length > 1)
      .map(([key, starts]) =>
        violation('I2', 'doubled', starts[0].run, `${words(key, starts[0])} started ${starts.length} times`),
      );
  const attemptOf = (start) => at.dispatches.get(start.dispatchId)?.attempt ?? start.attempt;
  const perOutcome = [...at.outcomes].flatMap(([hostStep, outcomes]) => {
    const [run, key] = hostStep.split(' ');
    const maxStarts = at.step(run, key)?.idempotent ? 1 + MAX_RESTARTS : 1;
    return outcomes
      .filter(({ starts }) => starts.length > maxStarts)
      .map(({ status, starts }) =>
        violation('I2', 'doubled', run, `${at.say(hostStep)} started ${starts.length} times before it was ${status}`),
      );
  });
  return [
    ...more(
      Map.groupBy(known, (start) => start.dispatchId),
      (id) => `dispatch ${id}`,
    ),
    ...more(
      Map.groupBy(evidence, (start) => `${hostStepOfStart(start)} ${attemptOf(start)}`),
      (_, start) => `${at.say(hostStepOfStart(start))}, attempt ${attemptOf(start)},`,
    ),
    ...perOutcome,
  ];
}

/** I2: a step has exactly as many attempts as its retries require, unless a user requested more. */
export function attemptsMatchRetries(_found, at) {
  return [...at.outcomes].flatMap(([hostStep, outcomes]) => {
    const [run, key] = hostStep.split(' ');
    const count = at.step(run, key)?.retries?.count ?? 0;
    const faults = [];
    let made = 0;
    for (const { final, status, code } of outcomes) {
      if (!final) {
        made += 1;
        continue;
      }
      if (made > count) faults.push(`had ${made} retries but allows ${count}`);
      const tried = ['FAILED', 'TIMED_OUT', 'UNREACHABLE'].includes(status) && code !== 'cannot_render';
      const stopped = STOPPED_STATUSES.has(at.runs.get(run)?.status);
      if (tried && made < count && !stopped && code !== 'run_timed_out')
        faults.push(`ended as ${status} after ${made} of ${count} retries`);
      made = 0;
    }
    return faults.map((text) => violation('I2', 'other', run, `${at.say(hostStep)} ${text}`));
  });
}

/** I2: an attempt on a host starts after the previous one ended. */
export function attemptsFollowEachOther(_found, at) {
  return [...at.starts].flatMap(([hostStep, starts]) => {
    if (at.lost.has(hostStep)) return [];
    const inOrder = starts.toSorted((a, b) => a.startedAt - b.startedAt);
    const earlyStart = inOrder.find((start, index) => index > 0 && start.startedAt < inOrder[index - 1].lastAt);
    // An idempotent command restarts only after the host reported that the previous start is gone.
    return earlyStart
      ? [violation('I2', 'order', earlyStart.run, `${at.say(hostStep)} started while the previous attempt ran`)]
      : [];
  });
}

/** I3: for every start on a host, an intent was committed before. */
export function startsHaveIntents({ evidence }, at) {
  return evidence
    .filter((start) => {
      const intent = at.dispatches.get(start.dispatchId);
      return !intent || at.hostStepOf(intent) !== hostStepOfStart(start) || intent.attempt !== start.attempt;
    })
    .map((start) =>
      violation('I3', 'other', start.run, `${at.say(hostStepOfStart(start))} started without a stored intent`),
    );
}

/** I5: a command that is reported as not started has not started. */
export function notStartedMeansNoStart(_found, at) {
  const mentionsStart = ({ status, code, message }) =>
    OUTCOMES_NEVER_SENT.has(status) ||
    CODES_BEFORE_SEND.has(code) ||
    /before the command was started/.test(message ?? '');
  return [...at.outcomes].flatMap(([hostStep, outcomes]) =>
    outcomes
      .filter((outcome) => mentionsStart(outcome) && outcome.starts.length > 0)
      .map(({ status, code }) =>
        violation(
          'I5',
          'other',
          hostStep.split(' ')[0],
          `${at.say(hostStep)} is ${status} (${code}), "not started", but its host recorded a start`,
        ),
      ),
  );
}

/** I7: a worker with an older epoch writes and starts nothing, and finished runs do not change. */
export function olderEpochsWriteNothing(_found, at) {
  return [
    ...writtenAfterTheEnd(at),
    ...findRepeatedEnds(at),
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
      .map((event) => violation('I7', 'other', run, `${at.say(run)} got ${event.type} after it finished`));
  });
}

function findRepeatedEnds(at) {
  return [...at.outcomes].flatMap(([hostStep, outcomes]) => {
    const run = hostStep.split(' ')[0];
    const ends = outcomes.filter(({ final }) => final);
    const words = ends.map(({ status }) => status).join(', ');
    const faults = [];
    if (ends.length > 1 + at.retriesByUser(hostStep).length) faults.push(`ended as ${words}`);
    const { status } = at.results.get(hostStep) ?? {};
    const open = ['PENDING', 'CONNECTING', 'RUNNING'].includes(status);
    if (ends.length > 0 && !open && ends.at(-1).status !== status)
      faults.push(`is ${status}, but was reported as ${words}`);
    return faults.map((text) => violation('I7', 'other', run, `${at.say(hostStep)} ${text}`));
  });
}

/** Compares each intent with the state of its run, as recorded by a trigger in the same transaction. */
function intentsOfOthers(at) {
  return [...at.dispatches.values()].flatMap((row) => {
    const say = (text) => [violation('I7', 'other', row.run, `an intent of ${at.say(at.hostStepOf(row))} ${text}`)];
    if (!['RUNNING', 'CANCELLING'].includes(row.status)) return say(`was stored while the run was ${row.status}`);
    const epoch = row.sliced ? row.sliceEpoch : row.runEpoch;
    return row.epoch === epoch ? [] : say(`has epoch ${row.epoch}, but its owner has ${epoch}`);
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
        return sent < newest && !at.lost.has(hostStepOfStart(start));
      })
      .map((start) =>
        violation('I7', 'order', start.run, `${at.say(hostStepOfStart(start))} started after a later dispatch`),
      );
  });
}

function startsAfterTheEnd(at) {
  return at.found.evidence
    .filter((start) => {
      const finishedAt = at.runs.get(start.run)?.finishedAt ?? null;
      return (
        finishedAt !== null &&
        at.startTimeMs(start) > finishedAt + CLOCK_TOLERANCE_MS &&
        !at.lost.has(hostStepOfStart(start))
      );
    })
    .map((start) =>
      violation('I7', 'order', start.run, `${at.say(hostStepOfStart(start))} started after the run's end`),
    );
}
