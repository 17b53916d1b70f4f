/** Most servers that are checked at once, and of these at the same time. */
export const MOST_CHECKED = 50;
const AT_ONCE = 4;

export interface CheckedServers {
  done: number;
  /** Servers that could not be checked at all. */
  failed: number;
}

/**
 * Checks servers one by one, a few at the same time. @param told after each
 * @throws RangeError for more than may be
 */
export async function checkMany(
  ids: readonly string[],
  check: (id: string) => Promise<unknown>,
  told: (so: CheckedServers) => void,
): Promise<CheckedServers> {
  if (ids.length > MOST_CHECKED) throw new RangeError(`At most ${MOST_CHECKED} servers can be checked at once.`);
  const so: CheckedServers = { done: 0, failed: 0 };
  const waiting = [...ids];
  const worker = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      await check(id).catch(() => {
        so.failed += 1;
      });
      so.done += 1;
      told({ ...so });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return so;
}
