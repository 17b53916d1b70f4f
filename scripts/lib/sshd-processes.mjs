/** Finds and ends processes through /proc, because a minimal system has neither ps nor pkill. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const END_TIMEOUT_MS = 5_000;
const TERM_GRACE_MS = 2_000;

/** Returns the content of a small file; '' if it can't be read, for example because the process has ended. */
export function readOrEmpty(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

export function descendants(pid) {
  const children = new Map();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = Number(/^\d+ \(.*\) \S (\d+)/s.exec(readOrEmpty(`/proc/${entry}/stat`))?.[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const below = (id) => (children.get(id) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid);
}

export function signalAll(pids, signal) {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // already gone
    }
  }
}

/**
 * Ends a process and all its descendants: SIGTERM first, SIGKILL after two seconds. Resolves when all are gone, or
 * after five seconds. The process itself ends last, because it reaps its children.
 */
export async function endTree(pid) {
  const deadline = Date.now() + END_TIMEOUT_MS;
  await endAll(descendants(pid), deadline);
  await endAll([pid, ...descendants(pid)], deadline);
}

async function endAll(pids, deadline) {
  const exited = (id) => !existsSync(`/proc/${id}`) || /^\d+ \(.*\) [ZX] /s.test(readOrEmpty(`/proc/${id}/stat`));
  const killDeadline = Date.now() + TERM_GRACE_MS;
  signalAll(pids, 'SIGTERM');
  for (let left = pids; left.length > 0 && Date.now() < deadline; left = left.filter((id) => !exited(id))) {
    if (Date.now() > killDeadline) signalAll(left, 'SIGKILL');
    await pause(10);
  }
}
