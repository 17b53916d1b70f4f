/** `low`: a warning is due. `too_low`: new runs are refused. */
export type DiskState = 'ok' | 'low' | 'too_low';

/** Free space below this multiple of the minimum is low. */
const LOW_FACTOR = 2;

/** @param free in MiB @param minFree minimum in MiB; 0: none */
export function diskState(free: number, minFree: number): DiskState {
  if (free < minFree) return 'too_low';
  return free < minFree * LOW_FACTOR ? 'low' : 'ok';
}
