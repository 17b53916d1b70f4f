export const SHARED_SLICE_HOSTS = 100;
/**
 * Hosts per slice for a single worker. Slices then only limit how much is loaded at once, and each slice stores its own
 * events. On 200 hosts, one slice instead of two makes a further step a quarter faster.
 */
const SINGLE_WORKER_SLICE_HOSTS = 250;

/**
 * Returns the number of hosts per slice. A step with at most that many hosts needs no slices.
 * @param setting null: chosen by the number of workers
 */
export async function chooseSliceSize(
  hosts: number,
  setting: number | null,
  livingWorkers: () => Promise<number>,
): Promise<number> {
  if (setting !== null) return setting;
  if (hosts <= SHARED_SLICE_HOSTS) return SHARED_SLICE_HOSTS;
  return (await livingWorkers()) > 1 ? SHARED_SLICE_HOSTS : SINGLE_WORKER_SLICE_HOSTS;
}
