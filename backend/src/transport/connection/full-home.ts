import type { SshConnection } from './ssh-connection.js';
import { createDeadlineSignal, waitAtMost } from '../listening-time.js';
import { JOURNAL_CHECK_SCRIPT, parseJournalFault } from '../journal/journal-check.js';

const ANSWER_TIMEOUT_MS = 5_000;
const MAX_ANSWER_LENGTH = 2_000;

export const toFullHomeMessage = (username: string): string =>
  `The file system of ${username}'s home directory is full, or its quota is used up.`;

/**
 * Returns whether the login user's home has no space left (ENOSPC, EDQUOT). Also false if the host did not answer in
 * time. Never rejects.
 */
export async function isHomeFull(connection: Pick<SshConnection, 'exec'>): Promise<boolean> {
  let answer = '';
  let begun = false;
  const deadline = createDeadlineSignal(ANSWER_TIMEOUT_MS);
  try {
    const command = await connection.exec({
      script: JOURNAL_CHECK_SCRIPT,
      execTimeoutMs: ANSWER_TIMEOUT_MS,
      signal: deadline.signal,
      onStarted: () => (begun = true),
      onOutput: (stream, bytes) => {
        if (begun && stream === 'stdout' && answer.length < MAX_ANSWER_LENGTH) answer += bytes.toString('latin1');
      },
    });
    await waitAtMost(ANSWER_TIMEOUT_MS, command.result);
    return parseJournalFault(answer)?.code === 'full';
  } catch {
    return false;
  } finally {
    deadline.cancel();
  }
}
