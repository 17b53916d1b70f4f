import { answerOf } from '../client/api.ts';
import type { Session } from '../client/session.ts';
import { pauseLines } from './pauses.ts';
import { isPaused, type Run } from './run.ts';

/** Longest that one request waits, in seconds: a waiting client asks about once a minute. */
const WAIT_S = 50;
/** What an answer may take beyond that. */
const MARGIN_MS = 20_000;

export interface WaitOptions {
  /** Ends with the first pause. */
  untilPaused: () => boolean;
  /** When to give up, by `performance.now()`; null: never. */
  deadline: number | null;
  signal: AbortSignal;
}

export async function readRun({ api }: Session, id: string, signal?: AbortSignal): Promise<Run> {
  return answerOf(api.GET('/api/executions/{id}', { params: { path: { id } }, ...(signal ? { signal } : {}) }));
}

/** The run when it is over, or waits for a person where that ends the waiting, or the time is up. */
export async function waitForRun(session: Session, run: Run, options: WaitOptions): Promise<Run> {
  let told: string | null = null;
  for (let latest = run; ; ) {
    const paused = isPaused(latest);
    if (latest.finished || (paused && options.untilPaused())) return latest;
    if (paused && told !== latest.pause?.since) {
      told = latest.pause?.since ?? null;
      for (const line of pauseLines(latest)) session.out.note(line);
    }
    const left = options.deadline === null ? Infinity : options.deadline - performance.now();
    if (left <= 0) return latest;
    const wait = Math.max(1, Math.min(WAIT_S, Math.ceil(left / 1000)));
    // A pause is told when it comes; then only the end counts.
    const until = paused ? 'finished' : 'settled';
    latest = await answerOf(
      session.api.GET('/api/executions/{id}', {
        params: { path: { id: run.id }, query: { wait, until } },
        signal: options.signal,
        fetch: (request: Request) => session.connection.send(request, { attemptMs: wait * 1000 + MARGIN_MS }),
      }),
    );
  }
}
