import { Logger } from '@nestjs/common';
import { getListeningTimeMs } from '../../../transport/listening-time.js';
import { isHomeFull } from '../../../transport/connection/full-home.js';
import type { StepTrailer } from '../../../plans/shell/trailer.js';
import type { CommandResult, RunningCommand } from '../../../transport/remote-command.js';
import type { SshConnection } from '../../../transport/connection/ssh-connection.js';
import type { SshError } from '../../../transport/ssh-errors.js';
import { toStepRules } from '../../steps/step-command.js';
import type { StartingStep } from '../../steps/types/run-step-types.js';
import type { StepRules } from '../../steps/types/run-step-type.js';
import { CommandWatch, DETACHED, type Detached, type StopRequest } from '../recovery/command-watch.js';
import * as outcomes from '../progress/host-outcome.js';
import type { HostOutcome } from '../progress/host-outcome.js';
import { HostOutput, type StreamBytes } from '../progress/host-output.js';
import { HostRecovery } from '../recovery/host-recovery.js';
import { hasFinalCode } from '../step/retry-rule.js';
import type { StoredHostState } from '../step/stored-host-state.js';
import type { StepContext } from '../step/step-context.js';
import type { RunHost } from '../connections/run-context.js';

const MAX_RESTARTS = 3;
/** Minimum time that a recovered command gets to report its end, in ms. */
const OUTPUT_SETTLE_MS = 5_000;

const OUTPUT_CUT_NOTE = 'The connection was lost before all output had arrived: the end of the output may be missing.';

interface DispatchOptions {
  attempt: number;
  warm: boolean;
  /** True: the home's file system is full, so the command runs without a journal. */
  homeFull?: boolean;
  /** Previous dispatch id of this attempt, which the host ruled out or refused; null: none. */
  after?: string | null;
}

const log = new Logger('Engine');

/**
 * Runs the command of a step on one host. Starts it at most once per attempt, and follows it until its end is known.
 */
export class CommandAttempt {
  output: HostOutput | null = null;
  /** Dispatch id that was sent, or is about to be, and has no result yet. */
  pending: string | null;
  attempts: number;
  /** Number of attempts that the step's retries do not count. */
  restarts = 0;
  private unsentCount = 0;
  private neverStartedCount = 0;
  mayBeJournaled: boolean;
  private homeFull = false;
  /** Whether the host has confirmed that the pending command runs. Later reports do not revoke this. */
  private acknowledged: boolean;
  /** Time of `getListeningTimeMs` at which this worker started the command; null: another worker started it. */
  private startedAt: number | null = null;
  private readonly loadedAt = getListeningTimeMs();
  /** Time of `performance.now` at which the pending intent was stored; null: unknown. */
  private intentAt: number | null;
  private stopped: StopRequest | null = null;
  private readonly watch: CommandWatch;
  private readonly rules: StepRules;

  constructor(
    private readonly context: StepContext,
    private readonly step: StartingStep,
    private readonly host: RunHost,
    private readonly stored: StoredHostState,
    private readonly withoutHostSlot: <T>(work: () => Promise<T>) => Promise<T>,
  ) {
    this.rules = toStepRules(step);
    this.pending = stored.dispatchId;
    this.attempts = stored.attempts;
    this.intentAt = stored.intentAt;
    this.acknowledged = stored.journaled === true;
    this.mayBeJournaled = stored.journaled !== false;
    this.watch = new CommandWatch(context.control, () => context.connections.dropConnection(host.serverId));
  }

  runAttempt(): Promise<HostOutcome | Detached> {
    this.stopped = null;
    return this.pending === null
      ? this.beginAttempt()
      : this.recoverCommand(this.pending, 'The worker that started the command no longer runs.');
  }

  private async beginAttempt(attempt = this.attempts + 1): Promise<HostOutcome | Detached> {
    const { control, connections } = this.context;
    const warm = connections.hasConnection(this.host.serverId);
    const connection = await connections.getConnection(this.host, control.startAbortSignal);
    if (control.detachSignal.aborted) return DETACHED;
    if (control.stopCause) return outcomes.notStartedOutcome(control.stopCause);
    if (!('exec' in connection)) return connection;
    return this.dispatchCommand(connection, { attempt, warm });
  }

