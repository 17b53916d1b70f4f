/**
 * Returns the longest time for which the work blocked the event loop, in ms of this thread's CPU time, and the result
 * of the work. Other programs do not count.
 */
export async function longestGap<T>(work: () => Promise<T>): Promise<{ gap: number; result: T }> {
  let last = spentCpuMs();
  let gap = 0;
  const look = (): void => {
    const now = spentCpuMs();
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

/** Smallest of several gaps, because other activity on the machine slows down the same work. */
export async function leastGap<T>(work: () => Promise<T>): Promise<{ gap: number; result: T }> {
  const first = await longestGap(work);
  const others = [await longestGap(work), await longestGap(work)];
  return { gap: Math.min(first.gap, ...others.map(({ gap }) => gap)), result: first.result };
}

/**
 * Smallest CPU time of three repetitions of the work, in ms: the first one also includes compiling.
 * @param work gets the number of the repetition, from 1, to avoid caches
 */
export function leastCpuMs(work: (repetition: number) => void): number {
  const times = [1, 2, 3].map((repetition) => {
    const from = spentCpuMs();
    work(repetition);
    return spentCpuMs() - from;
  });
  return Math.min(...times);
}

export function spentCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
