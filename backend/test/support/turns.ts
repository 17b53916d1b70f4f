export async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let over = false;
  const other = (): void => {
    turns += 1;
    if (!over) setImmediate(other);
  };
  setImmediate(other);
  try {
    await work();
  } finally {
    over = true;
  }
  return turns;
}
