import { readFile } from 'node:fs/promises';

/** Whether a process of this machine runs; one that has ended and waits for its parent does not. */
export async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) [ZX] /.test(stat);
}
