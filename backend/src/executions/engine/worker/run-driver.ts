import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../../../audit/audit-trail.js';
import type { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { livingWorkers } from '../../../common/queue/worker-heartbeat.js';
import type { Notifications } from '../../../common/database/notifications.js';
import type { JobQueue } from '../../../common/queue/job-queue.js';
import type { Decision } from '../../lifecycle/decide.js';
import type { RunEffect, RunEvent } from '../../lifecycle/run-event.js';
import type { StepSegment } from '../../lifecycle/segment.js';
import type { HostStatus } from '../../lifecycle/statuses.js';
import { type Deadline, scheduleDeadline } from '../../../transport/listening-time.js';
import type { HostReachabilityFactory } from '../connections/run-reach.js';
import type { RunStore } from '../../store/run-store.js';
import { DryRunner } from '../dry-run/dry-runner.js';
import { LeaseDriver } from './lease-driver.js';
import { SegmentRunner } from './segment-runner.js';
import { type Lease, retryWhileDatabaseAway } from '../lease/lease.js';
import { RunConnections } from '../connections/run-connections.js';
import type { RunContext, RunContextLoader } from '../connections/run-context.js';
import { findHostsWithUnknownResult } from '../connections/warm-connections.js';
import { countOpenSlices } from './slice-rows.js';
import type { HostSlots } from '../connections/slots.js';
import type { EngineSettings, EngineContext } from '../step/engine-context.js';
import type { StepWork } from '../step/step-work.js';
import { chooseSliceSize } from './slice-size.js';
import { StepSlices } from './step-slices.js';

const MAX_TIMER_MS = 2 ** 31 - 1;

export interface DriverContext {
  units: UnitOfWork;
  store: RunStore;
  queue: JobQueue;
  notifications: Notifications;
  slots: HostSlots;
  contexts: RunContextLoader;
  reaches: HostReachabilityFactory;
  settings: EngineSettings;
}

type RunStepEffect = Extract<RunEffect, { type: 'run_step' }>;

interface DrivenSegment {
  runContext: RunContext;
  connections: RunConnections;
}

/**
 * Drives one run while its lease is valid. Each loop reads events, decides, commits the decision, and then acts on it.
 */
export class RunDriver extends LeaseDriver {
  private drivenSegment: DrivenSegment | null = null;
  private deadline: Deadline | null = null;
  /** Whether a previous owner may have left unfinished slices of the first step. */
  private mayAdoptLease: boolean;

  constructor(
    private readonly context: DriverContext,
    lease: Lease,
  ) {
    super(lease, `Run ${lease.ref.executionId}`);
    this.mayAdoptLease = lease.fence.epoch > 1;
  }

  protected async driveLeased(): Promise<void> {
    let decision = await this.applyEvent({ type: 'claimed' });
    for (;;) {
      const steps = decision.effects.filter((each) => each.type === 'run_step');
      const [effect] = steps;
      if (!effect) {
        if (decision.effects.some((each) => each.type === 'finish')) return this.removeJournals(decision);
        if (!decision.effects.some((each) => each.type === 'stop_commands')) return;
        decision = await this.applyEvent({ type: 'commands_stopped' });
        continue;
      }
      if (effect.stopping) this.stopCause ??= 'cancel';
      this.drivenSegment ??= await this.prepareSegment();
      if (!this.isHandingOver) await this.runSteps(this.drivenSegment, [effect, ...steps.slice(1)], decision);
      if (this.isHandingOver)
        return this.releaseLease((tx) => this.context.queue.enqueueAdvanceRun(tx, this.lease.ref));
      decision = await this.applyEvent(this.createEventAfterStep());
    }
  }

  protected release(): void {
    this.deadline?.cancel();
    this.drivenSegment?.connections.closeAll();
  }

  protected async abortDriving(): Promise<void> {
    await this.detach();
    await this.applyEvent({ type: 'engine_failed' });
  }

  private createEventAfterStep(): RunEvent {
    if (this.stopCause === 'cancel') return { type: 'commands_stopped' };
    return { type: this.stopCause === 'deadline' ? 'deadline_passed' : 'step_finished' };
  }

  /** Runs one step, or the steps of a segment in which each host advances independently. */
  private async runSteps(
    drivenSegment: DrivenSegment,
    steps: readonly [RunStepEffect, ...RunStepEffect[]],
    decision: Decision,
  ): Promise<void> {
    const { work, run } = await this.createStepWork(
      { ...this.context, ...drivenSegment, lease: this.lease },
      steps,
      decision,
    );
    await this.runWork(work, run);
    // Stored before the end of the step, so that readers of an ended step see these findings.
    await drivenSegment.connections.storeReachability();
  }

  private async createStepWork(
    engine: EngineContext & DriverContext,
    steps: readonly [RunStepEffect, ...RunStepEffect[]],
    { state }: Decision,
  ): Promise<{ work: StepWork; run: () => Promise<void> }> {
    const [{ index, segment }] = steps;
    const hosts = steps.flatMap((step) => step.hosts);
    if (state.mode === 'dry_run') {
      const statuses = Object.entries(state.open[0]?.hosts ?? {}).map(([id, { status }]): [string, HostStatus] => [
        id,
        status,
      ]);
      const work = new DryRunner(engine, index, statuses);
      return { work, run: () => work.run(hosts) };
    }
    const range = segment ?? { from: index, to: index };
    const sliceHosts = await this.getSliceSize(range, hosts);
    if (sliceHosts !== null) {
      const work = new StepSlices({ ...engine, sliceHosts }, range);
      return { work, run: () => work.run(hosts) };
    }
    const work = new SegmentRunner(engine, segment ? (idleHosts) => this.advanceHosts(idleHosts, segment) : null);
    return { work, run: () => work.run(steps) };
  }

  private async advanceHosts(hosts: readonly string[], within: StepSegment): Promise<RunStepEffect[]> {
    const { effects } = await this.applyEvent({ type: 'hosts_finished', hosts, within });
    return effects.filter((effect) => effect.type === 'run_step');
  }

  /** Returns the hosts per slice, when the step needs slices or a previous owner left unfinished ones; else null. */
  private async getSliceSize(segment: StepSegment, hosts: readonly string[]): Promise<number | null> {
    const { ref } = this.lease;
    const read = <T>(readState: (tx: EntityManager) => Promise<T>): Promise<T> =>
      retryWhileDatabaseAway(this.lease, () => this.context.units.run(ref.tenantId, readState));
    const size = await chooseSliceSize(hosts.length, this.context.settings.sliceHosts, () => read(livingWorkers));
    if (hosts.length > size) return size;
    if (!this.mayAdoptLease) return null;
    const { open } = await read((tx) => countOpenSlices(tx, ref, segment));
    this.mayAdoptLease = false;
    return open > 0 ? size : null;
  }

  private async prepareSegment(): Promise<DrivenSegment> {
    const runContext = await retryWhileDatabaseAway(this.lease, () =>
      this.context.contexts.loadContext(this.lease.ref),
    );
    if (runContext.msLeft !== null) {
      const ms = Math.min(Math.max(runContext.msLeft, 0), MAX_TIMER_MS);
      this.deadline = scheduleDeadline(ms, () => this.stop('deadline'));
    }
    const reach = this.context.reaches.createForRun(this.lease.ref, runContext);
    return { runContext, connections: new RunConnections(runContext, reach) };
  }

  private applyEvent(event: RunEvent): Promise<Decision> {
    const { ref, fence } = this.lease;
    const actor: AuditActor = { kind: 'system', tenantId: ref.tenantId, name: 'engine' };
    return retryWhileDatabaseAway(this.lease, () => this.context.store.applyTransition(ref, fence, actor, event));
  }

  /** Deletes the journal entries of the run after its end is stored. Skips hosts where a command may still run. */
  private async removeJournals({ state }: Decision): Promise<void> {
    // A dry run has left nothing on the hosts and must change nothing there, not even old entries of other runs.
    if (!this.drivenSegment || state.mode === 'dry_run') return;
    const { ref } = this.lease;
    const keep = await this.context.units
      .run(ref.tenantId, (tx) => findHostsWithUnknownResult(tx, ref))
      .catch(() => null);
    if (keep) await this.drivenSegment.connections.forgetRun(ref.executionId, keep);
  }
}
