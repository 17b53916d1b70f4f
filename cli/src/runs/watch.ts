import type { Session } from '../client/session.ts';
import type { ExitCode } from '../terminal/exit-codes.ts';
import { followRun } from './follow.ts';
import { Interrupts } from './interrupts.ts';
import { writeJunit } from './junit.ts';
import { describePause } from './pauses.ts';
import { printOutcome } from './report.ts';
import { appendMarkdown, appendOutputs } from './summary-files.ts';
import { toExitCode, isPaused, type Run } from './run.ts';
import { waitForRun } from './wait.ts';

export interface WatchOptions {
  follow: boolean;
  onPause: 'wait' | 'exit';
  /** Time limit in ms; null = none. */
  timeoutMs: number | null;
  /** Number of the event up to which events are not shown. */
  after: number;
}

export interface Reports {
  junit?: string | undefined;
  outputs?: string | undefined;
  markdown?: string | undefined;
}

/**
 * Watches a run until it ends or the options stop watching. Reports its result.
 * @throws StoppedFollowing
 */
export async function watchRun(session: Session, run: Run, options: WatchOptions, reports: Reports): Promise<ExitCode> {
  const interrupts = new Interrupts(session, run.id);
  const watching = {
    stopWhenPaused: () => options.onPause === 'exit' && !interrupts.cancelling,
    deadline: options.timeoutMs === null ? null : performance.now() + options.timeoutMs,
    signal: interrupts.signal,
    after: options.after,
    quiet: () => interrupts.quiet(),
  };
  try {
    const latest = await (options.follow ? followRun : waitForRun)(session, run, watching);
    await interrupts.quiet();
    interrupts.signal.throwIfAborted();
    await report(session, latest, reports, options.follow);
    return toExitCode(latest);
  } finally {
    interrupts.end();
  }
}

/** Writes the files first, so that the result is printed last. */
export async function report(session: Session, run: Run, reports: Reports, followed = false): Promise<void> {
  const { out } = session;
  if (reports.junit !== undefined) await writeJunit(session, reports.junit, run.id);
  if (reports.outputs !== undefined) await appendOutputs(session, reports.outputs, run);
  if (reports.markdown !== undefined) await appendMarkdown(session, reports.markdown, run);
  if (out.json) {
    if (followed) out.item({ type: 'run', data: run });
    else out.record(run);
    return;
  }
  printOutcome(session, run);
  if (run.finished) return;
  if (isPaused(run)) for (const line of describePause(run)) out.note(line);
  else out.note('The --timeout has passed. The run continues.');
  out.note(`Follow it: runward run follow ${run.id}`);
}