  /** Sends the command once the host is ready and the intent is committed: at most one start per dispatch id. */
  private async dispatchCommand(
    connection: SshConnection,
    { attempt, warm, homeFull = false, after = null }: DispatchOptions,
  ): Promise<HostOutcome | Detached> {
    const { control, lease, commands, journal, connections } = this.context;
    const keepsJournal = this.context.keepsJournal && !homeFull && !connections.lacksJournal(connection);
    const { serverId } = this.host;
    const { dispatchIds } = this.context.runContext;
    const dispatchId =
      after === null
        ? dispatchIds.createFirstId(this.context.stepIndex, serverId, attempt)
        : dispatchIds.createNextId(after);
    const names = { dispatchId, executionId: lease.ref.executionId, attempt };
    const script = await commands.renderScript(this.step, this.host, names);
    const output = this.openOutput();
    const before = output.beginAttempt(null);
    const unsent = new AbortController();
    const giveUp = () => unsent.abort();
    if (control.startAbortSignal.aborted) giveUp();
    control.startAbortSignal.addEventListener('abort', giveUp, { once: true });
    let command: RunningCommand | null = null;
    command = await connection.exec({
      script,
      dispatchId,
      become: this.step.become,
      journal: keepsJournal
        ? {
            ...journal.toJournalEntry(
              this.context.stepIndex,
              serverId,
              dispatchId,
              connections.takeForgettableEntries(serverId),
            ),
            orRefuse: true,
          }
        : undefined,
      signal: unsent.signal,
      beforeSend: async () => {
        control.startAbortSignal.removeEventListener('abort', giveUp);
        return this.commitIntent({ dispatchId, attempt, before, keepsJournal, homeFull });
      },
      onOutput: (stream, bytes) => output.appendBytes(stream, bytes),
      onStarted: () => {
        this.acknowledged = true;
        this.startedAt = getListeningTimeMs();
        this.recordStarted(output, dispatchId, command?.journaled ?? false);
      },
    });
    const result = await this.observeCommand(command, this.step.timeoutSeconds * 1000).finally(() =>
      control.startAbortSignal.removeEventListener('abort', giveUp),
    );
    if (result === DETACHED) return DETACHED;
    if (result.kind === 'refused' && result.unsent && connection.fault)
      return outcomes.sshErrorToOutcome(connection.fault);
    if (result.kind === 'refused' && result.unsent) return this.toUnsentOutcome(connection, result, { attempt, warm });
    if (result.kind === 'lost') return this.handleLostConnection(dispatchId, result, connection.fault);
    return (
      (await this.handleRefusal(connection, result, { dispatchId, attempt, warm })) ?? this.concludeAttempt(result)
    );
  }

  /** Returns null if the result needs no further handling. */
  private async handleRefusal(
    connection: SshConnection,
    result: CommandResult,
    { dispatchId: after, attempt, warm }: { dispatchId: string; attempt: number; warm: boolean },
  ): Promise<HostOutcome | Detached | null> {
    if (result.kind !== 'refused') return null;
    switch (result.code) {
      case 'already_started':
        return this.recoverForeignStart(after, result.message);
      case 'run_ended':
        this.warnOfCopiedInstallation();
        return outcomes.runEndedElsewhereOutcome(result.message);
      case 'voided':
        if (this.neverStartedCount >= MAX_RESTARTS) return outcomes.neverBegunOutcome(this.host.name);
        this.neverStartedCount += 1;
        return this.dispatchCommand(connection, { attempt, warm, after });
      case 'cannot_journal':
        // The home may become available again, but its journal would lack this command. So Runward first records that
        // there is no journal.
        this.context.connections.recordMissingJournal(connection);
        return this.dispatchCommand(connection, { attempt, warm, after });
      case 'no_journal':
        // The refusal proves that nothing was started. Only this command runs without a journal: it may free space for
        // the next one.
        if (!(await isHomeFull(connection))) return null;
        return this.dispatchCommand(connection, { attempt, warm, after, homeFull: true });
      default:
        return null;
    }
  }

  /**
   * Follows a command whose id this process never sent. A copy of the installation sent it, or this installation did
   * before a backup was restored.
   */
  private async recoverForeignStart(dispatchId: string, why: string): Promise<HostOutcome | Detached> {
    this.warnOfCopiedInstallation();
    const outcome = await this.recoverCommand(dispatchId, why);
    return outcome === DETACHED || this.pending !== dispatchId ? outcome : outcomes.startedElsewhereOutcome(outcome);
  }

  private warnOfCopiedInstallation(): void {
    const { executionId } = this.context.lease.ref;
    log.warn(
      `${this.host.name} refused to start a step of run ${executionId} a second time. ${outcomes.STARTED_ELSEWHERE_MESSAGE} Check that no copy of this installation runs.`,
    );
  }

  /** Stores the intent to send the command. @returns whether it may still be sent */
  private async commitIntent(intent: {
    dispatchId: string;
    attempt: number;
    before: StreamBytes;
    keepsJournal: boolean;
    homeFull: boolean;
  }): Promise<boolean> {
    const { control, writer, lease } = this.context;
    const { dispatchId, attempt, before, keepsJournal: journaled, homeFull } = intent;
    const { serverId } = this.host;
    if (control.startAbortSignal.aborted) return false;
    await writer.addChange({ serverId, kind: 'dispatch', dispatchId, attempt, before, journaled, homeFull });
    this.pending = dispatchId;
    this.homeFull = homeFull;
    this.mayBeJournaled = journaled;
    this.acknowledged = false;
    this.attempts = attempt;
    this.startedAt = getListeningTimeMs();
    this.intentAt = performance.now();
    await lease.requireValid();
    return !control.startAbortSignal.aborted;
  }

