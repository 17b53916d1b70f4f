import { UNFINISHED_STATUSES, violation } from './lookup.mjs';

/** Upper limit for the interval at which expired pauses are ended, in ms. */
const SWEEP_MS = 20_000;

/** I1: every accepted run is stored once. It ends, or waits for a named reason. */
export function everyAcceptedRunEnds({ startRequests, runs, now }) {
  const stored = Map.groupBy(runs, (run) => run.marker);
  const lost = startRequests
    .filter(({ id }) => id && !runs.some((run) => run.id === id))
    .map(({ id, marker }) => violation('I1', 'lost', id, `${marker} was answered with 201, but the run is not stored`));
  const doubledMarkers = [...stored]
    .filter(([, all]) => all.length > 1)
    .map(([marker, all]) =>
      violation('I1', 'doubled', all[1].id, `${marker} was requested once and became ${all.length} runs`),
    );
  const known = new Set(startRequests.map(({ marker }) => marker));
  const unrequestedRuns = runs
    .filter((run) => !known.has(run.marker))
    .map((run) => violation('I1', 'doubled', run.id, `${run.marker ?? run.id} was never requested`));
  const late = (run) => run.status === 'PAUSED' && run.pauseExpiresAt !== null && run.pauseExpiresAt < now - SWEEP_MS;
  const stuck = runs
    .filter(
      (run) => UNFINISHED_STATUSES.has(run.status) && (!(run.status === 'PAUSED' && run.pause?.reason) || late(run)),
    )
    .map((run) =>
      violation('I1', 'stuck', run.id, `${run.marker} is still ${run.status}, epoch ${run.epoch}, owner ${run.owner}`),
    );
  return [...lost, ...doubledMarkers, ...unrequestedRuns, ...stuck];
}

/** I1: no run ends because of an engine failure. */
export function engineDoesNotFail({ runs, slices }) {
  const brokenRuns = runs
    .filter((run) => run.code === 'engine_failed')
    .map((run) => violation('I1', 'other', run.id, `${run.marker} ended with an engine failure`));
  const brokenSlices = slices
    .filter((slice) => slice.fault !== null)
    .map((slice) => violation('I1', 'other', slice.run, `a slice failed: ${slice.fault}`));
  return [...brokenRuns, ...brokenSlices];
}
