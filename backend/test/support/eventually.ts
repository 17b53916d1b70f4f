const LOOK_MS = 25;

/** What counts as found. */
type Found<T> = Exclude<T, false | null | undefined>;

/** Looks until `look` answers something, and answers that. @throws Error with `what` after `ms` */
export async function eventually<T>(what: string, look: () => T | Promise<T>, ms = 20_000): Promise<Found<T>> {
  const deadline = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (found) return found as Found<T>;
    if (performance.now() > deadline) throw new Error(`It did not come about within ${ms} ms: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
