import { readFileSync } from 'node:fs';

const forkedByNow = () => Number(/^processes (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]);
const MOST_ROUNDS = 400;

/**
 * What the machine's kernel forks (processes and threads, `processes` in /proc/stat) during some work. Whatever else the
 * machine does only adds to it, and nothing that the work needs is forked outside of that time: the smallest count of
 * some rounds is that of a round in which nothing else began.
 *
 * @param goal looks no further once the count is as small as this
 */
export async function fewestForks(goal: number, work: () => unknown): Promise<number> {
  let fewest = Infinity;
  for (let round = 0; round < MOST_ROUNDS && fewest > goal; round += 1) {
    const before = forkedByNow();
    await work();
    fewest = Math.min(fewest, forkedByNow() - before);
  }
  return fewest;
}
