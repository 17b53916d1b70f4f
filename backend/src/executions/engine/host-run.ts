import { newId } from '../../common/ids.js';
import type { CommandStep } from '../../plans/plan-content.js';
import { CommandTemplateError } from '../../plans/variables/render-command.js';
import type { CommandResult, RunningCommand } from '../../transport/remote-command.js';
import type { SshConnection } from '../../transport/ssh-connection.js';
import { OwnershipLost } from '../run-store.js';
import { CommandWatch, LEFT, type Left, type Stopped } from './command-watch.js';
import * as outcomes from './host-outcome.js';
import type { HostOutcome } from './host-outcome.js';
import { HostOutput } from './host-output.js';
import { HostRecovery } from './host-recovery.js';
import type { HostStanding } from './host-standing.js';
import type { HostStep } from './host-step.js';
import { retryDelay } from './retry-rule.js';
import type { RunHost } from './run-material.js';
import { HostWait } from './host-wait.js';

/** A command that may be started again by itself is given up when it was lost so often. */
const MOST_RESTARTS = 3;

/** One step on one host, from where the worker before left it to its stored result. */
export class HostRun {
  private output: HostOutput | null = null;
  /** The command that was sent, or was about to be, and has no result yet. */
  private pending: string | null;
  private attempts: number;
  private restarts = 0;
  /** When the command of this worker began, by `performance.now`; null: another worker began it. */
  private startedAt: number | null = null;
  private readonly loadedAt = performance.now();
  private stopped: Stopped | null = null;
  private readonly watch: CommandWatch;
  private releaseSlot: (() => void) | null = null;

  constructor(
    private readonly parts: HostStep,
    private readonly host: RunHost,
    private readonly standing: HostStanding,
  ) {
    this.pending = standing.dispatchId;
    this.attempts = standing.attempts;
    const { step } = parts.commands;
    this.watch = new CommandWatch(parts.control, {
      sudo: step.type === 'command' && step.become !== null,
      giveUp: () => parts.connections.drop(host.serverId),
    });
  }

  /** Resolves when the result is stored, or when the host was left to the next worker. @throws OwnershipLost */
  async run(): Promise<void> {
    const { control, writer, commands } = this.parts;
    const { serverId } = this.host;
    for (;;) {
      const attemptsBefore = this.attempts;
      if (!(await this.takeSlot())) return;
      let outcome: HostOutcome | Left;
      try {
        outcome = await this.attempt();
      } finally {
        this.releaseSlot?.();
      }
      if (outcome === LEFT) return;
      // One that never came to a start counts too.
      const attempt = Math.max(this.attempts, attemptsBefore + 1);
      const made = attempt - this.standing.attemptsBefore - this.restarts;
      const delayMs = control.stopCause ? null : retryDelay(commands.step.retries, outcome, made, Math.random());
      if (delayMs === null) return this.finish(outcome);
      this.attempts = attempt;
      this.pending = null;
      await writer.change({ serverId, kind: 'retrying', attempt, delayMs, outcome: this.masked(outcome) });
      await control.pause(delayMs);
      if (control.left.aborted) return;
      if (control.stopCause) return this.finish(outcome);
    }
  }

  /** @returns false when the host was left meanwhile */
  private async takeSlot(): Promise<boolean> {
    const { slots, lease, control } = this.parts;
    this.releaseSlot = await slots.take(lease.ref.tenantId, control.left);
    return this.releaseSlot !== null;
  }

  private async rest(ms: number): Promise<void> {
    this.releaseSlot?.();
    await this.parts.control.pause(ms);
    await this.takeSlot();
  }

