/** Hosts of a slice where several workers share a run. */
export const SHARED_HOSTS = 100;
/**
 * Where one worker has the run to itself, slices only bound how much of it is loaded at a time, and each stores what
 * happens by itself: with one in place of two a further step of 200 hosts takes a quarter less time.
 */
const ALONE_HOSTS = 250;

/**
 * How many hosts a slice has, for a step with so many hosts. Who has no more needs no slices.
 * @param setting null: it is to fit the number of workers
 */
export async function sliceHostsOf(
  hosts: number,
  setting: number | null,
  livingWorkers: () => Promise<number>,
): Promise<number> {
  if (setting !== null) return setting;
  if (hosts <= SHARED_HOSTS) return SHARED_HOSTS;
  return (await livingWorkers()) > 1 ? SHARED_HOSTS : ALONE_HOSTS;
}
