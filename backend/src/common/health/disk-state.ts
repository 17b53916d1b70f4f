/** `low`: a warning is due. `too_low`: new runs are refused. */
export type DiskState = 'ok' | 'low' | 'too_low';

const LOW_SPACE_FACTOR = 2;

/** @param freeMib in MiB @param minFreeMib in MiB; 0 = no minimum */
export function toDiskState(freeMib: number, minFreeMib: number): DiskState {
  if (freeMib < minFreeMib) return 'too_low';
  return freeMib < minFreeMib * LOW_SPACE_FACTOR ? 'low' : 'ok';
}
