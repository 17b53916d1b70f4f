import { JOURNAL_CHECK_SCRIPT, parseJournalFault, type JournalFault } from '../../transport/journal/journal-check.js';
import type { SshConnection } from '../../transport/connection/ssh-connection.js';
import { createDeadlineSignal, waitAtMost } from '../../transport/listening-time.js';
import type { CommandResult } from '../../transport/remote-command.js';
import { FACTS_SCRIPT } from './facts-script.js';
import type { HostFacts } from './host-facts.js';
import { MAX_ANSWER_LENGTH, parseFacts } from './parse-facts.js';

/** Timeout of the whole reading, in ms. The check request waits for it. */
const READ_TIMEOUT_MS = 5_000;
/**
 * Timeout of the command, in ms. It is shorter than that of the reading, which leaves time to detect a program instead
 * of a shell: such a program ends with its input.
 */
const START_TIMEOUT_MS = 3_500;
const END_OF_FACTS = 'runward-facts-end\n';

export interface FactsAnswer {
  /** Null = no valid answer in time. */
  facts: HostFacts | null;
  /** Reason why the host does not run commands for this login; null = it does, or did not answer in time. */
  refusal: string | null;
  /** Reason why the host cannot keep a host journal; null = it can, or did not report it. */
  journal: JournalFault | null;
}

/** Reads the facts. Also tests whether the host runs commands and can keep a host journal. Never rejects. */
export async function readFacts(connection: Pick<SshConnection, 'exec' | 'isOpen'>): Promise<FactsAnswer> {
  let answer = '';
  let begun = false;
  let result: CommandResult | null = null;
  const deadline = createDeadlineSignal(READ_TIMEOUT_MS);
  try {
    const command = await connection.exec({
      script: `${FACTS_SCRIPT}${JOURNAL_CHECK_SCRIPT}`,
      execTimeoutMs: START_TIMEOUT_MS,
      signal: deadline.signal,
      onStarted: () => (begun = true),
      onOutput: (stream, bytes) => {
        // One character over the limit is enough to reject the answer, so the rest is not stored.
        if (begun && stream === 'stdout' && answer.length <= MAX_ANSWER_LENGTH)
          answer += bytes.toString('latin1', 0, MAX_ANSWER_LENGTH + 1);
      },
    });
    await waitAtMost(
      READ_TIMEOUT_MS,
      command.result.then((ended) => (result = ended)),
    );
    return toFactsAnswer(result, answer, deadline.signal.aborted || !connection.isOpen);
  } catch {
    return EMPTY_ANSWER;
  } finally {
    deadline.cancel();
  }
}

const EMPTY_ANSWER: FactsAnswer = { facts: null, refusal: null, journal: null };

function toFactsAnswer(result: CommandResult | null, answer: string, isInconclusive: boolean): FactsAnswer {
  // A slow login shell is not a refusal, because a run waits longer for it.
  if (result?.kind === 'refused' && !isInconclusive && !result.maybeSlow)
    return { ...EMPTY_ANSWER, refusal: result.message };
  if (result?.kind !== 'exited') return EMPTY_ANSWER;
  const end = answer.indexOf(END_OF_FACTS) + END_OF_FACTS.length;
  if (end < END_OF_FACTS.length) return { ...EMPTY_ANSWER, facts: parseFacts(answer) };
  return {
    facts: parseFacts(answer.slice(0, end)),
    refusal: null,
    journal: parseJournalFault(answer.slice(end)) ?? null,
  };
}
