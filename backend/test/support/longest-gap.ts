/**
 * How long, in ms of this thread's own processor time, nothing else had its turn while the work went on; and what came
 * of it. Time in which the machine did something else does not count.
 */
export async function longestGap<T>(work: () => Promise<T>): Promise<{ gap: number; result: T }> {
  let last = spent();
  let gap = 0;
  const look = (): void => {
    const now = spent();
    gap = Math.max(gap, now - last);
    last = now;
  };
  let over = false;
  const turn = (): void => {
    look();
    if (!over) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    const result = await work();
    look();
    return { gap, result };
  } finally {
    over = true;
  }
}

/** The least of some tries: what else the machine does at a time makes the same work dearer. */
export async function leastGap<T>(work: () => Promise<T>): Promise<{ gap: number; result: T }> {
  const first = await longestGap(work);
  const others = [await longestGap(work), await longestGap(work)];
  return { gap: Math.min(first.gap, ...others.map(({ gap }) => gap)), result: first.result };
}

/** Processor time of this thread so far, in ms. */
export function spent(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
