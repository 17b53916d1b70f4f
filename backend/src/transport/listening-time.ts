import { performance } from 'node:perf_hooks';
import { socketScheduler } from './socket-turns.js';

/**
 * Listening time: time in which this process can receive answers. It stands still while the event loop is blocked or
 * the process is suspended. Every deadline for a host uses listening time.
 */

/** Interval of the timer that detects a blocked event loop, and the delay that is still tolerated, in ms. */
const TICK_INTERVAL_MS = 100;
const LATENESS_TOLERANCE_MS = 100;

let blockedMs = 0;
let lastTickMs = performance.now();
let latestListeningTimeMs = 0;
let tickTimer: NodeJS.Timeout | undefined;

/** Delay of the current timer tick in ms; 0 within the tolerance. */
function getLatenessMs(now: number): number {
  const late = now - lastTickMs - TICK_INTERVAL_MS;
  return late > LATENESS_TOLERANCE_MS ? late : 0;
}

/** Current listening time in ms. Its origin is arbitrary, and it never goes back. */
export function getListeningTimeMs(): number {
  const now = performance.now();
  if (!tickTimer) {
    lastTickMs = now;
    tickTimer = setInterval(() => {
      const at = performance.now();
      blockedMs += getLatenessMs(at);
      lastTickMs = at;
    }, TICK_INTERVAL_MS);
    tickTimer.unref();
  }
  latestListeningTimeMs = Math.max(latestListeningTimeMs, now - blockedMs - getLatenessMs(now));
  return latestListeningTimeMs;
}

export interface Deadline {
  cancel(): void;
}

/**
 * Calls `act` after `ms` of listening time, but first handles data that has arrived by then.
 * @param ms less than 25 days
 */
export function scheduleDeadline(ms: number, act: () => void): Deadline {
  const endsAt = getListeningTimeMs() + Math.max(0, ms);
  let timer: NodeJS.Timeout;
  let last: NodeJS.Immediate | undefined;
  let met = false;
  const check = (): void => {
    const left = endsAt - getListeningTimeMs();
    // In an event loop turn, timers run before the poll for I/O, and immediates after it.
    if (left >= 1) timer = setTimeout(check, left);
    else last = setImmediate(() => socketScheduler.runAfterSlices(() => void (met || act())));
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

/** Resolves with true when `done` settles, or with false after `ms` of listening time. */
export async function waitAtMost(ms: number, done: Promise<unknown>): Promise<boolean> {
  let deadline: Deadline | undefined;
  const late = new Promise<boolean>((resolve) => (deadline = scheduleDeadline(ms, () => resolve(false))));
  const inTime = done.then(
    () => true,
    () => true,
  );
  return Promise.race([inTime, late]).finally(() => deadline?.cancel());
}

/** Returns a signal that fires after `ms` of listening time. Cancel it when it is no longer needed. */
export function createDeadlineSignal(ms: number): Deadline & { signal: AbortSignal } {
  const controller = new AbortController();
  const deadline = scheduleDeadline(ms, () => controller.abort(new Error('no answer in time')));
  return { ...deadline, signal: controller.signal };
}
