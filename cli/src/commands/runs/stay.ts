import type { Session } from '../../client/session.ts';
import { usage } from '../../terminal/failure.ts';
import { type Run, isPaused } from '../../runs/run.ts';
import { describePause } from '../../runs/pauses.ts';
import { printResult } from '../../runs/print-result.ts';
import { requireWritableReports, watchRun, writeReports } from '../../runs/watch.ts';
import { toReports, type FollowOrWaitOptions, toWatchOptions } from './watch-options.ts';

/**
 * Refuses options that apply only with --wait or --follow, and reports that cannot be written. Call it before anything
 * starts.
 * @throws Failure
 */
export async function checkFollowOrWait(session: Session, options: FollowOrWaitOptions): Promise<void> {
  const idle = [options.junit && '--junit', options.timeout !== undefined && '--timeout'].filter(Boolean);
  if (!options.follow && !options.wait && idle.length > 0)
    throw usage(`${idle.join(' and ')} needs --wait or --follow.`);
  await requireWritableReports(session, toReports(options));
}

export async function followOrWait(session: Session, run: Run, options: FollowOrWaitOptions): Promise<number> {
  const { out } = session;
  if (options.follow || options.wait) {
    out.note(`Run ${run.id} of ${run.planName} in ${run.environmentName}: ${run.webUrl}`);
    return watchRun(session, run, { ...toWatchOptions(options), after: 0 }, toReports(options));
  }
  await writeReports(session, run, toReports(options));
  if (out.isStructured) {
    printResult(out, () => out.record(run));
    return 0;
  }
  out.line(run.id);
  out.note(`Run of ${run.planName} in ${run.environmentName}: ${run.webUrl}`);
  if (isPaused(run)) for (const line of describePause(run)) out.note(line);
  return 0;
}
