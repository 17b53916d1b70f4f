import type { CommandResult } from '../../../transport/remote-command.js';
import type { SshConnection } from '../../../transport/connection/ssh-connection.js';
import { CommandWatch, DETACHED, type Detached } from '../recovery/command-watch.js';
import type { StopCause } from '../progress/host-outcome.js';
import type { StepControl } from '../step/step-control.js';
import type { Redactor } from '../../output/redact-secrets.js';
import { BoundedText } from './bounded-text.js';
import type { CheckCompletion } from './predict.js';

export const MAX_DIFF_BYTES = 65_536;

export interface CheckContext {
  control: StepControl;
  redactor: Redactor;
  timeoutMs: number;
  onStarted: () => void;
  giveUp: () => void;
}

export interface CheckResult {
  end: CheckCompletion;
  output: string | null;
  stopped: StopCause | null;
}

/** Runs a check once, without a journal: if its result is lost, Runward can't request it again. */
export async function runCheck(connection: SshConnection, script: string, context: CheckContext): Promise<CheckResult> {
  const { control, redactor, timeoutMs } = context;
  const output = new BoundedText(redactor, MAX_DIFF_BYTES);
  let started = false;
  const command = await connection.exec({
    script,
    onStarted: () => {
      started = true;
      context.onStarted();
    },
    onOutput: (stream, bytes) => (started ? output.push(stream, bytes) : undefined),
  });
  const watch = new CommandWatch(control, context.giveUp);
  const observedEnd = await watch.observeCommand(command, timeoutMs, null);
  const stopped = observedEnd.stopped?.cause ?? null;
  const text = output.end();
  return { end: toCheckResult(observedEnd.result, stopped), output: text === '' ? null : text, stopped };
}

function toCheckResult(result: CommandResult | Detached, stopped: StopCause | null): CheckCompletion {
  if (stopped === 'step_timeout') return { kind: 'timed_out', ended: result !== DETACHED && result.kind !== 'lost' };
  return result === DETACHED ? { kind: 'lost', message: 'The worker was stopped.' } : result;
}
