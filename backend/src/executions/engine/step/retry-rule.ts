import type { StepRetries } from '../../../plans/steps/fields/step-base.js';
import type { ConnectionRefusalCode } from '../../../transport/ssh-errors.js';
import type { HostOutcome } from '../progress/host-outcome.js';

/** Random variation of the delay as a fraction. Hosts that failed together then do not all retry together. */
const JITTER_SHARE = 0.2;
const MAX_DELAY_MS = 3_600_000;

const RETRIED_STATUSES: ReadonlySet<string> = new Set(['FAILED', 'TIMED_OUT', 'UNREACHABLE']);
/**
 * Outcomes that a retry would repeat. A repeated sudo refusal would also alert the administrators again, and a repeated
 * attack would cost the worker again.
 */
const FINAL_CODES: ReadonlySet<string> = new Set([
  ...['cannot_render', 'ssh_key_missing', 'no_sudo_right', 'sudo_requires_tty', 'hostile_peer'],
  ...([
    'address_not_allowed',
    'address_refused',
    'protected_host',
    'duplicate_address',
  ] satisfies ConnectionRefusalCode[]),
]);

/** Whether a retry has the same outcome until a person changes something. */
export const hasFinalCode = ({ code }: Pick<HostOutcome, 'code'>): boolean => FINAL_CODES.has(code ?? '');

/**
 * Returns the delay before the next attempt, in ms; null: no further attempt.
 * @param madeAttempts attempts since the last decision, including this one
 * @param random from 0 to 1
 */
export function computeRetryDelayMs(
  retries: StepRetries | null,
  outcome: HostOutcome,
  madeAttempts: number,
  random: number,
): number | null {
  if (!retries || madeAttempts > retries.count) return null;
  if (!RETRIED_STATUSES.has(outcome.status) || hasFinalCode(outcome)) return null;
  const factor = retries.backoff === 'exponential' ? 2 ** (madeAttempts - 1) : 1;
  const ms = Math.min(MAX_DELAY_MS, retries.delaySeconds * 1000 * factor);
  return Math.round(ms * (1 + JITTER_SHARE * random));
}