  /**
   * Handles a command that was never sent, so was not started. If the connection was broken, opens another one and
   * retries.
   */
  private toUnsentOutcome(
    connection: SshConnection,
    result: Extract<CommandResult, { kind: 'refused' }>,
    { attempt, warm }: { attempt: number; warm: boolean },
  ): HostOutcome | Promise<HostOutcome | Detached> | Detached {
    const { control, connections } = this.context;
    if (control.detachSignal.aborted) return DETACHED;
    const cause = control.stopCause ?? this.stopped?.cause;
    if (cause) return outcomes.notStartedOutcome(cause);
    const isBroken = warm || !connection.isOpen;
    if (!isBroken || this.unsentCount >= MAX_RESTARTS) return this.concludeAttempt(result);
    this.unsentCount += 1;
    connections.dropConnection(this.host.serverId);
    return this.beginAttempt(attempt);
  }

  private recordStarted(output: HostOutput, dispatchId: string, journaled: boolean): void {
    const before = output.beginAttempt(this.context.commands.createMark(dispatchId));
    const { serverId } = this.host;
    this.context.writer.addChange({ serverId, kind: 'started', first: true, journaled, before }).catch(() => undefined);
  }

  private async observeCommand(command: RunningCommand, msLeft: number): Promise<CommandResult | Detached> {
    const { result, stopped } = await this.watch.observeCommand(command, msLeft, this.stopped);
    this.stopped = stopped;
    if (result !== DETACHED && result.kind === 'lost') this.context.connections.dropConnection(this.host.serverId);
    return result;
  }

  /** @param fault an attack by the host; if set, the host is not queried again */
  private handleLostConnection(
    dispatchId: string,
    result: Extract<CommandResult, { kind: 'lost' }>,
    fault: SshError | null,
  ): Promise<HostOutcome | Detached> {
    const { control } = this.context;
    if (fault && !control.detachSignal.aborted) {
      const message = `${fault.message} Check the host before you rerun the step.`;
      const seen: CommandResult = { ...result, code: 'hostile_peer', message };
      return Promise.resolve(outcomes.commandToOutcome(seen, this.stopped?.cause ?? null, this.rules));
    }
    if (result.journaled)
      return control.detachSignal.aborted ? Promise.resolve(DETACHED) : this.recoverCommand(dispatchId, result.message);
    if (control.detachSignal.aborted) return Promise.resolve(outcomes.workerStoppedOutcome());
    return this.handleMissingEntry(
      this.addNotes(outcomes.commandToOutcome(result, this.stopped?.cause ?? null, this.rules)),
    );
  }

  /** Asks the host for the result of a command until it answers. There is no time limit. */
  private async recoverCommand(dispatchId: string, why: string): Promise<HostOutcome | Detached> {
    const { commands, control } = this.context;
    const output = this.openOutput();
    const recovery = new HostRecovery(this.context, this.host, dispatchId, {
      why,
      journaled: this.startedAt === null ? this.stored.journaled : null,
      acknowledged: this.acknowledged,
      intentAt: this.intentAt,
      restartOutput: () => output.restartFromBeginning(commands.createMark(dispatchId)),
      onOutput: (stream, bytes) => output.appendBytes(stream, bytes),
      observe: (command) =>
        this.observeCommand(command, Math.max(OUTPUT_SETTLE_MS, this.step.timeoutSeconds * 1000 - this.getRunTimeMs())),
      isRecoveryOverdue: () => this.getRunTimeMs() > this.step.timeoutSeconds * 1000,
      waitBeforeRetry: (ms) => this.withoutHostSlot(() => control.waitUnlessStopped(ms)),
      getStopRequest: () => this.stopped,
    });
    const found = await recovery.recoverHost();
    if (found.kind === 'detached') return DETACHED;
    if (found.kind === 'ended') return this.concludeAttempt(found.result);
    if (found.kind === 'gone') return this.handleMissingEntry(found.outcome);
    const cause = control.stopCause ?? this.stopped?.cause;
    if (cause) return outcomes.notStartedOutcome(cause);
    // A host that repeatedly accepts commands and never starts them will not start the next one either.
    if (this.neverStartedCount >= MAX_RESTARTS) return outcomes.neverBegunOutcome(this.host.name);
    this.neverStartedCount += 1;
    if (!(await this.context.clearance.mayBegin())) return this.withdrawIntent();
    return this.dispatchCommand(found.connection, {
      attempt: Math.max(1, this.attempts),
      warm: false,
      after: dispatchId,
    });
  }

