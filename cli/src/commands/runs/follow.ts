import type { Command } from 'commander';
import { usage } from '../../terminal/failure.ts';
import { findRunId } from '../../names/run-id.ts';
import { RUN_ARGUMENT } from '../../runs/run.ts';
import { readRun } from '../../runs/wait.ts';
import { requireWritableReports, watchRun } from '../../runs/watch.ts';
import { type Context, addSubcommand, RUN_RETRY_FOR_MS, addSignedInAction } from '../command.ts';
import { toReports, type FollowOrWaitOptions, toWatchOptions, addReportOptions } from './watch-options.ts';

interface Options extends FollowOrWaitOptions {
  after?: string;
}

export function addRunFollow(parent: Command, context: Context): void {
  const command = addReportOptions(
    addSubcommand(parent, 'follow', 'Show the output of a run until it ends; exits with the code of the run')
      .argument('<run>', RUN_ARGUMENT)
      .option('--after <event>', 'only output after this event of the stream'),
  );
  addSignedInAction<Options>(
    context,
    command,
    async (session, options, argument) => {
      if (options.after !== undefined && !/^\d{1,9}$/.test(options.after))
        throw usage('--after takes the number of an event.');
      await requireWritableReports(session, toReports(options));
      const run = await readRun(session, await findRunId(session, argument));
      if (Number(options.after ?? 0) > run.lastEventId)
        throw usage(`--after ${options.after} is later than the last event of the run, ${run.lastEventId}.`);
      const watch = { ...toWatchOptions(options), follow: true, after: Number(options.after ?? 0) };
      return watchRun(session, run, watch, toReports(options));
    },
    RUN_RETRY_FOR_MS,
  );
}
