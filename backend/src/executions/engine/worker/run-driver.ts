import { Logger } from '@nestjs/common';
import type { AuditActor } from '../../../audit/audit-trail.js';
import { isDatabaseAway } from '../../../common/database/database-problem.js';
import type { UnitOfWork } from '../../../common/database/unit-of-work.js';
import type { Notifications } from '../../../common/notify/notifications.js';
import type { JobQueue } from '../../../common/queue/job-queue.js';
import type { Decision } from '../../lifecycle/decide.js';
import type { Effect, RunEvent } from '../../lifecycle/run-event.js';
import type { Segment } from '../../lifecycle/segment.js';
import type { HostStatus } from '../../lifecycle/statuses.js';
import { type Deadline, deadlineIn } from '../../../transport/listening-time.js';
import type { RunReaches } from '../connections/run-reach.js';
import { OwnershipLost } from '../../store/fence.js';
import type { RunStore } from '../../store/run-store.js';
import { DryRunner } from '../dry-run/dry-runner.js';
import { FreeRunner } from './free-runner.js';
import type { Lease } from '../lease/lease.js';
import type { LeaseStatus } from '../lease/lease-rows.js';
import { retryWhileDatabaseAway } from '../lease/retry-while-database-away.js';
import { RunConnections } from '../connections/run-connections.js';
import type { RunContext, RunContextLoader } from '../connections/run-context.js';
import { hostsThatMayRun } from '../connections/unsettled-hosts.js';
import { openSlices } from './slice-rows.js';
import type { HostSlots } from '../step/slots.js';
import type { EngineSettings, EngineContext } from '../step/engine-context.js';
import { StepRunner } from './step-runner.js';
import type { StepWork } from '../step/step-work.js';
import { StepSlices } from './step-slices.js';

/** How long a worker that stops waits for commands that it can't leave, in ms: it must exit within 15 s. */
export const HAND_OVER_MS = 9_000;
/** Longest timer that Node.js keeps, in ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface DriverContext {
  units: UnitOfWork;
  store: RunStore;
  queue: JobQueue;
  notifications: Notifications;
  slots: HostSlots;
  contexts: RunContextLoader;
  reaches: RunReaches;
  settings: EngineSettings;
}

type RunStep = Extract<Effect, { type: 'run_step' }>;

/** What is opened only once the run has something to do. */
interface Driven {
  runContext: RunContext;
  connections: RunConnections;
}

/** Drives one run while its lease holds: event, decision, commit, effect, and again. */
export class RunDriver {
  private readonly log = new Logger('Run');
  private driven: Driven | null = null;
  private deadline: Deadline | null = null;
  private work: Pick<StepWork, 'stop' | 'detach'> | null = null;
  private stopCause: 'cancel' | 'deadline' | null = null;
  private handingOver = false;
  private handOverDone: Promise<void> | null = null;
  /** The run was driven before, and its first step here may have slices. */
  private mayAdopt: boolean;

  constructor(
    private readonly parts: DriverContext,
    private readonly lease: Lease,
  ) {
    this.mayAdopt = lease.fence.epoch > 1;
  }

  /** Resolves when the run is finished, waits for a person, was handed over, or has another owner. */
  async drive(): Promise<void> {
    this.lease.keep((status) => this.onRenewal(status));
    // Another owner: let go of the hosts at once, and kill nothing there.
    this.lease.lost.addEventListener('abort', () => void this.detach(), { once: true });
    try {
      await this.loop();
    } catch (error) {
      await this.giveUp(error);
    } finally {
      this.deadline?.cancel();
      this.lease.stop();
      this.driven?.connections.closeAll();
    }
  }

  /** Somebody asked a run to stop: look whether it is this one. */
  async refresh(): Promise<void> {
    await this.lease.refresh((status) => this.onRenewal(status));
  }

  /** Leaves running commands to the next worker; lets those end that can't be left, if they do so soon. */
  async handOver(): Promise<void> {
    this.handingOver = true;
    this.handOverDone ??= this.work?.detach(HAND_OVER_MS) ?? Promise.resolve();
    await this.handOverDone;
    this.driven?.connections.closeAll();
  }

  private async loop(): Promise<void> {
    let decision = await this.decide({ type: 'claimed' });
    for (;;) {
      const steps = decision.effects.filter((each) => each.type === 'run_step');
      const [effect] = steps;
      if (!effect) {
        if (decision.effects.some((each) => each.type === 'finish')) return this.clearAway(decision);
        if (!decision.effects.some((each) => each.type === 'stop_commands')) return;
        decision = await this.decide({ type: 'commands_stopped' });
        continue;
      }
      if (effect.stopping) this.stopCause ??= 'cancel';
      this.driven ??= await this.prepare();
      if (!this.handingOver) await this.runSteps(this.driven, [effect, ...steps.slice(1)], decision);
      if (this.handingOver) {
        await this.handOverDone;
        return this.lease.giveBack((tx) => this.parts.queue.enqueueAdvanceRun(tx, this.lease.ref));
      }
      decision = await this.decide(this.eventAfterStep());
    }
  }

