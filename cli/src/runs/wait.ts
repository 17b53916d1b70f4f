import { requireAnswer } from '../client/api.ts';
import type { Session } from '../client/session.ts';
import { describePause } from './pauses.ts';
import { isPaused, type Run } from './run.ts';

/** Maximum wait of one request, in seconds. */
const MAX_WAIT_S = 50;
/** Time that the response may take in addition to the wait, in ms. */
const WAIT_MARGIN_MS = 20_000;

export interface WaitOptions {
  /** Whether the next pause ends the wait. */
  stopWhenPaused: () => boolean;
  /** Deadline on the clock of `performance.now()`, in ms; null = none. */
  deadline: number | null;
  signal: AbortSignal;
}

export async function readRun({ api }: Session, id: string, signal?: AbortSignal): Promise<Run> {
  return requireAnswer(api.GET('/api/executions/{id}', { params: { path: { id } }, ...(signal ? { signal } : {}) }));
}

/** Waits until the run ends, the deadline passes, or the run pauses and a pause ends the wait. */
export async function waitForRun(session: Session, run: Run, options: WaitOptions): Promise<Run> {
  let reported: string | null = null;
  for (let latest = run; ; ) {
    const paused = isPaused(latest);
    if (latest.finished || (paused && options.stopWhenPaused())) return latest;
    if (paused && reported !== latest.pause?.since) {
      reported = latest.pause?.since ?? null;
      for (const line of describePause(latest)) session.out.note(line);
    }
    const left = options.deadline === null ? Infinity : options.deadline - performance.now();
    if (left <= 0) return latest;
    const wait = Math.max(1, Math.min(MAX_WAIT_S, Math.ceil(left / 1000)));
    // After the first pause was reported, waits only for the end.
    const until = paused ? 'finished' : 'settled';
    latest = await requireAnswer(
      session.api.GET('/api/executions/{id}', {
        params: { path: { id: run.id }, query: { wait, until } },
        signal: options.signal,
        fetch: (request: Request) =>
          session.connection.send(request, { attemptTimeoutMs: wait * 1000 + WAIT_MARGIN_MS }),
      }),
    );
  }
}
