import { readFileSync } from 'node:fs';

const readForkCount = () => Number(/^processes (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]);
const MAX_ROUNDS = 400;

/**
 * Returns the smallest number of forks in several rounds of the work: processes and threads, `processes` in /proc/stat.
 * Other activity on the machine only adds forks, so the smallest number is that of an undisturbed round.
 * @param targetCount the rounds end when the number is this small
 */
export async function fewestForks(targetCount: number, work: () => unknown): Promise<number> {
  let fewestCount = Infinity;
  for (let round = 0; round < MAX_ROUNDS && fewestCount > targetCount; round += 1) {
    const before = readForkCount();
    await work();
    fewestCount = Math.min(fewestCount, readForkCount() - before);
  }
  return fewestCount;
}
