import { CommandTemplateError } from '../../../plans/rendering/render-command.js';
import { OwnershipLostError } from '../../store/fence.js';
import { toStartingStep } from '../../steps/step-command.js';
import { DETACHED, type Detached } from '../recovery/command-watch.js';
import { CommandAttempt } from './command-attempt.js';
import {
  type HostOutcome,
  notRenderedOutcome,
  notStartedOutcome,
  falseConditionOutcome,
} from '../progress/host-outcome.js';
import type { StoredHostState } from '../step/stored-host-state.js';
import type { StepContext } from '../step/step-context.js';
import { HostWait } from './host-wait.js';
import { computeRetryDelayMs } from '../step/retry-rule.js';
import type { RunHost } from '../connections/run-context.js';

export class HostTask {
  private readonly command: CommandAttempt | null;
  private attempts: number;
  private releaseSlot: (() => void) | null = null;

  constructor(
    private readonly context: StepContext,
    private readonly host: RunHost,
    private readonly stored: StoredHostState,
  ) {
    const { step } = context.commands;
    this.attempts = stored.attempts;
    const starting = toStartingStep(step);
    this.command = starting && new CommandAttempt(context, starting, host, stored, (work) => this.runWithoutSlot(work));
  }

  /** Resolves when the result is stored, or when the next worker continues with the host. @throws OwnershipLostError */
  async run(): Promise<void> {
    try {
      await this.runToResult();
    } finally {
      this.context.commands.forgetHost(this.host);
    }
  }

  private async runToResult(): Promise<void> {
    const { control, commands } = this.context;
    const { retry } = this.stored;
    if (retry && !(await this.waitForNextAttempt(retry.outcome, retry.inMs))) return;
    for (;;) {
      if (!(await this.acquireSlot())) return;
      // An attempt that starts no command counts too. A pending attempt was counted when it began.
      const attempt = this.command?.pending ? this.attempts : this.attempts + 1;
      let outcome: HostOutcome | Detached;
      try {
        outcome = await this.attemptUntilFinal();
      } finally {
        this.releaseSlot?.();
      }
      if (outcome === DETACHED) return;
      this.attempts = Math.max(this.command?.attempts ?? 0, attempt);
      const madeAttempts = this.attempts - this.stored.attemptsBefore - (this.command?.restarts ?? 0);
      const delayMs = control.stopCause
        ? null
        : computeRetryDelayMs(commands.step.retries, outcome, madeAttempts, Math.random());
      if (delayMs === null) return this.storeOutcome(outcome);
      await this.storeRetry(outcome, delayMs);
      if (!(await this.waitForNextAttempt(outcome, delayMs))) return;
    }
  }

  /**
   * Converts a rendering error to a failure of the host. Rendering may exceed its time limit now although it succeeded
   * before.
   */
  private async attemptUntilFinal(): Promise<HostOutcome | Detached> {
    try {
      return await this.attemptOnce();
    } catch (error) {
      if (error instanceof CommandTemplateError) return notRenderedOutcome(error.message);
      throw error;
    }
  }

  private async attemptOnce(): Promise<HostOutcome | Detached> {
    const { control, writer, commands, lease } = this.context;
    if (lease.lost.aborted) throw new OwnershipLostError();
    if (this.command?.pending) return this.command.runAttempt();
    if (control.stopCause) return notStartedOutcome(control.stopCause);
    if (control.holdSignal) return DETACHED;
    const { step } = commands;
    if (!(await commands.isConditionTrue(this.host))) return falseConditionOutcome(step.when ?? '');
    await commands.checkCommand(this.host);
    // Not awaited: stored with the next change, whose failure is reported.
    writer.addChange({ serverId: this.host.serverId, kind: 'connecting' }).catch(() => undefined);
    if (this.command) return this.command.runAttempt();
    if (step.type !== 'wait') throw new Error(`A step of the type ${step.type} does not run on hosts.`);
    return new HostWait(this.context, step, this.host, (work) => this.runWithoutSlot(work)).waitForHost();
  }

  private async storeRetry(outcome: HostOutcome, delayMs: number): Promise<void> {
    const { writer } = this.context;
    const { serverId } = this.host;
    const { attempts: attempt } = this;
    await writer.addChange({ serverId, kind: 'retrying', attempt, delayMs, outcome: this.maskOutcome(outcome) });
    this.forgetDispatch(outcome);
    if (this.command) Object.assign(this.command, { pending: null, attempts: attempt });
  }

  /** @returns false if no attempt follows in this worker: the result is stored, or the host is left unchanged */
  private async waitForNextAttempt(outcome: HostOutcome, delayMs: number): Promise<boolean> {
    const { control, clearance } = this.context;
    await control.pauseBeforeAttempt(delayMs);
    if (control.detachSignal.aborted) return false;
    if (!control.stopCause) return clearance.mayBegin();
    await this.storeOutcome(outcome);
    return false;
  }

  private async storeOutcome(outcome: HostOutcome): Promise<void> {
    const { lease, writer } = this.context;
    if (lease.lost.aborted) throw new OwnershipLostError();
    const output = this.command?.output ?? null;
    const { serverId } = this.host;
    output?.endStreams();
    const totals = output?.getTotals() ?? null;
    const { diff, ...seen } = outcome;
    const diffField = diff === undefined ? {} : { diff };
    await writer.addChange({ serverId, kind: 'finished', outcome: this.maskOutcome(seen), totals, ...diffField });
    if (output) writer.removeOutput(output);
    this.forgetDispatch(outcome);
    if (outcome.status !== 'UNKNOWN' && !this.context.isNeededLater(this.host))
      this.context.connections.retireHost(lease.ref.executionId, serverId);
  }

  /** Allows the host to delete the journal of the pending command, unless its result may still be requested. */
  private forgetDispatch({ status }: HostOutcome): void {
    const pending = this.command?.pending;
    if (!pending || status === 'UNKNOWN' || !this.command?.mayBeJournaled) return;
    this.context.connections.scheduleForgetting(this.host.serverId, pending);
  }

  /**
   * Waits for a slot. A stopped run does not wait, because it starts nothing. @returns false if the host was left to
   * the next worker
   */
  private async acquireSlot(): Promise<boolean> {
    const { slots, lease, control } = this.context;
    this.releaseSlot = await slots.takeSlot(lease.ref.tenantId, control.startAbortSignal);
    return this.releaseSlot !== null || !control.detachSignal.aborted;
  }

  private async runWithoutSlot<T>(work: () => Promise<T>): Promise<T> {
    this.releaseSlot?.();
    const result = await work();
    await this.acquireSlot();
    return result;
  }

  private maskOutcome(outcome: HostOutcome): HostOutcome {
    const { message } = outcome;
    return message === null ? outcome : { ...outcome, message: this.context.runContext.redactor.text(message) };
  }
}
