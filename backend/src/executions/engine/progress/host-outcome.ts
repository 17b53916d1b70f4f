import type { ReasonCode } from '../../../common/errors/reason-codes.js';
import os from 'node:os';
import { readStepOutputs } from '../../../plans/shell/step-outputs.js';
import { toFullHomeMessage } from '../../../transport/connection/full-home.js';
import type { CommandResult, RemainingProcess } from '../../../transport/remote-command.js';
import type { SshError } from '../../../transport/ssh-errors.js';
import type { HostStatus } from '../../lifecycle/statuses.js';

export type StopCause = 'cancel' | 'deadline' | 'step_timeout';

export interface HostOutcome {
  status: HostStatus;
  exitCode: number | null;
  signal: string | null;
  code: ReasonCode | null;
  message: string | null;
  /** Whether the step changed something on the host; absent: unknown. */
  changed?: boolean;
  outputs?: Record<string, string>;
  /** Diff against the previous file, masked and bounded. */
  diff?: string;
}

export interface StepRules {
  timeoutSeconds: number;
  okExitCodes: readonly number[];
  changedExitCodes: readonly number[];
  readOnly: boolean;
}

const createOutcome = (
  status: HostStatus,
  code: ReasonCode | null,
  message: string | null,
  more: Partial<HostOutcome> = {},
): HostOutcome => ({
  status,
  exitCode: null,
  signal: null,
  code,
  message,
  ...more,
});

/**
 * Derives the outcome from the observed end of a command. Success requires a normal exit with an exit code that the
 * step expects.
 */
export function commandToOutcome(result: CommandResult, stopped: StopCause | null, rules: StepRules): HostOutcome {
  const { timeoutSeconds } = rules;
  if (result.kind === 'refused') return createOutcome('FAILED', 'exec_refused', result.message);
  if (result.kind === 'lost') {
    if (stopped === 'step_timeout' || stopped === 'deadline') {
      return createOutcome(
        'UNKNOWN',
        'not_stopped',
        `${describeTimeLimit(stopped, timeoutSeconds)} Its end was not observed and it may still run: check the host.`,
      );
    }
    return createOutcome('UNKNOWN', result.code ?? 'connection_lost', result.message);
  }
  const observed = result.kind === 'exited' ? { exitCode: result.exitCode } : { signal: result.signal };
  if (stopped === 'cancel')
    return createOutcome('CANCELLED', 'cancelled', 'The run was cancelled and the command was stopped.', observed);
  if (stopped)
    return createOutcome(
      'TIMED_OUT',
      stopped === 'deadline' ? 'run_timed_out' : 'step_timed_out',
      `${describeTimeLimit(stopped, timeoutSeconds)} It was stopped.`,
      observed,
    );
  if (result.kind === 'signalled') {
    return createOutcome('FAILED', 'killed', `The command was ended on the host by signal ${result.signal}.`, observed);
  }
  return exitCodeToOutcome(result.exitCode, rules);
}

function exitCodeToOutcome(exitCode: number, rules: StepRules): HostOutcome {
  const { okExitCodes, changedExitCodes, readOnly } = rules;
  if (okExitCodes.includes(exitCode) || changedExitCodes.includes(exitCode)) {
    const changed = changedExitCodes.length > 0 ? changedExitCodes.includes(exitCode) : !readOnly;
    return createOutcome('SUCCEEDED', null, null, { exitCode, changed });
  }
  if (exitCode === 127) {
    return createOutcome(
      'FAILED',
      'command_not_found',
      'The shell did not find the command (exit code 127). Install it, or write its full path. If the file exists, install the program in its first line.',
      { exitCode },
    );
  }
  if (exitCode === 126) {
    return createOutcome(
      'FAILED',
      'command_not_executable',
      'The command could not be executed (exit code 126). Check its permissions, whether its file system is mounted noexec, and whether the program in its first line exists.',
      { exitCode },
    );
  }
  const signal = exitCode > 128 ? SIGNAL_BY_EXIT_CODE[exitCode - 128] : undefined;
  const hint = signal ? ` A shell reports this code when signal ${signal} ended the command.` : '';
  return createOutcome('FAILED', 'exit_code', `The command ended with exit code ${exitCode}: see its output.${hint}`, {
    exitCode,
  });
}

