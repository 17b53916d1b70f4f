const FIRST_POLL_MS = 20;
/** Longer waits poll less often, because polling takes CPU time from the awaited work. */
const POLL_SHARE_OF_WAIT = 0.1;
const MAX_POLL_MS = 200;

type NonEmpty<T> = Exclude<T, false | null | undefined>;

/**
 * Polls until two reads in a row return the same, and returns that value. A host that is stopped for longer than the
 * pause makes the caller's test weaker, never red.
 */
export async function untilUnchanged<T>(what: string, read: () => T | Promise<T>): Promise<T> {
  let last = await read();
  await eventually(what, async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const before = last;
    last = await read();
    return before === last;
  });
  return last;
}

/** Polls until `probe` returns a truthy result, and returns that result. @throws Error with `what` after `ms` */
export async function eventually<T>(what: string, probe: () => T | Promise<T>, ms = 60_000): Promise<NonEmpty<T>> {
  const start = performance.now();
  for (;;) {
    const found = await probe();
    if (found) return found as NonEmpty<T>;
    const waited = performance.now() - start;
    if (waited > ms) throw new Error(`It did not come about within ${ms} ms: ${what}.`);
    const pause = Math.min(MAX_POLL_MS, Math.max(FIRST_POLL_MS, waited * POLL_SHARE_OF_WAIT));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
