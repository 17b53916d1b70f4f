import type { Command } from 'commander';
import { findRunId } from '../../names/run-id.ts';
import { RUN_ARGUMENT } from '../../runs/run.ts';
import { rerunRun, type RerunRequest } from '../../runs/start.ts';
import { createChoiceOption, type Context, addSubcommand, RUN_RETRY_FOR_MS, addSignedInAction } from '../command.ts';
import { checkFollowOrWait, followOrWait } from './stay.ts';
import { type Mode, createModeOption } from './start.ts';
import { addStartOptions, type StartOptions, toStartFields } from './start-options.ts';

interface Options extends StartOptions {
  hosts: RerunRequest['hosts'];
  snapshot: RerunRequest['snapshot'];
  fromStep?: string;
  mode?: Mode;
  acceptGaps?: boolean;
}

export function addRunRerun(parent: Command, context: Context): void {
  const command = addStartOptions(
    addSubcommand(parent, 'rerun', 'Rerun a finished run')
      .argument('<run>', RUN_ARGUMENT)
      .addOption(createChoiceOption('--hosts <which>', 'hosts to rerun on', ['all', 'failed', 'unfinished'], 'all'))
      .addOption(
        createChoiceOption('--snapshot <which>', 'what it froze, or what there is now', ['same', 'current'], 'same'),
      )
      .option('--from-step <key>', 'skip the steps before this one')
      .addOption(createModeOption())
      .option('--accept-gaps', 'start although steps read results that the hosts do not have'),
  );
  addSignedInAction<Options>(
    context,
    command,
    async (session, options, argument) => {
      await checkFollowOrWait(session, options);
      const body: RerunRequest = {
        hosts: options.hosts,
        snapshot: options.snapshot,
        ...(options.fromStep ? { fromStepKey: options.fromStep } : {}),
        ...(options.mode ? { execution_mode: options.mode } : {}),
        ...(options.acceptGaps ? { acceptGaps: true } : {}),
        ...toStartFields(options),
      };
      return followOrWait(
        session,
        await rerunRun(session, options.idempotencyKey ?? null, await findRunId(session, argument), body),
        options,
      );
    },
    RUN_RETRY_FOR_MS,
  );
}
