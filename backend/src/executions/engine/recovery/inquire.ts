import type { AttachResult, AttachRequest, JournalEntry } from '../../../transport/remote-command.js';
import type { SshConnection } from '../../../transport/connection/ssh-connection.js';
import { JOURNAL_GONE_TEXT } from '../progress/host-outcome.js';
import { findNeverStartedDoubt } from './never-started.js';

export interface LostCommand {
  journal: JournalEntry;
  acknowledged: () => boolean;
  /** Storage time of the intent to start, in terms of `performance.now`; null: unknown. */
  intentAt: number | null;
}

/** Answer of the host. `never_started` is final: the command did not start and can never start. */
export type JournalAnswer =
  | AttachResult
  /** The host has no record of the command, but may have started it. */
  | { kind: 'doubtful'; code: 'journal_gone' | 'start_unknown'; message: string };

/**
 * Asks the host for the result of a command, and attaches to the command when it still runs. Asking uses up the
 * dispatch ID: a command that has not started can never start afterwards.
 */
export async function queryJournal(
  connection: SshConnection,
  { journal, acknowledged, intentAt }: LostCommand,
  how: Pick<AttachRequest, 'onOutput' | 'onStarted' | 'signal' | 'execTimeoutMs' | 'become'>,
): Promise<JournalAnswer> {
  const attachResult = await connection.attach({ journal, ifAbsent: 'void', ...how });
  if (attachResult.kind !== 'never_started') return attachResult;
  // Doubtful rather than never started: a command that is started again might run twice.
  if (acknowledged()) return { kind: 'doubtful', code: 'journal_gone', message: JOURNAL_GONE_TEXT };
  const sinceIntentMs = intentAt === null ? null : performance.now() - intentAt;
  const doubtText = findNeverStartedDoubt(attachResult.hostUpMs, sinceIntentMs);
  return doubtText === null ? attachResult : { kind: 'doubtful', code: 'start_unknown', message: doubtText };
}
