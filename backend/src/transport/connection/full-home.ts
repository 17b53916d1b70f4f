import type { SshConnection } from './ssh-connection.js';
import { deadlineSignal, waitAtMost } from '../listening-time.js';
import { JOURNAL_CHECK, journalFaultOf } from '../journal/journal-check.js';

const ANSWER_MS = 5_000;
const MAX_ANSWER_LENGTH = 2_000;

export const fullHomeText = (username: string): string =>
  `The file system of ${username}'s home directory is full, or its quota is used up.`;

/**
 * Returns whether the login user's home has no space left (ENOSPC, EDQUOT). Also false if the host did not answer in
 * time. Never rejects.
 */
export async function isHomeFull(connection: Pick<SshConnection, 'exec'>): Promise<boolean> {
  let answer = '';
  let begun = false;
  const deadline = deadlineSignal(ANSWER_MS);
  try {
    const command = await connection.exec({
      script: JOURNAL_CHECK,
      execTimeoutMs: ANSWER_MS,
      signal: deadline.signal,
      onStarted: () => (begun = true),
      onOutput: (stream, bytes) => {
        if (begun && stream === 'stdout' && answer.length < MAX_ANSWER_LENGTH) answer += bytes.toString('latin1');
      },
    });
    await waitAtMost(ANSWER_MS, command.result);
    return journalFaultOf(answer)?.code === 'full';
  } catch {
    return false;
  } finally {
    deadline.cancel();
  }
}
