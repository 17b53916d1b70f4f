export interface WorkerLoad {
  /** Utilization of the event loop, from 0 to 1. */
  busy: number;
  /** Hosts wait for a slot although all are taken. */
  hostsWait: boolean;
}

/** Initial host slots, at any load: hosts that wait for their commands cost little. */
export const INITIAL_SLOTS = 50;
const MIN_SLOTS = 20;
/** Below `EASY` more hosts fit; above `FULL` there are too many. */
const EASY = 0.7;
const FULL = 0.95;
const SLOT_INCREMENT = 10;

/**
 * Returns the new number of host slots for the measured load: more when the thread has time and hosts wait, a tenth
 * fewer when it is saturated.
 * @param most upper limit from the settings
 */
export function nextSlotCount(places: number, { busy, hostsWait: wanted }: WorkerLoad, most: number): number {
  if (busy > FULL) return Math.min(most, Math.max(MIN_SLOTS, Math.floor(places * 0.9)));
  return busy < EASY && wanted ? Math.min(most, places + SLOT_INCREMENT) : places;
}
