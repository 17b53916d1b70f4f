import type { CommandResult, RemainingProcess } from '../remote-command.js';
import { quoteForeignText } from '../ssh-errors.js';
import type { Exit } from './session-exit.js';
import { describeMissingLauncher, type MissingLauncherAnswer, mayLauncherBeSlow } from './launcher-fault.js';

export type ChannelMode = 'plain' | 'journal' | 'attach';

export interface ObservedCommand {
  exit: Exit | undefined;
  /** True: the exit status came from the shell that waited for the command. False: it came from the channel. */
  exitReported: boolean;
  started: boolean;
  journaled: boolean;
  mode: ChannelMode;
  /** How the launcher failed to answer; null: it answered and the command was sent. */
  unsent: MissingLauncherAnswer | null;
  noise: Buffer;
  outputCutOff: boolean;
  outputCut: boolean;
  leftBehind: RemainingProcess[];
  notStopped: RemainingProcess[];
  channelClosed: boolean;
  lastError: string | undefined;
}

/** Returns the result of a command whose channel is closed. `lost`: the end of the command was not observed. */
export function toCommandOutcome(seen: ObservedCommand, where: string): CommandResult | { lost: string } {
  const { exit, started, unsent } = seen;
  const reason = quoteForeignText(seen.lastError ?? '');
  if (unsent && exit) return toNoLauncherResult({ ...unsent, exit }, where, seen.noise);
  if (unsent) {
    const message = `The connection to ${where} was lost before the command was sent${reason ? ` (${reason})` : ''}. Check the host and run the step again.`;
    return { kind: 'refused', unsent: true, message };
  }
  const supervisorText = `The supervisor of the command on ${where}`;
  if (exit && 'signal' in exit && seen.mode !== 'plain' && (seen.journaled || !started))
    return { lost: `${supervisorText} was ended by ${exit.signal}. Ask the host again.` };
  if (exit && 'code' in exit && seen.mode === 'journal' && seen.journaled && !seen.exitReported)
    return { lost: `${supervisorText} ended before the command did. Ask the host again.` };
  if (exit && started) {
    const stopped = seen.notStopped.length > 0 ? { notStopped: seen.notStopped } : {};
    if ('signal' in exit) return { kind: 'signalled', signal: exit.signal, ...stopped };
    return { kind: 'exited', exitCode: exit.code, ...describeOpenOutput(seen), ...stopped };
  }
  if (exit) {
    const said = quoteForeignText(seen.noise.toString());
    const how = 'signal' in exit ? `was ended by ${exit.signal}` : `ended with status ${exit.code}`;
    return {
      lost: `The session on ${where} ${how} after the command was sent, without confirming its start${said ? `: "${said}"` : ''}.`,
    };
  }
  const what = seen.channelClosed
    ? `The connection to ${where} ended before the command did${reason ? ` (${reason})` : ''}.`
    : `${where} did not report the end of the command.`;
  return { lost: `${what} Check the host: the command may have been interrupted, or may still be running.` };
}

const describeOpenOutput = ({
  outputCutOff,
  outputCut,
  leftBehind,
}: ObservedCommand): { outputStillOpen?: true; outputCut?: true; leftBehind?: RemainingProcess[] } => ({
  ...(outputCutOff ? { outputStillOpen: true } : {}),
  ...(outputCut && !outputCutOff ? { outputCut: true } : {}),
  ...(leftBehind.length > 0 ? { leftBehind } : {}),
});

export const toNoLauncherResult = (silence: MissingLauncherAnswer, where: string, noise: Buffer): CommandResult => ({
  kind: 'refused',
  code: 'no_launcher',
  unsent: true,
  ...(mayLauncherBeSlow(silence) ? { maybeSlow: true } : {}),
  message: describeMissingLauncher(silence, where, noise),
});
