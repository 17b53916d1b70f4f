import { ADMIN_COMMAND } from '../common/admin-command.js';
import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { StartError } from '../common/database/start-error.js';
import type { InstallationBinding } from '../common/installation/binding.js';
import { describeState } from '../common/installation/installation-state.js';
import { type ResumptionMode, ControlInstallation } from './control-installation.js';

export type RunAdminCommand = (
  work: (context: INestApplicationContext, binding: () => Promise<InstallationBinding>) => Promise<void>,
) => Promise<void>;

const MAX_REASON_CHARACTERS = 500;

interface ResumeOptions {
  asOriginal?: boolean;
  asCopy?: boolean;
}

export function addInstallationCommands(
  program: Command,
  administer: RunAdminCommand,
  say: (line: string) => void,
): void {
  const group = program
    .command('installation')
    .description('Show whether this installation is active, draining or held.')
    .action(() =>
      administer(async (context) => {
        for (const line of await getInstallationControl(context).describeInstallation()) say(line);
      }),
    );
  for (const parent of [program, group]) {
    for (const state of ['hold', 'drain'] as const) {
      parent
        .command(state)
        .description(
          state === 'hold'
            ? 'Hold the installation for maintenance: workers stop, and everything can still be read.'
            : 'Drain the installation: running runs end, and nothing new starts.',
        )
        .requiredOption('--reason <text>', 'shown to all users, on every page and every waiting run')
        .action(({ reason }: { reason: string }) =>
          administer(async (context) => {
            const text = reason.trim();
            if (text === '' || text.length > MAX_REASON_CHARACTERS)
              throw new StartError(
                `The reason must have 1 to ${MAX_REASON_CHARACTERS} characters (got ${text.length}).`,
              );
            const now = await getInstallationControl(context).stop(state === 'hold' ? 'held' : 'draining', text);
            say(describeState(now));
            const livingWorkers = state === 'hold' ? await getInstallationControl(context).countLivingWorkers() : 0;
            if (livingWorkers > 0)
              say(`${livingWorkers} workers have not stopped yet: see \`${ADMIN_COMMAND} installation\`.`);
          }),
        );
    }
    parent
      .command('resume')
      .description('End a hold or a drain.')
      .option('--as-original', 'of a copy: it replaces the original from now on')
      .option('--as-copy', 'of a copy: it becomes a separate installation; open runs and deliveries are dropped')
      .action(({ asOriginal, asCopy }: ResumeOptions) =>
        administer(async (context, binding) => {
          if (asOriginal && asCopy) throw new StartError('Choose one of --as-original and --as-copy.');
          const as: ResumptionMode = asOriginal ? 'original' : asCopy ? 'copy' : 'maintained';
          for (const line of await getInstallationControl(context).resumeInstallation(as, binding)) say(line);
        }),
      );
  }
}

const getInstallationControl = (context: INestApplicationContext): ControlInstallation =>
  context.get(ControlInstallation, { strict: false });