const SIGNAL_BY_EXIT_CODE: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(os.constants.signals).map(([name, number]) => [number, name]),
);

const describeTimeLimit = (cause: StopCause, seconds: number): string =>
  cause === 'deadline'
    ? "The run's own time limit passed while the command ran."
    : `The command ran longer than the step's limit of ${seconds} s.`;

/** Note about processes that the command left behind; null: no left process keeps the output open. */
export function findRemainingProcessWarning(result: CommandResult): string | null {
  if (result.kind !== 'exited' || !result.outputStillOpen) return null;
  const names = describeProcesses(result.leftBehind ?? []);
  const which = names ? `processes that keep its output open: ${names}` : 'a process that keeps its output open';
  return `The command ended but left ${which}. Runward does not store their further output. Redirect it.`;
}

/** Note about processes of a stopped command that could not be ended; null: none known. */
export function findNotStoppedWarning(result: CommandResult): string | null {
  if (result.kind !== 'exited' && result.kind !== 'signalled') return null;
  if (!result.notStopped) return null;
  return `Processes of the command still run on the host and could not be ended: ${describeProcesses(result.notStopped)}. End them there.`;
}

const describeProcesses = (processes: readonly RemainingProcess[]): string =>
  processes.map(({ pid, name }) => `${name} (process ${pid})`).join(', ');

/** Note on a command that ran without a journal, because the login user's home had no space left. */
export const toNoJournalMessage = (username: string): string =>
  `${toFullHomeMessage(username)} The command ran without a journal: a lost connection makes its result UNKNOWN.`;

/** Whether the host must not be contacted until a person has checked its host key. */
export const isHostKeyStatus = (status: HostStatus): boolean =>
  status === 'HOST_KEY_CHANGED' || status === 'HOST_KEY_UNKNOWN';

export function sshErrorToOutcome(error: SshError): HostOutcome {
  const mismatch = error.code === 'host_key_changed' || error.code === 'host_key_type_missing';
  return createOutcome(mismatch ? 'HOST_KEY_CHANGED' : 'UNREACHABLE', error.code, error.message);
}

export const unknownHostKeyOutcome = (name: string): HostOutcome =>
  createOutcome(
    'HOST_KEY_UNKNOWN',
    'host_key_unknown',
    `No host key of ${name} was accepted yet: check the server, compare the fingerprint and accept it.`,
  );

/** Outcome of a host that was not connected to, because the run was stopped or handed over. */
export const givenUpOutcome = (name: string): HostOutcome =>
  createOutcome('UNREACHABLE', 'aborted', `Connecting to ${name} was cancelled on request.`);

export const keyMissingOutcome = (): HostOutcome =>
  createOutcome(
    'UNREACHABLE',
    'ssh_key_missing',
    'The SSH key of this server no longer exists. Select another key for the server.',
  );

export const notStartedOutcome = (cause: StopCause): HostOutcome =>
  cause === 'cancel'
    ? createOutcome('CANCELLED', 'cancelled', 'The run was cancelled before the command was started here.')
    : createOutcome(
        'TIMED_OUT',
        'run_timed_out',
        "The run's own time limit passed before the command was started here.",
      );

export const neverBegunOutcome = (name: string): HostOutcome =>
  createOutcome(
    'FAILED',
    'exec_refused',
    `${name} accepted the command several times but never began it: each session ended before the command. Check the limits of the login user (processes, memory, session time) and the start-up files.`,
  );

export const STARTED_ELSEWHERE_MESSAGE =
  'Another process of this installation started this attempt: a copy of the installation, or its state before a backup was restored.';

