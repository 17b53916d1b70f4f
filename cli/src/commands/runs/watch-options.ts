import type { Command } from 'commander';
import { EXIT_HELP } from '../../terminal/exit-codes.ts';
import type { Reports, WatchOptions } from '../../runs/watch.ts';
import { createChoiceOption, type CommonOptions, createDurationOption } from '../command.ts';

export interface FollowOrWaitOptions extends CommonOptions {
  follow?: boolean;
  wait?: boolean;
  onPause: 'wait' | 'exit';
  timeout?: number;
  onInterrupt: 'leave' | 'cancel';
  junit?: string;
  outputs?: string;
  markdown?: string;
}

export const addFollowOrWaitOptions = (command: Command): Command =>
  addReportOptions(
    command
      .option('--follow', 'show the output live, until the run ends')
      .option('--wait', 'wait for the end of the run without showing its output'),
  );

export const addReportOptions = (command: Command): Command =>
  command
    .addOption(
      createChoiceOption('--on-pause <what>', 'what to do when the run waits for a person', ['exit', 'wait'], 'exit'),
    )
    .addOption(
      createChoiceOption(
        '--on-interrupt <what>',
        'what to do with the run at Ctrl-C or SIGTERM without a terminal',
        ['leave', 'cancel'],
        'leave',
      ),
    )
    .addOption(createDurationOption('--timeout <duration>', 'time limit of the wait, such as 30m; the run continues'))
    .option('--junit <file>', 'write the results as a JUnit report')
    .option('--outputs <file>', 'append run_id, status, url, digest, exit_code to a file (GITHUB_OUTPUT, dotenv)')
    .option('--markdown <file>', 'append a Markdown summary to a file (GITHUB_STEP_SUMMARY)')
    .addHelpText('after', EXIT_HELP);

export const toWatchOptions = (options: FollowOrWaitOptions): Omit<WatchOptions, 'after'> => ({
  follow: options.follow === true,
  onPause: options.onPause,
  onInterrupt: options.onInterrupt,
  timeoutMs: options.timeout ?? null,
});

export const toReports = ({ junit, outputs, markdown }: FollowOrWaitOptions): Reports => ({ junit, outputs, markdown });
