const FIRST_LOOK_MS = 20;
/** What is waited for long is looked at less often: each look costs what is waited for processor time. */
const SHARE_OF_WAIT = 0.1;
const LAST_LOOK_MS = 200;

/** What counts as found. */
type Found<T> = Exclude<T, false | null | undefined>;

/** Looks until `look` answers something, and answers that. @throws Error with `what` after `ms` */
export async function eventually<T>(what: string, look: () => T | Promise<T>, ms = 60_000): Promise<Found<T>> {
  const start = performance.now();
  for (;;) {
    const found = await look();
    if (found) return found as Found<T>;
    const waited = performance.now() - start;
    if (waited > ms) throw new Error(`It did not come about within ${ms} ms: ${what}.`);
    const pause = Math.min(LAST_LOOK_MS, Math.max(FIRST_LOOK_MS, waited * SHARE_OF_WAIT));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
