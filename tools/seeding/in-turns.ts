/**
 * Runs `work` for each item, several at once. `turn` resolves when all earlier items are done, so that work can wait
 * for them. If an item fails, `turn` of later items rejects and no further item is started.
 * @param work returns false to start no further items
 * @throws the first error
 */
export async function inTurns<T>(
  items: readonly T[],
  atATime: number,
  work: (item: T, turn: Promise<void>) => Promise<boolean>,
): Promise<void> {
  const started: Promise<void>[] = [];
  let last: Promise<void> = Promise.resolve();
  let continues = true;
  for (const item of items) {
    const turn = last;
    last = work(item, turn).then(async (more) => {
      continues &&= more;
      await turn;
    });
    // Prevents an unhandled rejection, because items need not wait for their turn.
    last.catch(() => undefined);
    started.push(last);
    if (started.length >= atATime) await started.shift();
    if (!continues) break;
  }
  await last;
}
