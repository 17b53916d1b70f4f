import type { Session } from '../client/session.ts';
import { EXIT, type ExitCode } from '../terminal/exit-codes.ts';
import { Failure } from '../terminal/failure.ts';
import { requireWritable } from '../terminal/files.ts';
import { followRun } from './follow.ts';
import { Interrupts } from './interrupts.ts';
import { writeJunit } from './junit.ts';
import { describePause } from './pauses.ts';
import { printResult, reportError } from './print-result.ts';
import { printOutcome } from './report.ts';
import { appendMarkdown, appendOutputs } from './summary-files.ts';
import { toExitCode, isPaused, type Run } from './run.ts';
import { waitForRun } from './wait.ts';

export interface WatchOptions {
  follow: boolean;
  onPause: 'wait' | 'exit';
  /** What a signal does with the run without a terminal. */
  onInterrupt?: 'leave' | 'cancel';
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
  const interrupts = new Interrupts(session, run.id, options.onInterrupt);
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
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode !== EXIT.unreachable) throw error;
    throw new Failure(error.problem, error.exitCode, [
      ...error.advice,
      `The run continues. Follow it: runward run follow ${run.id}`,
    ]);
  } finally {
    interrupts.end();
  }
}

/** @throws Failure for a file that cannot be written. Call it before anything starts. */
export async function requireWritableReports(
  { surroundings }: Session,
  { junit, outputs, markdown }: Reports,
): Promise<void> {
  if (junit !== undefined) await requireWritable(junit, surroundings, 'replace');
  for (const file of [outputs, markdown]) if (file !== undefined) await requireWritable(file, surroundings, 'append');
}

/** Writes each report. A report that fails is only reported, so that it cannot hide the result of the run. */
export async function writeReports(session: Session, run: Run, { junit, outputs, markdown }: Reports): Promise<void> {
  const writes = [
    junit === undefined ? null : () => writeJunit(session, junit, run.id),
    outputs === undefined ? null : () => appendOutputs(session, outputs, run),
    markdown === undefined ? null : () => appendMarkdown(session, markdown, run),
  ];
  for (const write of writes) await write?.().catch((error: unknown) => reportError(session.out, error));
}

/** Writes the files first, so that the result is printed last. */
export async function report(session: Session, run: Run, reports: Reports, followed = false): Promise<void> {
  const { out } = session;
  await writeReports(session, run, reports);
  if (out.isStructured) {
    return printResult(out, () => (followed ? out.item({ type: 'run', data: run }) : out.record(run)));
  }
  printOutcome(session, run);
  if (run.finished) return;
  if (isPaused(run)) for (const line of describePause(run)) out.note(line);
  else out.note('The --timeout has passed. The run continues.');
  out.note(`Follow it: runward run follow ${run.id}`);
}
