import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeSystemError, StartError } from '../start-error.js';
import type { EmbeddedPostgres } from './embedded-server.js';

export interface KeepRunningOptions {
  log: (line: string) => void;
  giveUp: (error: StartError) => void;
}

/** Delays before each restart within the window, in ms. After the last one, the server is not restarted. */
const RESTART_DELAYS_MS = [200, 600, 1_800, 5_000, 10_000];

export const RESTART_WINDOW_MS = 10 * 60_000;
export const MAX_RESTARTS = RESTART_DELAYS_MS.length;

const LOG_TAIL_BYTES = 64 * 1024;
const STOP_POLL_INTERVAL_MS = 100;

/**
 * Restarts the embedded server after each unexpected end, within the limit of `computeRestartDelay`, until it is stopped.
 * Clients see a short outage, as with an external database.
 */
export async function keepPostgresRunning(
  postgres: EmbeddedPostgres,
  { log, giveUp }: KeepRunningOptions,
): Promise<void> {
  const restarts: number[] = [];
  for (;;) {
    let reason = `It was ${await postgres.waitUntilEnded()}.`;
    const downSince = performance.now();
    for (let isServing = false; !isServing; ) {
      if (postgres.stopping) return;
      const delay = computeRestartDelay(restarts, performance.now());
      if (delay === null) return giveUp(await createServerEndError(reason, postgres.logFile));
      restarts.push(performance.now() + delay);
      log(`The embedded database ended. ${reason} It is started again in ${delay / 1000} s.`);
      if (!(await sleepUntilStopped(delay, postgres))) return;
      try {
        await postgres.restart();
        isServing = true;
      } catch (error) {
        reason = error instanceof StartError ? error.message : describeSystemError(error);
      }
    }
    if (postgres.stopping) return;
    const seconds = ((performance.now() - downSince) / 1000).toFixed(1);
    log(`The embedded database is available again, after ${seconds} s.`);
  }
}

/** Waits. Returns true after the delay, false when the server was stopped during it. */
async function sleepUntilStopped(ms: number, postgres: EmbeddedPostgres): Promise<boolean> {
  const end = performance.now() + ms;
  while (!postgres.stopping && performance.now() < end) {
    await sleep(Math.min(STOP_POLL_INTERVAL_MS, Math.max(1, end - performance.now())));
  }
  return !postgres.stopping;
}

async function createServerEndError(reason: string, logFile: string): Promise<StartError> {
  const minutes = RESTART_WINDOW_MS / 60_000;
  return new StartError(
    `The embedded database ended again after ${MAX_RESTARTS} restarts within ${minutes} minutes, so Runward ends. ${reason} ${await findLikelyCause(reason, logFile)} Its log is ${logFile}.`,
  );
}

async function findLikelyCause(reason: string, logFile: string): Promise<string> {
  const log = await readFile(logFile)
    .then((bytes) => bytes.subarray(-LOG_TAIL_BYTES).toString('utf8'))
    .catch(() => '');
  if (/ENOSPC|disk is full|No space left/i.test(`${reason}\n${log}`)) return 'The disk is full. Free some space.';
  if (/invalid page|checksum|could not locate a valid checkpoint|is not a database cluster/i.test(log))
    return 'Its files are damaged. Restore a backup.';
  if (/out of memory|Cannot allocate memory/i.test(log) || /SIGKILL/.test(reason))
    return 'The machine may be out of memory. Check the log of its kernel.';
  return 'Correct the cause and start Runward again.';
}

export function computeRestartDelay(restarts: readonly number[], now: number): number | null {
  const recentRestarts = restarts.filter((at) => now - at < RESTART_WINDOW_MS);
  return RESTART_DELAYS_MS[recentRestarts.length] ?? null;
}
