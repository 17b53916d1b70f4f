/** What a worker saw of itself since it looked last. */
export interface WorkerLoad {
  /** Share of the time in which its event loop was at work, from 0 to 1. */
  busy: number;
  /** Hosts wait for a place although all are taken. */
  wanted: boolean;
}

/** So many places a worker begins with, and keeps however busy it is: hosts that wait for their commands cost nothing. */
export const FIRST_PLACES = 50;
const LEAST_PLACES = 20;
/** Below this there is time for more hosts, above that for fewer. */
const EASY = 0.7;
const FULL = 0.95;
const MORE_PLACES = 10;

/**
 * How many hosts a worker has in flight from now on, by what its thread can carry: some more while it has time left and
 * others wait, a tenth fewer while it has none. Always within what the setting allows.
 * @param most what the setting allows
 */
export function nextPlaces(places: number, { busy, wanted }: WorkerLoad, most: number): number {
  if (busy > FULL) return Math.min(most, Math.max(LEAST_PLACES, Math.floor(places * 0.9)));
  return busy < EASY && wanted ? Math.min(most, places + MORE_PLACES) : places;
}