export const startedElsewhereOutcome = (seen: HostOutcome): HostOutcome => ({
  ...seen,
  code: seen.status === 'UNKNOWN' ? 'started_elsewhere' : seen.code,
  message: [seen.message, STARTED_ELSEWHERE_MESSAGE].filter(Boolean).join(' '),
});

export const runEndedElsewhereOutcome = (message: string): HostOutcome =>
  unknownOutcome(
    'started_elsewhere',
    `${message} Another process of this installation ended the run there: a copy of the installation, or its state before a backup was restored. Check on the host whether the step ran.`,
  );

export const workerStoppedOutcome = (): HostOutcome =>
  createOutcome(
    'UNKNOWN',
    'worker_stopped',
    'Runward was stopped while the command ran, so its end was not observed. Check the host before you rerun the step.',
  );

export const falseConditionOutcome = (condition: string): HostOutcome =>
  createOutcome('SKIPPED', 'when_false', `The condition is false on this host: ${condition}`, { changed: false });

export const unlessSucceededOutcome = (): HostOutcome =>
  createOutcome('SKIPPED', 'unless_succeeded', 'Nothing to do here: the command in "unless" succeeded.', {
    changed: false,
  });

export const notRenderedOutcome = (message: string): HostOutcome => createOutcome('FAILED', 'cannot_render', message);

/** @param at the address that answered, when several were tried; null: the host has only one address */
export const answeredOutcome = (at: string | null): HostOutcome =>
  createOutcome('SUCCEEDED', null, at && `${at} answered.`, { changed: false });

export const notAnsweredOutcome = (message: string): HostOutcome => createOutcome('TIMED_OUT', 'not_answered', message);

/**
 * Outcome of a command that never began on the host. The exit status is ignored, because the step may accept it as
 * success.
 * @param refused login user that sudo refused, user to become, and whether sudo requires a terminal; null: the output
 *   shows another reason
 */
export function notRunOutcome(
  { exitCode }: HostOutcome,
  refused: { login: string; become: string | null; tty: boolean } | null,
): HostOutcome {
  if (!refused) return createOutcome('FAILED', 'not_run', 'The command was not run: see its output.', { exitCode });
  const { login, become, tty } = refused;
  if (tty)
    return createOutcome('FAILED', 'sudo_requires_tty', `Nothing was run: ${describeTtyRequirement(login)}`, {
      exitCode,
    });
  const message = `Nothing was run: ${login} may not run commands as ${become} on this host. The output shows the message of sudo. Allow ${login} to run /bin/sh as ${become} with sudo without a password.`;
  return createOutcome('FAILED', 'no_sudo_right', message, { exitCode });
}

export const describeTtyRequirement = (login: string): string =>
  `sudo requires a terminal for ${login} on this host (requiretty). Exempt this login in sudoers: Defaults:${login} !requiretty.`;

/** Message for a host that does not know a command, although it confirmed the command's start earlier. */
export const JOURNAL_GONE_TEXT =
  'The command began on the host, but the host no longer has a journal of it: the journal was removed, or the host was recreated.';

export const unknownOutcome = (code: ReasonCode, message: string): HostOutcome =>
  createOutcome('UNKNOWN', code, message);

/** Outcome of a command that was lost and restarted so often that the connection is unlikely to be the cause. */
export const lostTooOftenOutcome = (message: string): HostOutcome =>
  createOutcome('UNKNOWN', 'lost_too_often', `${message} It was started again several times and lost each time.`);

/** Adds the declared outputs that the command set, masked. `problem` names the rejected outputs. */
export function parseSetOutputs(
  content: Buffer,
  names: readonly string[],
  redactor: { text(text: string): string },
): Pick<HostOutcome, 'outputs'> & { problem: string | null } {
  const { values, problems } = readStepOutputs(content, names);
  const outputs = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, redactor.text(value)]));
  return { outputs, problem: problems.length > 0 ? problems.join(' ') : null };
}
