import type { CommandResult } from '../remote-command.js';
import { quoteForeign } from '../ssh-errors.js';

const LONGEST_SIGNAL = 40;

/** What a channel is used for. */
export type ChannelMode = 'plain' | 'journal' | 'attach';

export type Exit = { code: number } | { signal: string };

/** What was seen of a command over its channel. */
export interface Seen {
  exit: Exit | undefined;
  /** The shell that waited for the command told the exit status; otherwise it is that of the channel. */
  exitTold: boolean;
  started: boolean;
  journaled: boolean;
  mode: ChannelMode;
  /** What the host wrote before it acknowledged the start. */
  noise: Buffer;
  outputCutOff: boolean;
  channelClosed: boolean;
  lastError: string | undefined;
}

/** What became of a command whose channel is over; `lost`: its end was not seen. */
export function outcomeOf(seen: Seen, where: string): CommandResult | { lost: string } {
  const { exit, started } = seen;
  // the process that waits for the command, not the command
  const supervisor = `The supervisor of the command on ${where}`;
  if (exit && 'signal' in exit && seen.mode !== 'plain' && (seen.journaled || !started))
    return { lost: `${supervisor} was ended by ${exit.signal}. Ask the host again.` };
  if (exit && 'code' in exit && seen.mode === 'journal' && seen.journaled && !seen.exitTold)
    return { lost: `${supervisor} ended before the command did. Ask the host again.` };
  if (exit && started) {
    if ('signal' in exit) return { kind: 'signalled', signal: exit.signal };
    return { kind: 'exited', exitCode: exit.code, ...(seen.outputCutOff ? { outputStillOpen: true } : {}) };
  }
  if (exit) {
    const how = 'signal' in exit ? `was ended by ${exit.signal}` : `ended with status ${exit.code}`;
    const said = quoteForeign(seen.noise.toString());
    return {
      kind: 'refused',
      message: `The login shell on ${where} ${how} before the command started${said ? `: "${said}"` : ''}. Check the login user's shell and start-up files.`,
    };
  }
  const reason = quoteForeign(seen.lastError ?? '');
  const what = seen.channelClosed
    ? `The connection to ${where} ended before the command did${reason ? ` (${reason})` : ''}.`
    : `${where} did not say that the command had ended.`;
  return { lost: `${what} Check the host: the command may have been cut off, or it may still be running.` };
}

/**
 * The library gives a number of 32 bits, or null and any text as the name of a signal, or nothing at all. Windows means
 * a signed number by it, as does whoever stores it.
 */
export function exitOf(code?: number | null, signal?: string): Exit | undefined {
  if (typeof code === 'number') return { code: code | 0 };
  return signal === undefined ? undefined : { signal: quoteForeign(signal, LONGEST_SIGNAL) };
}
