import type { SshConnection } from '../../transport/connection/ssh-connection.js';
import { deadlineSignal, endsWithin } from '../../transport/listening-time.js';
import { FACTS_SCRIPT } from './facts-script.js';
import type { HostFacts } from './host-facts.js';
import { LONGEST_ANSWER, parseFacts } from './parse-facts.js';

/** How long a host may take to tell, in ms: whoever checked it waits. */
const READ_MS = 5_000;

/** Asks the host what it is. Never rejects; null: it did not tell in time, or not in a way that is understood. */
export async function readFacts(connection: Pick<SshConnection, 'exec'>): Promise<HostFacts | null> {
  let answer = '';
  let begun = false;
  let ended = false;
  const deadline = deadlineSignal(READ_MS);
  try {
    const command = await connection.exec({
      script: FACTS_SCRIPT,
      execTimeoutMs: READ_MS,
      signal: deadline.signal,
      onStarted: () => (begun = true),
      onOutput: (stream, bytes) => {
        // One byte too many is enough to see that it is no answer.
        if (begun && stream === 'stdout' && answer.length <= LONGEST_ANSWER)
          answer += bytes.toString('latin1', 0, LONGEST_ANSWER + 1);
      },
    });
    await endsWithin(
      READ_MS,
      command.result.then((result) => (ended = result.kind === 'exited')),
    );
    return ended ? parseFacts(answer) : null;
  } catch {
    return null;
  } finally {
    deadline.cancel();
  }
}
