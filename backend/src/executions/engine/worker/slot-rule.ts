export interface WorkerLoad {
  /** Utilization of the event loop, from 0 to 1. */
  busy: number;
  /** Hosts wait for a slot although all are taken. */
  wanted: boolean;
}

/** Initial host slots, at any load: hosts that wait for their commands cost little. */
export const FIRST_PLACES = 50;
const LEAST_PLACES = 20;
/** Below `EASY` more hosts fit; above `FULL` there are too many. */
const EASY = 0.7;
const FULL = 0.95;
const MORE_PLACES = 10;

/**
 * Returns the new number of host slots for the measured load: more when the thread has time and hosts wait, a tenth
 * fewer when it is saturated.
 * @param most upper limit from the settings
 */
export function nextPlaces(places: number, { busy, wanted }: WorkerLoad, most: number): number {
  if (busy > FULL) return Math.min(most, Math.max(LEAST_PLACES, Math.floor(places * 0.9)));
  return busy < EASY && wanted ? Math.min(most, places + MORE_PLACES) : places;
}
