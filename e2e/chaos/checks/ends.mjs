import { UNFINISHED, violation } from './lookup.mjs';

/** A pause whose time is over is ended by a sweep, which comes round in less than this, in ms. */
const SWEEP_MS = 20_000;

/** I1: every accepted run is stored, once, and ends, or waits for a named reason. */
export function everyAcceptedRunEnds({ asked, runs, now }) {
  const stored = Map.groupBy(runs, (run) => run.marker);
  const lost = asked
    .filter(({ id }) => id && !runs.some((run) => run.id === id))
    .map(({ id, marker }) => violation('I1', 'lost', id, `${marker} was answered by 201, and the run is not stored`));
  const doubled = [...stored]
    .filter(([, all]) => all.length > 1)
    .map(([marker, all]) =>
      violation('I1', 'doubled', all[1].id, `${marker} was asked for once and is ${all.length} runs`),
    );
  const known = new Set(asked.map(({ marker }) => marker));
  const unasked = runs
    .filter((run) => !known.has(run.marker))
    .map((run) => violation('I1', 'doubled', run.id, `nobody asked for ${run.marker ?? run.id}`));
  const late = (run) => run.status === 'PAUSED' && run.pauseExpiresAt !== null && run.pauseExpiresAt < now - SWEEP_MS;
  const stuck = runs
    .filter((run) => UNFINISHED.has(run.status) && (!(run.status === 'PAUSED' && run.pause?.reason) || late(run)))
    .map((run) =>
      violation('I1', 'stuck', run.id, `${run.marker} is still ${run.status}, epoch ${run.epoch}, owner ${run.owner}`),
    );
  return [...lost, ...doubled, ...unasked, ...stuck];
}

/** No fault of the engine itself ends a run. */
export function nothingIsBrokenOff({ runs, slices }) {
  const runsBroken = runs
    .filter((run) => run.code === 'engine_failed')
    .map((run) => violation('I1', 'other', run.id, `${run.marker} was broken off by a fault of the engine`));
  const slicesBroken = slices
    .filter((slice) => slice.fault !== null)
    .map((slice) => violation('I1', 'other', slice.run, `a slice was broken off: ${slice.fault}`));
  return [...runsBroken, ...slicesBroken];
}
