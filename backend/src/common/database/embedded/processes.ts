import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** What tells a process from a later one that was given the same number. */
export interface ProcessMark {
  readonly pid: number;
  /** Start time in clock ticks since boot. */
  readonly startTicks: string;
  readonly bootId: string;
}

/** The mark of a live process; undefined when there is none (or only its unreaped rest). */
export async function markOf(pid: number): Promise<ProcessMark | undefined> {
  try {
    const [stat, bootId] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ]);
    // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTicks] = [fields[0], fields[19]];
    if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
    return { pid, startTicks, bootId: bootId.trim() };
  } catch {
    return undefined;
  }
}

export async function isAlive(mark: ProcessMark): Promise<boolean> {
  const now = await markOf(mark.pid);
  return now !== undefined && now.startTicks === mark.startTicks && now.bootId === mark.bootId;
}

/**
 * The processes of a program whose working folder is `folder`. All of PostgreSQL's stand in their data folder; a person's
 * shell may stand there too.
 */
export async function processesIn(folder: string, program: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const there = await Promise.all(
    pids.map((pid) =>
      Promise.all([readlink(`/proc/${pid}/cwd`), readFile(`/proc/${pid}/comm`, 'utf8')]).then(
        ([cwd, name]) => cwd === folder && name.trim() === program,
        () => false,
      ),
    ),
  );
  return pids.filter((_, index) => there[index]).map(Number);
}

/** Asks until the answer is yes; false when `timeoutMs` passed first. */
export async function until(condition: () => Promise<boolean>, timeoutMs: number, everyMs = 20): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() >= deadline) return false;
    await sleep(everyMs);
  }
  return true;
}

/** Sends a signal; false when the process is already gone. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
