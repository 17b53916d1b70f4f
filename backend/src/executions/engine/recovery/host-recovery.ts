import type { ReasonCode } from '../../../common/errors/reason-codes.js';
import { getListeningTimeMs } from '../../../transport/listening-time.js';
import type { CommandResult, OutputHandler, RunningCommand } from '../../../transport/remote-command.js';
import type { SshConnection } from '../../../transport/connection/ssh-connection.js';
import { OwnershipLostError } from '../../store/fence.js';
import { toStepRules, toStartingStep } from '../../steps/step-command.js';
import { DETACHED, type Detached, type StopRequest } from './command-watch.js';
import { type HostOutcome, isHostKeyStatus, commandToOutcome, unknownOutcome } from '../progress/host-outcome.js';
import type { StepContext } from '../step/step-context.js';
import { queryJournal } from './inquire.js';
import type { RunHost } from '../connections/run-context.js';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
const STOP_TIMEOUT_MS = 60_000;

export type RecoveryResult =
  | { kind: 'ended'; result: CommandResult }
  /** Certain: the command was not started and can never start. */
  | { kind: 'never_started'; connection: SshConnection }
  | { kind: 'gone'; outcome: HostOutcome }
  | { kind: 'detached' };

export interface RecoveryHooks {
  why: string;
  journaled: boolean | null;
  acknowledged: boolean;
  /** Storage time of the intent to start, in terms of `performance.now`; null: unknown. */
  intentAt: number | null;
  restartOutput(): void;
  onOutput: OutputHandler;
  observe(command: RunningCommand): Promise<CommandResult | Detached>;
  isRecoveryOverdue(): boolean;
  /** Waits `ms`, or less when the run is stopped or handed over. Occupies no host slot meanwhile. */
  waitBeforeRetry(ms: number): Promise<void>;
  getStopRequest(): StopRequest | null;
}

/**
 * Finds the result of a command whose worker or connection was lost. Retries while the host is unreachable, and
 * attaches to a command that still runs.
 */
export class HostRecovery {
  /** In terms of `getListeningTimeMs`. */
  private since = getListeningTimeMs();
  private why: string;
  private acknowledged: boolean;

  constructor(
    private readonly step: StepContext,
    private readonly host: RunHost,
    private readonly dispatchId: string,
    private readonly hooks: RecoveryHooks,
  ) {
    this.why = hooks.why;
    this.acknowledged = hooks.acknowledged;
  }

  async recoverHost(): Promise<RecoveryResult> {
    const { control, writer, lease } = this.step;
    if (this.hooks.journaled === false) {
      return this.toGoneResult(
        'result_unknown',
        `${this.why} The host keeps no journal of it, so its result is unknown.`,
      );
    }
    const text = 'The connection to the command was lost; asking the host for its result.';
    writer
      .addChange({ serverId: this.host.serverId, kind: 'connecting', why: { code: 'reconnecting', text } })
      .catch(() => undefined);
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      if (lease.lost.aborted) throw new OwnershipLostError();
      if (control.detachSignal.aborted) return { kind: 'detached' };
      const found = await this.askHost();
      if (found) return found;
      const msLeft = this.getRemainingMs();
      if (msLeft <= 0) return this.toGoneResult('unreachable', `${this.why} Runward gave up asking the host.`);
      await this.hooks.waitBeforeRetry(Math.min(pauseMs, msLeft));
    }
  }

  /** @returns null when the host must be asked again */
  private async askHost(): Promise<RecoveryResult | null> {
    const { control, connections, journal, stepIndex } = this.step;
    const { serverId } = this.host;
    const connection = await connections.getConnection(this.host, control.detachSignal);
    if (control.detachSignal.aborted) return { kind: 'detached' };
    if (!('exec' in connection)) {
      this.why = connection.message ?? '';
      const isFinal = isHostKeyStatus(connection.status) || connection.code === 'hostile_peer';
      return isFinal ? this.toGoneResult(connection.code ?? 'unreachable', this.why) : null;
    }
    connections.keepJournals();
    this.hooks.restartOutput();
    const found = await queryJournal(
      connection,
      {
        journal: journal.toJournalEntry(stepIndex, serverId, this.dispatchId),
        acknowledged: () => this.acknowledged,
        intentAt: this.hooks.intentAt,
      },
      {
        become: toStartingStep(this.step.commands.step)?.become,
        onOutput: this.hooks.onOutput,
        signal: control.detachSignal,
        onStarted: () => {
          this.acknowledged = true;
          this.step.writer
            .addChange({ serverId, kind: 'started', first: false, journaled: true, before: null })
            .catch(() => undefined);
        },
      },
    );
    switch (found.kind) {
      case 'attached': {
        const result = await this.hooks.observe(found.command);
        if (result === DETACHED) return { kind: 'detached' };
        if (result.kind === 'exited' || result.kind === 'signalled') return { kind: 'ended', result };
        if (connection.fault) return this.toGoneResult(connection.fault.code, connection.fault.message);
        this.why = result.message;
        // Not reset for an overdue command: repeated losses must not postpone its time limit forever.
        if (!this.hooks.isRecoveryOverdue()) this.since = getListeningTimeMs();
        return null;
      }
      case 'never_started':
        return { kind: 'never_started', connection };
      case 'doubtful':
        return this.toGoneResult(found.code, found.message);
      case 'rebooted':
        return this.toGoneResult(
          'host_rebooted',
          'The host was restarted while the command ran, so its end was not observed.',
        );
      case 'vanished':
        return this.toGoneResult('command_vanished', found.message);
      case 'no_journal':
        return this.toGoneResult('result_unknown', found.message);
      case 'failed':
        if (connection.fault) return this.toGoneResult(connection.fault.code, connection.fault.message);
        this.why = found.message;
        if (!connection.isOpen) connections.dropConnection(serverId);
        return null;
    }
  }

  private toGoneResult(code: ReasonCode, message: string): RecoveryResult {
    const stopped = this.hooks.getStopRequest();
    const advice = `${message} Check the host before you rerun the step.`;
    const starting = toStartingStep(this.step.commands.step);
    if (stopped && stopped.cause !== 'cancel' && starting) {
      const result: CommandResult = { kind: 'lost', started: true, journaled: true, message };
      return { kind: 'gone', outcome: commandToOutcome(result, stopped.cause, toStepRules(starting)) };
    }
    return { kind: 'gone', outcome: unknownOutcome(code, advice) };
  }

  private getRemainingMs(): number {
    const now = performance.now();
    const left = this.since + this.step.recoveryMs - getListeningTimeMs();
    const { control } = this.step;
    const stoppedAt = this.hooks.getStopRequest()?.at ?? (control.stopCause ? control.stoppedAt : null);
    return stoppedAt === null ? left : Math.min(left, stoppedAt + STOP_TIMEOUT_MS - now);
  }
}