  /** Undoes a start that never happened: the host's previous state is stored again. */
  private async withdrawIntent(): Promise<Detached> {
    const { serverId } = this.host;
    await this.context.writer.addChange({ serverId, kind: 'withdrawn', attempt: Math.max(0, this.attempts - 1) });
    this.pending = null;
    return DETACHED;
  }

  /**
   * Handles a command that no longer runs and whose end Runward did not see. Starts it again if the plan declares that
   * harmless.
   */
  private async handleMissingEntry(outcome: HostOutcome): Promise<HostOutcome | Detached> {
    const { idempotent, readOnly } = this.rules;
    const handleLostConnection = this.pending;
    const stops = this.context.control.stopCause ?? this.stopped;
    if (stops || outcome.status !== 'UNKNOWN' || !(idempotent || readOnly) || hasFinalCode(outcome)) return outcome;
    if (this.restarts >= MAX_RESTARTS) return outcomes.lostTooOftenOutcome(outcome.message ?? '');
    if (!(await this.context.clearance.mayBegin())) return outcome;
    this.restarts += 1;
    const again = await this.beginAttempt();
    // Nothing was started again, so the outcome of the lost command remains.
    return again !== DETACHED && this.pending === handleLostConnection ? outcome : again;
  }

  private addNotes(outcome: HostOutcome): HostOutcome {
    if (!this.homeFull) return outcome;
    const note = outcomes.toNoJournalMessage(this.host.username);
    return { ...outcome, message: outcome.message === null ? note : `${outcome.message} ${note}` };
  }

  private async concludeAttempt(result: CommandResult): Promise<HostOutcome> {
    return this.addNotes(await this.toHostOutcome(result));
  }

  private async toHostOutcome(result: CommandResult): Promise<HostOutcome> {
    const { rules } = this;
    if (result.kind === 'refused' && result.code === 'no_launcher')
      this.context.connections.recordRefusal(this.host, result.message);
    const seen = outcomes.commandToOutcome(result, this.stopped?.cause ?? null, rules);
    const cut = result.kind === 'exited' && result.outputCut ? OUTPUT_CUT_NOTE : null;
    const notes = [
      seen.message,
      cut,
      outcomes.findRemainingProcessWarning(result),
      outcomes.findNotStoppedWarning(result),
    ].filter((note) => note !== null);
    const outcome = this.addWarnings({ ...seen, message: notes.length > 0 ? notes.join(' ') : null });
    const printed = this.output?.takeTrailer();
    if (printed?.notRun && outcome.exitCode !== null) {
      const { become } = this.step;
      return outcomes.notRunOutcome(
        outcome,
        printed.notRun === 'refused'
          ? { login: this.host.username, become, tty: this.output?.sudoRequiresTty ?? false }
          : null,
      );
    }
    if (!printed || outcome.exitCode === null) return outcome;
    if (printed.skipped && outcome.status === 'SUCCEEDED') return outcomes.unlessSucceededOutcome();
    if (rules.reportsChange && outcome.status === 'SUCCEEDED') return this.addDifference(outcome, printed);
    if (rules.outputs.length === 0 || !printed.outputs) return outcome;
    const { outputs, problem } = outcomes.parseSetOutputs(
      printed.outputs,
      rules.outputs,
      this.context.runContext.redactor,
    );
    return { ...outcome, outputs, message: outcome.message ?? problem };
  }

  private addWarnings(outcome: HostOutcome): HostOutcome {
    if (outcome.status !== 'FAILED' || outcome.exitCode === null) return outcome;
    const warnings = this.context.commands.listWarnings(this.host);
    return warnings.length === 0 ? outcome : { ...outcome, message: [outcome.message, ...warnings].join(' ') };
  }

  private async addDifference(outcome: HostOutcome, { changed, before }: StepTrailer): Promise<HostOutcome> {
    const printed = { ...outcome, changed: changed ?? undefined };
    const diff = changed ? await this.context.commands.computeDifference(this.step, this.host, before) : null;
    return diff === null ? printed : { ...printed, diff };
  }

  private openOutput(): HostOutput {
    if (this.output) return this.output;
    const { writer, runContext, outputLimits } = this.context;
    const { serverId, output } = this.stored;
    this.output = new HostOutput(serverId, writer, runContext.redactor, outputLimits, runContext.share, output);
    writer.addOutput(this.output);
    return this.output;
  }

  private getRunTimeMs(): number {
    if (this.startedAt !== null) return getListeningTimeMs() - this.startedAt;
    return this.stored.runsForMs + getListeningTimeMs() - this.loadedAt;
  }
}
