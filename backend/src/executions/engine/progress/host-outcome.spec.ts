import { describe, expect, it } from '@jest/globals';
import type { CommandResult } from '../../../transport/remote-command.js';
import { SshError, type SshErrorCode } from '../../../transport/ssh-errors.js';
import * as outcomes from './host-outcome.js';

const RESULTS: CommandResult[] = [
  { kind: 'exited', exitCode: 0 },
  { kind: 'exited', exitCode: 0, outputStillOpen: true },
  { kind: 'exited', exitCode: 1 },
  { kind: 'exited', exitCode: 126 },
  { kind: 'exited', exitCode: 127 },
  { kind: 'signalled', signal: 'KILL' },
  { kind: 'lost', started: true, journaled: false, message: 'gone' },
  { kind: 'lost', started: false, journaled: false, message: 'gone' },
  { kind: 'refused', message: 'no' },
];
const CAUSES: (outcomes.StopCause | null)[] = [null, 'cancel', 'deadline', 'step_timeout'];

const RULES: outcomes.StepRules = { timeoutSeconds: 30, okExitCodes: [0], changedExitCodes: [], readOnly: false };

const short = ({ status, code }: outcomes.HostOutcome) => `${status} ${code}`;
const of = (result: CommandResult, cause: outcomes.StopCause | null = null) =>
  outcomes.commandToOutcome(result, cause, RULES);

describe('the outcome of a command', () => {
  it('is SUCCEEDED only for exit code 0 of a command that exited normally', () => {
    for (const result of RESULTS) {
      for (const cause of CAUSES) {
        const wins = result.kind === 'exited' && result.exitCode === 0 && cause === null;
        expect(of(result, cause).status === 'SUCCEEDED').toBe(wins);
      }
    }
  });

  it('distinguishes the causes that a person can fix', () => {
    expect(RESULTS.map((result) => short(of(result)))).toEqual([
      'SUCCEEDED null',
      'SUCCEEDED null',
      'FAILED exit_code',
      'FAILED command_not_executable',
      'FAILED command_not_found',
      'FAILED killed',
      'UNKNOWN connection_lost',
      'UNKNOWN connection_lost',
      'FAILED exec_refused',
    ]);
    expect(of({ kind: 'exited', exitCode: 3 })).toMatchObject({ exitCode: 3, signal: null });
    expect(of({ kind: 'signalled', signal: 'TERM' })).toMatchObject({ exitCode: null, signal: 'TERM' });
  });

  it('reports why the command was stopped, and keeps what was observed', () => {
    const ended: CommandResult = { kind: 'signalled', signal: 'TERM' };
    expect(short(of(ended, 'cancel'))).toBe('CANCELLED cancelled');
    expect(short(of(ended, 'deadline'))).toBe('TIMED_OUT run_timed_out');
    expect(of(ended, 'step_timeout')).toMatchObject({ status: 'TIMED_OUT', code: 'step_timed_out', signal: 'TERM' });
    expect(of(ended, 'step_timeout').message).toBe(
      "The command ran longer than the step's limit of 30 s. It was stopped.",
    );
  });

  it('is never CANCELLED when no end was observed, and says that the result is unknown', () => {
    const lost: CommandResult = { kind: 'lost', started: true, journaled: false, message: 'gone' };
    expect(short(of(lost, 'cancel'))).toBe('UNKNOWN connection_lost');
    expect(short(of(lost, 'step_timeout'))).toBe('UNKNOWN not_stopped');
    expect(short(of(lost, 'deadline'))).toBe('UNKNOWN not_stopped');
    expect(of(lost, 'deadline').message).toContain('check the host');
  });

  it('always has a code and a message unless it succeeded', () => {
    for (const result of RESULTS) {
      for (const cause of CAUSES) {
        const { status, code, message } = of(result, cause);
        if (status === 'SUCCEEDED') continue;
        expect(code).toMatch(/^[a-z_]+$/);
        expect(message).toMatch(/\S/);
      }
    }
  });
});

describe('the outcome of a host that could not be connected to', () => {
  const connection = (code: SshErrorCode) => outcomes.sshErrorToOutcome(new SshError(code, 'why'));

  it('is HOST_KEY_CHANGED for a wrong host key and UNREACHABLE for everything else', () => {
    for (const code of ['host_key_changed', 'host_key_type_missing'] as const) {
      expect(short(connection(code))).toBe(`HOST_KEY_CHANGED ${code}`);
    }
    for (const code of [
      'host_not_found',
      'connection_refused',
      'login_refused',
      'protocol_error',
      'not_ssh',
    ] as const) {
      expect(connection(code)).toEqual({ status: 'UNREACHABLE', exitCode: null, signal: null, code, message: 'why' });
    }
  });

  it('gives advice when no host key was accepted, or the SSH key was deleted', () => {
    expect(short(outcomes.unknownHostKeyOutcome('web-1'))).toBe('HOST_KEY_UNKNOWN host_key_unknown');
    expect(outcomes.unknownHostKeyOutcome('web-1').message).toContain('accept it');
    expect(short(outcomes.keyMissingOutcome())).toBe('UNREACHABLE ssh_key_missing');
    expect(outcomes.keyMissingOutcome().message).toContain('Select another key for the server');
  });
});

describe('the outcome of a host that nothing was started on', () => {
  it('says whether the run was cancelled or timed out', () => {
    expect(short(outcomes.notStartedOutcome('cancel'))).toBe('CANCELLED cancelled');
    expect(short(outcomes.notStartedOutcome('deadline'))).toBe('TIMED_OUT run_timed_out');
  });
});

describe('the outcome of a command that outlives its worker', () => {
  it('is UNKNOWN, with the advice to check the host', () => {
    expect(short(outcomes.workerStoppedOutcome())).toBe('UNKNOWN worker_stopped');
    expect(outcomes.workerStoppedOutcome().message).toContain('Check the host');
  });
});
