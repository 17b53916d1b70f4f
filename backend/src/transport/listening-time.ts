import { performance } from 'node:perf_hooks';
import { socketTurns } from './socket-turns.js';

/**
 * Time in which this process could listen. While its event loop is blocked, or the process is suspended, it receives no
 * answer of a host, and that time does not count. Every deadline for a host uses this clock.
 */

/**
 * Interval of the check whether the loop still turns, and its tolerated delay before the loop counts as blocked, in ms.
 */
const TICK_INTERVAL_MS = 100;
const TOLERANCE_MS = 100;

let blockedMs = 0;
let beatAt = performance.now();
let latest = 0;
let beat: NodeJS.Timeout | undefined;

/** Delay of the current beat, in ms; 0 within the tolerance. */
function lateness(now: number): number {
  const late = now - beatAt - TICK_INTERVAL_MS;
  return late > TOLERANCE_MS ? late : 0;
}

/** A clock in ms that stands still while the event loop is blocked. Its origin is arbitrary, and it never goes back. */
export function listeningNow(): number {
  const now = performance.now();
  if (!beat) {
    beatAt = now;
    beat = setInterval(() => {
      const at = performance.now();
      blockedMs += lateness(at);
      beatAt = at;
    }, TICK_INTERVAL_MS);
    beat.unref();
  }
  latest = Math.max(latest, now - blockedMs - lateness(now));
  return latest;
}

export interface Deadline {
  cancel(): void;
}

/**
 * Calls `act` after `ms` of listening time, but not before data that has arrived by then was handled.
 * @param ms less than 25 days
 */
export function deadlineIn(ms: number, act: () => void): Deadline {
  const endsAt = listeningNow() + Math.max(0, ms);
  let timer: NodeJS.Timeout;
  let last: NodeJS.Immediate | undefined;
  let met = false;
  const check = (): void => {
    const left = endsAt - listeningNow();
    // Timers run before the poll for I/O, immediates after it.
    if (left >= 1) timer = setTimeout(check, left);
    else last = setImmediate(() => socketTurns.afterArrived(() => void (met || act())));
  };
  timer = setTimeout(check, Math.max(0, ms));
  return {
    cancel: () => {
      met = true;
      clearTimeout(timer);
      if (last) clearImmediate(last);
    },
  };
}

/** Resolves with true when `done` settles, and with false after `ms` of listening time. */
export async function endsWithin(ms: number, done: Promise<unknown>): Promise<boolean> {
  let deadline: Deadline | undefined;
  const late = new Promise<boolean>((resolve) => (deadline = deadlineIn(ms, () => resolve(false))));
  const inTime = done.then(
    () => true,
    () => true,
  );
  return Promise.race([inTime, late]).finally(() => deadline?.cancel());
}

/** A signal that fires after `ms` of listening time; cancel it when it is no longer used. */
export function deadlineSignal(ms: number): Deadline & { signal: AbortSignal } {
  const controller = new AbortController();
  const deadline = deadlineIn(ms, () => controller.abort(new Error('no answer in time')));
  return { ...deadline, signal: controller.signal };
}
