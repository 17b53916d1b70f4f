/** For how long, in ms, nothing else had its turn while the work went on; and what came of it. */
export async function longestGap<T>(work: () => Promise<T>): Promise<{ gap: number; result: T }> {
  let last = performance.now();
  let gap = 0;
  const look = (): void => {
    const now = performance.now();
    gap = Math.max(gap, now - last);
    last = now;
  };
  const timer = setInterval(look, 2);
  try {
    const result = await work();
    // What was computed just before the end counts too.
    await new Promise((resolve) => setTimeout(resolve, 5));
    look();
    return { gap, result };
  } finally {
    clearInterval(timer);
  }
}
