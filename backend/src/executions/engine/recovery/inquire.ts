import type { Attached, AttachRequest, JournalEntry } from '../../../transport/remote-command.js';
import type { SshConnection } from '../../../transport/connection/ssh-connection.js';
import { JOURNAL_GONE } from '../progress/host-outcome.js';
import { doubtOfNeverStarted } from './never-started.js';

export interface LostCommand {
  journal: JournalEntry;
  /** Whether the host has confirmed the start of the command by now. */
  acknowledged: () => boolean;
  /** When the intent to start it was stored, by `performance.now`; null: not known. */
  intentAt: number | null;
}

/** Answer of the host. `never_started` is certain: it was not started, and never will be. */
export type Inquiry =
  | Attached
  /** The host keeps nothing of it, and may have started it all the same. */
  | { kind: 'doubtful'; code: 'journal_gone' | 'start_unknown'; message: string };

/**
 * Asks the host for the result of a command, and attaches to it when it runs. The question uses up its id: it never
 * starts later.
 */
export async function inquire(
  connection: SshConnection,
  { journal, acknowledged, intentAt }: LostCommand,
  how: Pick<AttachRequest, 'onOutput' | 'onStarted' | 'signal' | 'execTimeoutMs' | 'become'>,
): Promise<Inquiry> {
  const attached = await connection.attach({ journal, ifAbsent: 'void', ...how });
  if (attached.kind !== 'never_started') return attached;
  // If it were started again, it would run twice.
  if (acknowledged()) return { kind: 'doubtful', code: 'journal_gone', message: JOURNAL_GONE };
  const sinceIntentMs = intentAt === null ? null : performance.now() - intentAt;
  const doubt = doubtOfNeverStarted(attached.hostUpMs, sinceIntentMs);
  return doubt === null ? attached : { kind: 'doubtful', code: 'start_unknown', message: doubt };
}
