import type { Session } from '../client/session.ts';
import type { ExitCode } from '../exit-codes.ts';
import { followRun } from './follow.ts';
import { Interrupts } from './interrupts.ts';
import { writeJunit } from './junit.ts';
import { pauseLines } from './pauses.ts';
import { tellOutcome } from './report.ts';
import { appendMarkdown, appendOutputs } from './summary-files.ts';
import { exitCodeOf, isPaused, type Run } from './run.ts';
import { waitForRun } from './wait.ts';

export interface WatchOptions {
  follow: boolean;
  onPause: 'wait' | 'exit';
  /** In ms; null: as long as it takes. */
  timeoutMs: number | null;
  /** Events of the run up to this one are not shown. */
  after: number;
}

export interface Reports {
  junit?: string | undefined;
  outputs?: string | undefined;
  markdown?: string | undefined;
}

/** Stays with a run up to its end, or as far as the options say; tells what became of it. @throws Left */
export async function watchRun(session: Session, run: Run, options: WatchOptions, reports: Reports): Promise<ExitCode> {
  const interrupts = new Interrupts(session, run.id);
  const watching = {
    untilPaused: () => options.onPause === 'exit' && !interrupts.cancelling,
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
    return exitCodeOf(latest);
  } finally {
    interrupts.end();
  }
}

/** The files first: what is told last is what is seen last. */
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
  tellOutcome(session, run);
  if (run.finished) return;
  if (isPaused(run)) for (const line of pauseLines(run)) out.note(line);
  else out.note('The time given by --timeout is over; the run goes on.');
  out.note(`Go on: runward run follow ${run.id}`);
}
