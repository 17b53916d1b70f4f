import { performance } from 'node:perf_hooks';
import { socketTurns } from './socket-turns.js';

/**
 * Time in which this process could listen. While its event loop is blocked, or the process is not run at all, no answer of a
 * host is heard: that time is held against nobody. Every deadline for a host is counted in it.
 */

/** How often it is looked whether the loop still turns, and how late that may be before it counts as blocked, in ms. */
const BEAT_MS = 100;
const TOLERANCE_MS = 100;

let blockedMs = 0;
let beatAt = performance.now();
let latest = 0;
let beat: NodeJS.Timeout | undefined;

/** By how much the present beat is late, in ms; nothing within the tolerance. */
function lateness(now: number): number {
  const late = now - beatAt - BEAT_MS;
  return late > TOLERANCE_MS ? late : 0;
}

/** A clock in ms that stands still while the event loop is blocked. Its beginning means nothing, and it never goes back. */
export function listeningNow(): number {
  const now = performance.now();
  if (!beat) {
    beatAt = now;
    beat = setInterval(() => {
      const at = performance.now();
      blockedMs += lateness(at);
      beatAt = at;
    }, BEAT_MS);
    beat.unref();
  }
  latest = Math.max(latest, now - blockedMs - lateness(now));
  return latest;
}

export interface Deadline {
  /** It is met: nothing happens any more. */
  cancel(): void;
}

/**
 * Calls `act` once so many ms of listening time have passed, and not before what has arrived meanwhile was looked at.
 * @param ms less than 25 days
 */
export function deadlineIn(ms: number, act: () => void): Deadline {
  const endsAt = listeningNow() + Math.max(0, ms);
  let timer: NodeJS.Timeout;
  let last: NodeJS.Immediate | undefined;
  let met = false;
  const look = (): void => {
    const left = endsAt - listeningNow();
    // Timers run before the poll for I/O, immediates behind it.
    if (left >= 1) timer = setTimeout(look, left);
    else last = setImmediate(() => socketTurns.afterArrived(() => void (met || act())));
  };
  timer = setTimeout(look, Math.max(0, ms));
  return {
    cancel: () => {
      met = true;
      clearTimeout(timer);
      if (last) clearImmediate(last);
    },
  };
}

/** Resolves with true when `done` does, and with false when that takes longer than so many ms of listening time. */
export async function endsWithin(ms: number, done: Promise<unknown>): Promise<boolean> {
  let deadline: Deadline | undefined;
  const late = new Promise<boolean>((resolve) => (deadline = deadlineIn(ms, () => resolve(false))));
  const inTime = done.then(
    () => true,
    () => true,
  );
  return Promise.race([inTime, late]).finally(() => deadline?.cancel());
}

/** A signal that fires after so many ms of listening time; to be cancelled when nobody listens to it any more. */
export function deadlineSignal(ms: number): Deadline & { signal: AbortSignal } {
  const controller = new AbortController();
  const deadline = deadlineIn(ms, () => controller.abort(new Error('no answer in time')));
  return { ...deadline, signal: controller.signal };
}