  private async attempt(): Promise<HostOutcome | Left> {
    const { control, writer, commands, lease } = this.parts;
    if (lease.lost.aborted) throw new OwnershipLost();
    this.stopped = null;
    if (this.pending !== null) return this.recover(this.pending);
    if (control.stopCause) return outcomes.notStarted(control.stopCause);
    const { step } = commands;
    try {
      if (!commands.holds(this.host)) return outcomes.whenFalse(step.when ?? '');
      commands.check(this.host);
    } catch (error) {
      if (error instanceof CommandTemplateError) return outcomes.notRendered(error.message);
      throw error;
    }
    // Stored with whatever comes next; a failure of it shows there too.
    writer.change({ serverId: this.host.serverId, kind: 'connecting' }).catch(() => undefined);
    if (step.type === 'wait') return new HostWait(this.parts, step, this.host).run();
    if (step.type !== 'command') throw new Error(`A step of the type ${step.type} does not run on hosts.`);
    return this.begin(step);
  }

  private async begin(step: CommandStep): Promise<HostOutcome | Left> {
    const { control, connections } = this.parts;
    const connection = await connections.get(this.host, control.noStart);
    if (control.left.aborted) return LEFT;
    if (control.stopCause) return outcomes.notStarted(control.stopCause);
    if (!('exec' in connection)) return connection;
    return this.dispatch(step, connection, this.attempts + 1);
  }

  /** Commits the intent and then sends: at most one start for each dispatch id (design: engine.md, Dispatch). */
  private async dispatch(step: CommandStep, connection: SshConnection, attempt: number): Promise<HostOutcome | Left> {
    const { control, writer, lease, commands, journal, connections } = this.parts;
    const { serverId } = this.host;
    const dispatchId = newId();
    const output = this.openOutput();
    const before = output.begin(null);
    await writer.change({ serverId, kind: 'dispatch', dispatchId, attempt, before, journaled: journal !== null });
    this.pending = dispatchId;
    this.attempts = attempt;
    this.startedAt = performance.now();
    await lease.demand();
    if (control.left.aborted) return LEFT;
    if (control.stopCause) return outcomes.notStarted(control.stopCause);
    const names = { dispatchId, executionId: lease.ref.executionId, attempt };
    let command: RunningCommand | null = null;
    command = await connection.exec({
      script: commands.script(step, this.host, names),
      journal: journal?.entry(this.parts.stepIndex, serverId, dispatchId, connections.takeForgettable(serverId)),
      onOutput: (stream, bytes) => output.push(stream, bytes),
      onStarted: () => {
        this.startedAt = performance.now();
        this.tellStarted(output, dispatchId, command?.journaled ?? false);
      },
    });
    const result = await this.observe(command, step.timeoutSeconds * 1000);
    if (result === LEFT) return LEFT;
    if (result.kind === 'refused' && result.code === 'already_started') return this.recover(dispatchId);
    if (result.kind === 'lost') return this.lost(step, dispatchId, result);
    return this.conclude(step, result);
  }

  /** The command's own output begins here: what came before was the host's greeting. */
  private tellStarted(output: HostOutput, dispatchId: string, journaled: boolean): void {
    const before = output.begin(this.parts.commands.mark(dispatchId));
    const { serverId } = this.host;
    this.parts.writer.change({ serverId, kind: 'started', first: true, journaled, before }).catch(() => undefined);
  }

  private async observe(command: RunningCommand, msLeft: number): Promise<CommandResult | Left> {
    const { result, stopped } = await this.watch.observe(command, msLeft, this.stopped);
    this.stopped = stopped;
    if (result !== LEFT && result.kind === 'lost') this.parts.connections.drop(this.host.serverId);
    return result;
  }

  private lost(
    step: CommandStep,
    dispatchId: string,
    result: Extract<CommandResult, { kind: 'lost' }>,
  ): Promise<HostOutcome | Left> {
    const { control, journal } = this.parts;
    if (result.journaled && journal) return control.left.aborted ? Promise.resolve(LEFT) : this.recover(dispatchId);
    if (control.left.aborted) return Promise.resolve(outcomes.workerStopped());
    return this.gone(step, outcomes.outcomeOfCommand(result, this.stopped?.cause ?? null, step));
  }

