import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessMark {
  readonly pid: number;
  readonly startTicks: string;
  readonly bootId: string;
}

/** Returns the mark of a live process; undefined = no such process, or a zombie. */
export async function readProcessMark(pid: number): Promise<ProcessMark | undefined> {
  try {
    const [stat, bootId] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ]);
    // The second field is the program name in parentheses. It may itself contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTicks] = [fields[0], fields[19]];
    if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
    return { pid, startTicks, bootId: bootId.trim() };
  } catch {
    return undefined;
  }
}

export async function isProcessAlive(mark: ProcessMark): Promise<boolean> {
  const now = await readProcessMark(mark.pid);
  return now !== undefined && now.startTicks === mark.startTicks && now.bootId === mark.bootId;
}

/**
 * Returns the processes of a program whose working directory is `folder`. PostgreSQL processes all work in their data
 * folder. The program name excludes others, such as a user's shell.
 */
export async function findProcessesIn(folder: string, program: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const isPresent = await Promise.all(
    pids.map((pid) =>
      Promise.all([readlink(`/proc/${pid}/cwd`), readFile(`/proc/${pid}/comm`, 'utf8')]).then(
        ([cwd, name]) => cwd === folder && name.trim() === program,
        () => false,
      ),
    ),
  );
  return pids.filter((_, index) => isPresent[index]).map(Number);
}

export async function waitUntil(condition: () => Promise<boolean>, timeoutMs: number, everyMs = 20): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() >= deadline) return false;
    await sleep(everyMs);
  }
  return true;
}

export function sendSignal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
