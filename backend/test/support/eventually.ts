const FIRST_LOOK_MS = 20;
/** Longer waits poll less often, because polling takes CPU time from the awaited work. */
const SHARE_OF_WAIT = 0.1;
const LAST_LOOK_MS = 200;

type Found<T> = Exclude<T, false | null | undefined>;

/** Polls until `probe` returns a truthy result, and returns that result. @throws Error with `what` after `ms` */
export async function eventually<T>(what: string, probe: () => T | Promise<T>, ms = 60_000): Promise<Found<T>> {
  const start = performance.now();
  for (;;) {
    const found = await probe();
    if (found) return found as Found<T>;
    const waited = performance.now() - start;
    if (waited > ms) throw new Error(`It did not come about within ${ms} ms: ${what}.`);
    const pause = Math.min(LAST_LOOK_MS, Math.max(FIRST_LOOK_MS, waited * SHARE_OF_WAIT));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
