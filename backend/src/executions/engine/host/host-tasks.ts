import { CommandTemplateError } from '../../../plans/rendering/render-command.js';
import { OwnershipLostError } from '../../store/fence.js';
import { toStartingStep } from '../../steps/step-command.js';
import { getRunStepType } from '../../steps/types/run-step-types.js';
import { DETACHED, type Detached } from '../recovery/command-watch.js';
import { CommandAttempt } from './command-attempt.js';
import {
  type HostOutcome,
  notRenderedOutcome,
  notStartedOutcome,
  falseConditionOutcome,
} from '../progress/host-outcome.js';
import { type StoredHostState, loadStoredHostStates } from '../step/stored-host-state.js';
import type { StepContext } from '../step/step-context.js';
import { HostWait } from './host-wait.js';
import { computeRetryDelayMs } from '../step/retry-rule.js';
import type { RunHost } from '../connections/run-context.js';
import type { HostStatus } from '../../lifecycle/statuses.js';
import type { FactNeeds } from '../../../plans/rendering/command-facts.js';
import { createLaterTargetMatcher } from '../../steps/step-targets.js';
import { AttemptClearance } from '../step/attempt-clearance.js';
import { JournalEntries } from '../connections/journal-entries.js';
import { retryWhileDatabaseAway } from '../lease/lease.js';
import { ProgressWriter } from '../progress/progress-writer.js';
import { StepCommands } from '../step/step-commands.js';
import type { StepControl } from '../step/step-control.js';
import { type GetStepFacts, loadStepFacts, GET_NO_FACTS } from '../step/step-facts.js';
import type { EngineContext } from '../step/engine-context.js';

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
    const type = getRunStepType(step);
    if (type.runs !== 'wait') throw new Error(`A step of the type ${step.type} does not run on hosts.`);
    const target = type.getTarget(step);
    return new HostWait(this.context, { target, timeoutSeconds: step.timeoutSeconds }, this.host, (work) =>
      this.runWithoutSlot(work),
    ).waitForHost();
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

/** Bytes of the output limit that are reserved for the end of the output. */
const TAIL_BYTES = 128 * 1024;

/** Tasks for the hosts of one step in this worker. Hosts may reach the step at different times. */
export class HostTasks {
  private step: StepContext | null = null;
  private readonly facts = new Map<string, GetStepFacts>();

  constructor(
    private readonly context: EngineContext,
    private readonly control: StepControl,
    private readonly stepIndex: number,
  ) {}

  /** Creates one task per host from the state that the previous worker stored. Do not call again before it resolves. */
  async openTasks(serverIds: readonly string[]): Promise<Map<string, HostTask>> {
    const { units, runContext, lease } = this.context;
    const { ref } = lease;
    const planStep = runContext.steps[this.stepIndex];
    if (!planStep) throw new Error(`The run has no step ${this.stepIndex}.`);
    const needs = await StepCommands.findFactNeeds(planStep, runContext);
    const { storedStates, facts } = await retryWhileDatabaseAway(lease, () =>
      units.run(ref.tenantId, async (tx) => ({
        storedStates: await loadStoredHostStates(tx, ref, this.stepIndex, serverIds),
        facts: needs.steps ? await loadStepFacts(tx, ref, runContext.steps, this.stepIndex, serverIds) : GET_NO_FACTS,
      })),
    );
    for (const id of serverIds) this.facts.set(id, facts);
    const statuses = [...storedStates].map(([id, { status }]): [string, HostStatus] => [id, status]);
    this.step ??= this.openStepContext(needs);
    this.step.writer.setStatuses(statuses);
    const { step } = this;
    step.commands.expectHosts(serverIds.flatMap((id) => runContext.hosts.get(id) ?? []));
    return new Map(
      serverIds.map((id): [string, HostTask] => {
        const host = runContext.hosts.get(id);
        const stored = storedStates.get(id);
        if (!host || !stored) throw new Error('A step targets a host that the run does not have.');
        return [id, new HostTask(step, host, stored)];
      }),
    );
  }

  async closeTasks(): Promise<void> {
    await this.step?.writer.closeWriter();
  }

  private openStepContext(needs: FactNeeds): StepContext {
    const { units, store, runContext, connections, lease, slots, settings } = this.context;
    const { control, stepIndex } = this;
    const planStep = runContext.steps[stepIndex];
    if (!planStep) throw new Error(`The run has no step ${stepIndex}.`);
    const { outputLimitBytes, hostJournal, recoverySeconds } = settings;
    const tailBytes = Math.min(TAIL_BYTES, Math.floor(outputLimitBytes / 2));
    const keepsJournal = hostJournal && runContext.hostJournal;
    if (keepsJournal) connections.keepJournals();
    const facts: GetStepFacts = (id) => this.facts.get(id)?.(id) ?? {};
    return {
      stepIndex,
      runContext,
      connections,
      lease,
      slots,
      control,
      clearance: new AttemptClearance(store, lease, control),
      commands: new StepCommands(runContext, planStep, needs, facts),
      writer: new ProgressWriter(units, lease, { index: stepIndex, key: planStep.key }, [], (tx, serverIds) =>
        store.recordFullHomes(tx, lease.ref, { stepKey: planStep.key, serverIds }),
      ),
      journal: new JournalEntries(lease.ref.executionId, runContext.speaker, lease.generation, outputLimitBytes),
      keepsJournal,
      isNeededLater: createLaterTargetMatcher(runContext.steps, stepIndex),
      recoveryMs: recoverySeconds * 1000,
      outputLimits: { headBytes: outputLimitBytes - tailBytes, tailBytes },
    };
  }
}
