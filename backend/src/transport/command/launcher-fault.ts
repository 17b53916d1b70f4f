import { quoteForeignText } from '../ssh-errors.js';
import type { Exit } from './session-exit.js';

export interface MissingLauncherAnswer {
  greeted: boolean;
  /** Time that Runward waited until it closed the input, in ms; null: it did not close the input. */
  waitedMs: number | null;
  exit?: Exit;
}

const STARTUP_FILES_DESCRIPTION =
  'a start-up file of the login user (~/.bashrc, ~/.zshenv, ~/.cshrc, ~/.config/fish/config.fish, ~/.ssh/rc)';
const FORCED_COMMAND_DESCRIPTION = 'a forced command (ForceCommand in sshd_config, command= of the key)';

/** Explains why no command can be started on a host. Nothing of the command was sent. */
export function describeMissingLauncher(
  { greeted, waitedMs, exit }: MissingLauncherAnswer,
  where: string,
  noise: Buffer,
): string {
  const said = quoteForeignText(noise.toString());
  const quote = said ? ` It printed: "${said}".` : '';
  const start = `The command was not started on ${where}, and nothing of it was sent.`;
  return `${start} ${describeMissingLauncherCause(greeted, waitedMs, exit)}${quote}`;
}

/** Whether the login shell may only have been slow, so that a longer limit might help. */
export const mayLauncherBeSlow = ({ greeted, waitedMs, exit }: MissingLauncherAnswer): boolean =>
  waitedMs !== null && (greeted || !exit);

function describeMissingLauncherCause(greeted: boolean, waitedMs: number | null, exit: Exit | undefined): string {
  const within = `within ${Math.round((waitedMs ?? 0) / 100) / 10} s`;
  if (greeted && waitedMs === null)
    return `The launcher of Runward started, but its input was closed: ${STARTUP_FILES_DESCRIPTION} or ${FORCED_COMMAND_DESCRIPTION} does not pass input on. Remove what closes or reads standard input.`;
  // it greeted only after the input was closed, or never received its input
  if (greeted)
    return `The launcher of Runward got no input ${within}: ${STARTUP_FILES_DESCRIPTION} or ${FORCED_COMMAND_DESCRIPTION} reads standard input. Remove it there, or do it in interactive shells only.`;
  if (!exit)
    return `The login shell did not start the launcher of Runward ${within}, nor did it end with its input: ${STARTUP_FILES_DESCRIPTION} or ${FORCED_COMMAND_DESCRIPTION} runs a program that waits for input, or the host is overloaded.`;
  const end = 'signal' in exit ? `was ended by ${exit.signal}` : `ended with status ${exit.code}`;
  if (waitedMs === null)
    return `The login shell ${end} before the command started: check the login user's shell (not nologin, false or a restricted one), ${STARTUP_FILES_DESCRIPTION} and ${FORCED_COMMAND_DESCRIPTION}.`;
  return `Another program than the launcher of Runward runs in the session. It waited for input and ${end} when the input was closed: ${STARTUP_FILES_DESCRIPTION} runs another shell (exec zsh), or ${FORCED_COMMAND_DESCRIPTION} does. Run it in interactive shells only, or change the login shell with chsh.`;
}