  private async detach(): Promise<void> {
    await this.work?.detach(0);
    this.driven?.connections.closeAll();
  }

  private eventAfterStep(): RunEvent {
    if (this.stopCause === 'cancel') return { type: 'commands_stopped' };
    return { type: this.stopCause === 'deadline' ? 'deadline_passed' : 'step_finished' };
  }

  /** One step, or those of a segment between which hosts go on by themselves. */
  private async runSteps(driven: Driven, steps: readonly [RunStep, ...RunStep[]], decision: Decision): Promise<void> {
    const { work, run } = await this.workOf({ ...this.parts, ...driven, lease: this.lease }, steps, decision);
    this.work = work;
    if (this.stopCause) work.stop(this.stopCause);
    try {
      if (!this.handingOver) await run();
    } finally {
      this.work = null;
    }
    // Whoever reads that the step is over finds its servers as they were found.
    await driven.connections.storeFindings();
  }

  private async workOf(
    parts: EngineContext & DriverContext,
    steps: readonly [RunStep, ...RunStep[]],
    { state }: Decision,
  ): Promise<{ work: Pick<StepWork, 'stop' | 'detach'>; run: () => Promise<void> }> {
    const [{ index, segment }] = steps;
    const hosts = steps.flatMap((step) => step.hosts);
    const alone = (work: StepWork) => ({ work, run: () => work.run(hosts) });
    if (state.mode === 'dry_run') {
      const statuses = Object.entries(state.open[0]?.hosts ?? {}).map(([id, { status }]): [string, HostStatus] => [
        id,
        status,
      ]);
      return alone(new DryRunner(parts, index, statuses));
    }
    const range = segment ?? { from: index, to: index };
    if (await this.isSliced(range, hosts))
      return alone(new StepSlices({ ...parts, sliceHosts: this.parts.settings.sliceHosts }, range));
    if (!segment) return alone(new StepRunner(parts, index));
    const work = new FreeRunner({ ...parts, advanceHosts: (idle) => this.advanceHosts(idle, segment) });
    return { work, run: () => work.run(steps) };
  }

  private async advanceHosts(hosts: readonly string[], within: Segment): Promise<RunStep[]> {
    const { effects } = await this.decide({ type: 'hosts_finished', hosts, within });
    return effects.filter((effect) => effect.type === 'run_step');
  }

  /** Whether there are many hosts, or an owner before has shared them out and slices may still run. */
  private async isSliced(segment: Segment, hosts: readonly string[]): Promise<boolean> {
    if (hosts.length > this.parts.settings.sliceHosts) return true;
    if (!this.mayAdopt) return false;
    const { ref } = this.lease;
    const { open } = await retryWhileDatabaseAway(this.lease, () =>
      this.parts.units.run(ref.tenantId, (tx) => openSlices(tx, ref, segment)),
    );
    this.mayAdopt = false;
    return open > 0;
  }

  private onRenewal({ status }: LeaseStatus): void {
    if (status === 'CANCELLING') this.stop('cancel');
  }

  private stop(cause: 'cancel' | 'deadline'): void {
    this.stopCause ??= cause;
    this.work?.stop(this.stopCause);
  }

  private async prepare(): Promise<Driven> {
    const runContext = await retryWhileDatabaseAway(this.lease, () => this.parts.contexts.load(this.lease.ref));
    if (runContext.msLeft !== null) {
      const ms = Math.min(Math.max(runContext.msLeft, 0), LONGEST_TIMER_MS);
      this.deadline = deadlineIn(ms, () => this.stop('deadline'));
    }
    const reach = this.parts.reaches.of(this.lease.ref, runContext.environmentId);
    return { runContext, connections: new RunConnections(runContext, reach) };
  }

  private decide(event: RunEvent): Promise<Decision> {
    const { ref, fence } = this.lease;
    const actor: AuditActor = { kind: 'system', tenantId: ref.tenantId, name: 'engine' };
    return retryWhileDatabaseAway(this.lease, () => this.parts.store.transition(ref, fence, actor, event));
  }

  /** The run is over and that is stored: the hosts need to keep nothing of it, but for what nobody knows the end of. */
  private async clearAway({ state }: Decision): Promise<void> {
    // A dry run left nothing there, and clearing away what other runs left would change the host.
    if (!this.driven || state.mode === 'dry_run') return;
    const { ref } = this.lease;
    const keep = await this.parts.units.run(ref.tenantId, (tx) => hostsThatMayRun(tx, ref)).catch(() => null);
    if (keep) await this.driven.connections.forgetRun(ref.executionId, keep);
  }

  /** A fault of the engine itself ends the run; trying again and again would leave it neither running nor finished. */
  private async giveUp(error: unknown): Promise<void> {
    const { executionId } = this.lease.ref;
    if (error instanceof OwnershipLost) return this.log.warn(`Run ${executionId} has another owner; letting go of it.`);
    // No fault of the run's: whoever drives it next goes on.
    if (isDatabaseAway(error)) throw error;
    this.log.error(`Driving run ${executionId} failed: ${error instanceof Error ? error.stack : String(error)}`);
    await this.work?.detach(0);
    await this.decide({ type: 'engine_failed' });
  }
}
