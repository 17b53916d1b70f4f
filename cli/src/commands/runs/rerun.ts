import type { Command } from 'commander';
import { collectValues, parsePairs } from '../../names/pairs.ts';
import { parseRunId } from '../../names/run-id.ts';
import { rerunRun, type RerunRequest } from '../../runs/start.ts';
import { createChoiceOption, type Context, addSubcommand, RUN_RETRY_FOR_MS, addSignedInAction } from '../command.ts';
import { checkFollowOrWait, followOrWait } from './stay.ts';
import { type Mode, createModeOption } from './start.ts';
import { type FollowOrWaitOptions, addFollowOrWaitOptions } from './watch-options.ts';

interface Options extends FollowOrWaitOptions {
  hosts: RerunRequest['hosts'];
  snapshot: RerunRequest['snapshot'];
  fromStep?: string;
  mode?: Mode;
  acceptGaps?: boolean;
  note?: string;
  label?: string[];
  freezeOverride?: string;
  acceptAuthors?: string;
  idempotencyKey?: string;
}

export function addRunRerun(parent: Command, context: Context): void {
  const command = addFollowOrWaitOptions(
    addSubcommand(parent, 'rerun', 'Rerun a finished run')
      .argument('<run>', 'id of the run, or address of its page')
      .addOption(createChoiceOption('--hosts <which>', 'hosts to rerun on', ['all', 'failed', 'unfinished'], 'all'))
      .addOption(
        createChoiceOption('--snapshot <which>', 'what it froze, or what there is now', ['same', 'current'], 'same'),
      )
      .option('--from-step <key>', 'skip the steps before this one')
      .addOption(createModeOption())
      .option('--accept-gaps', 'run whose results steps can read when this run has none')
      .option('--note <text>', 'note for the list of runs')
      .option('--label <key=value>', 'replaces the labels of the run; repeatable', collectValues)
      .option('--freeze-override <reason>', 'start despite a freeze (admins)')
      .option(
        '--accept-authors <digest>',
        'accept content of members without rights there (acceptAuthors of the refusal)',
      )
      .option('--idempotency-key <key>', 'key of an earlier call whose response was lost'),
  );
  addSignedInAction<Options>(
    context,
    command,
    async (session, options, argument) => {
      checkFollowOrWait(options);
      const labels = parsePairs(options.label ?? [], '--label');
      const body: RerunRequest = {
        hosts: options.hosts,
        snapshot: options.snapshot,
        ...(options.fromStep ? { fromStepKey: options.fromStep } : {}),
        ...(options.mode ? { execution_mode: options.mode } : {}),
        ...(options.acceptGaps ? { acceptGaps: true } : {}),
        ...(options.note ? { note: options.note } : {}),
        ...(options.label ? { labels } : {}),
        ...(options.freezeOverride ? { freezeOverride: options.freezeOverride } : {}),
        ...(options.acceptAuthors ? { acceptAuthors: options.acceptAuthors } : {}),
      };
      return followOrWait(
        session,
        await rerunRun(session, options.idempotencyKey ?? null, parseRunId(argument), body),
        options,
      );
    },
    RUN_RETRY_FOR_MS,
  );
}
