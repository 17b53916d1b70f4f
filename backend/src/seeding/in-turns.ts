/**
 * Does the work for each item, several at a time. Each is told when those before it are done, so that a part of it may
 * wait for that; when one fails, those behind it hear so and the rest is left.
 * @param work returns whether to begin with further items
 * @throws what the first of them threw
 */
export async function inTurns<T>(
  items: readonly T[],
  atATime: number,
  work: (item: T, turn: Promise<void>) => Promise<boolean>,
): Promise<void> {
  const begun: Promise<void>[] = [];
  let last: Promise<void> = Promise.resolve();
  let goesOn = true;
  for (const item of items) {
    const turn = last;
    last = work(item, turn).then(async (more) => {
      goesOn &&= more;
      await turn;
    });
    // Whoever waits for it hears of its failure; nobody need.
    last.catch(() => undefined);
    begun.push(last);
    if (begun.length >= atATime) await begun.shift();
    if (!goesOn) break;
  }
  await last;
}
