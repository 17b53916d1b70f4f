import { hostStepOfStart, CLOCK_TOLERANCE_MS, violation } from './lookup.mjs';

/**
 * A command of a protected run starts only after enough members other than the requester approved. It never starts
 * after a rejection.
 */
export function nothingStartsUnapproved({ approvals }, at) {
  const unfoundedApprovals = approvals.flatMap(({ run, state, required, requestedBy, decisions }) => {
    const users = new Set(decisions.filter(({ decision }) => decision === 'approved').map(({ user }) => user));
    if (state !== 'approved' || (users.size >= required && !users.has(requestedBy))) return [];
    return [violation('approval', 'order', run, `${at.say(run)} is approved by ${users.size} of ${required}`)];
  });
  const isProtected = (run) => at.plan(run)?.environment === 'guarded';
  const sent = [...at.dispatches.values()]
    .filter(({ run, approval }) => approval !== 'approved' && (isProtected(run) || approval !== null))
    .map((row) =>
      violation(
        'approval',
        'order',
        row.run,
        `${at.say(at.hostStepOf(row))} was sent while its approval was ${row.approval}`,
      ),
    );
  const earlyStarts = at.found.evidence
    .filter((start) => {
      if (!isProtected(start.run)) return false;
      const approved = at.events
        .get(start.run)
        ?.find(({ data }) => data.previous === 'PAUSED' && data.status === 'PENDING');
      return !approved || at.startTimeMs(start) < approved.at - CLOCK_TOLERANCE_MS;
    })
    .map((start) =>
      violation('approval', 'order', start.run, `${at.say(hostStepOfStart(start))} started before it was approved`),
    );
  return [...unfoundedApprovals, ...sent, ...earlyStarts];
}

/**
 * A step with confirmation starts only after a user confirmed it. Steps after a gate start only after the gate was
 * opened.
 */
export function confirmationsAreRespected(_found, at) {
  return [...at.runs.values()].flatMap((run) => {
    const sent = [...at.dispatches.values()].filter((row) => row.run === run.id);
    const confirmedAt = new Map(at.decisions(run.id, /^proceed$/).map(({ data, at: when }) => [data.stepKey, when]));
    const asks = (step) =>
      step.type === 'gate' || run.mode === 'interactive' || (run.mode === 'semi_assisted' && step.confirm);
    const from = run.fromStep ? at.indexOf(run.id, run.fromStep) : 0;
    return (at.plan(run.id)?.steps ?? []).filter(asks).flatMap((step) => {
      const index = at.indexOf(run.id, step.key);
      if (index < from) return [];
      const reached = (row) =>
        step.type === 'gate' ? row.index > index && !isSkipped(at, run, step) : row.index === index;
      const earlyStarts = sent.find((row) => reached(row) && !(confirmedAt.get(step.key) <= row.at));
      if (!earlyStarts) return [];
      return [
        violation(
          'pause',
          'order',
          run.id,
          `${at.say(at.hostStepOf(earlyStarts))} was sent, but no user confirmed ${step.key}`,
        ),
      ];
    });
  });
}

const isSkipped = (at, run, { key }) => at.steps.get(run.id)?.find((step) => step.key === key)?.status === 'SKIPPED';

export const nothingIsSentAfterAbort = (_found, at) =>
  [...at.dispatches.values()].flatMap((row) => {
    const ended = at.decisions(row.run, /^abort$/).find((event) => event.at < row.at);
    return ended
      ? [violation('pause', 'order', row.run, `${at.say(at.hostStepOf(row))} was sent after the run was aborted`)]
      : [];
  });
