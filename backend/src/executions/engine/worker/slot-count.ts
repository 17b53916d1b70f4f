export interface WorkerLoad {
  /** Utilization of the event loop, from 0 to 1. */
  busy: number;
  hasWaitingHosts: boolean;
}

/** Initial number of host slots. It ignores the load, because a host that waits for its command costs little. */
export const INITIAL_SLOTS = 50;
const MIN_SLOTS = 20;
/** Below `LOW_UTILIZATION` the worker has time for more hosts; above `HIGH_UTILIZATION` it has too many. */
const LOW_UTILIZATION = 0.7;
const HIGH_UTILIZATION = 0.95;
const SLOT_INCREMENT = 10;

/**
 * Returns the new number of host slots for the measured load. It grows when the thread has time and hosts wait, and
 * shrinks by a tenth when the thread is saturated.
 * @param limit upper limit from the settings
 */
export function computeNextSlotCount(places: number, { busy, hasWaitingHosts }: WorkerLoad, limit: number): number {
  if (busy > HIGH_UTILIZATION) return Math.min(limit, Math.max(MIN_SLOTS, Math.floor(places * 0.9)));
  return busy < LOW_UTILIZATION && hasWaitingHosts ? Math.min(limit, places + SLOT_INCREMENT) : places;
}