  /** Asks the host what became of a command, for as long as it takes. */
  private async recover(dispatchId: string): Promise<HostOutcome | Left> {
    const { commands, control } = this.parts;
    const { step } = commands;
    if (step.type !== 'command') throw new Error(`A step of the type ${step.type} starts no command.`);
    const output = this.openOutput();
    const recovery = new HostRecovery(this.parts, this.host, dispatchId, {
      journaled: this.startedAt === null ? this.standing.journaled : null,
      replay: () => output.replay(commands.mark(dispatchId)),
      onOutput: (stream, bytes) => output.push(stream, bytes),
      observe: (command) => this.observe(command, Math.max(SETTLE_MS, step.timeoutSeconds * 1000 - this.ranForMs())),
      rest: (ms) => this.rest(ms),
      stopped: () => this.stopped,
    });
    const found = await recovery.run();
    if (found.kind === 'left') return LEFT;
    if (found.kind === 'ended') return this.conclude(step, found.result);
    if (found.kind === 'gone') return this.gone(step, found.outcome);
    const cause = control.stopCause ?? this.stopped?.cause;
    if (cause) return outcomes.notStarted(cause);
    return this.dispatch(step, found.connection, Math.max(1, this.attempts));
  }

  /** The command is gone and nobody saw its end. Where the plan says that this is harmless, it starts again. */
  private async gone(step: CommandStep, outcome: HostOutcome): Promise<HostOutcome | Left> {
    const stops = this.parts.control.stopCause ?? this.stopped;
    if (stops || outcome.status !== 'UNKNOWN' || !(step.idempotent || step.readOnly)) return outcome;
    if (this.restarts >= MOST_RESTARTS) return outcomes.lostTooOften(outcome.message ?? '');
    this.restarts += 1;
    this.pending = null;
    return this.begin(step);
  }

  private conclude(step: CommandStep, result: CommandResult): HostOutcome {
    const seen = outcomes.outcomeOfCommand(result, this.stopped?.cause ?? null, step);
    const cut = result.kind === 'exited' && result.outputCut ? OUTPUT_CUT : null;
    const outcome = { ...seen, message: seen.message ?? cut };
    const told = this.output?.told();
    if (!told || outcome.exitCode === null) return outcome;
    if (told.skipped && outcome.status === 'SUCCEEDED') return outcomes.unlessSucceeded();
    if (step.outputs.length === 0 || !told.outputs) return outcome;
    const { outputs, problem } = outcomes.setOutputs(told.outputs, step.outputs, this.parts.material.redactor);
    return { ...outcome, outputs, message: outcome.message ?? problem };
  }

  private async finish(outcome: HostOutcome): Promise<void> {
    const { lease, writer, connections } = this.parts;
    if (lease.lost.aborted) throw new OwnershipLost();
    const { output, pending } = this;
    const { serverId } = this.host;
    output?.end();
    const totals = output?.totals() ?? null;
    await writer.change({ serverId, kind: 'finished', outcome: this.masked(outcome), totals });
    if (output) writer.remove(output);
    // What became of an unknown one may still be asked.
    if (pending && !mayStillRun(outcome)) connections.forgetLater(serverId, pending);
  }

  private openOutput(): HostOutput {
    if (this.output) return this.output;
    const { writer, material, outputLimits } = this.parts;
    const { serverId, output } = this.standing;
    this.output = new HostOutput(serverId, writer, material.redactor, outputLimits, output);
    writer.add(this.output);
    return this.output;
  }

  private ranForMs(): number {
    if (this.startedAt !== null) return performance.now() - this.startedAt;
    return this.standing.runsForMs + performance.now() - this.loadedAt;
  }

  private masked(outcome: HostOutcome): HostOutcome {
    const { message } = outcome;
    return message === null ? outcome : { ...outcome, message: this.parts.material.redactor.text(message) };
  }
}

const OUTPUT_CUT =
  'The connection was lost while the command ran, and the host keeps only so much of its output: the rest may be missing.';

/** Nobody saw the command end. */
const mayStillRun = ({ status, code }: HostOutcome): boolean => status === 'UNKNOWN' || code === 'not_stopped';

/** A command that was found again late gets this long to tell that it has ended by itself, in ms. */
const SETTLE_MS = 5_000;
