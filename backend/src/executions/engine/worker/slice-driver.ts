import { Logger } from '@nestjs/common';
import { isDatabaseAway } from '../../../common/database/database-problem.js';
import type { AuditActor } from '../../../audit/audit-trail.js';
import type { Segment } from '../../lifecycle/segment.js';
import { OwnershipLost } from '../../store/fence.js';
import { FreeRunner, type StepOfHosts } from './free-runner.js';
import type { Lease } from '../lease/lease.js';
import type { LeaseStatus } from '../lease/lease-rows.js';
import { retryWhileDatabaseAway } from '../lease/retry-while-database-away.js';
import { type DriverContext, HAND_OVER_MS } from './run-driver.js';
import { finishSlice, loadSlice, type Slice } from './slice-rows.js';
import type { EngineContext } from '../step/engine-context.js';
import { StepRunner } from './step-runner.js';
import type { WarmConnections } from '../connections/warm-connections.js';

/** Runs one slice of a step while its lease holds. */
export class SliceDriver {
  private readonly log = new Logger('Slice');
  private runner: StepRunner | FreeRunner | null = null;
  private stopCause: 'cancel' | 'deadline' | null = null;
  private handingOver = false;
  private handOverDone: Promise<void> | null = null;

  constructor(
    private readonly parts: DriverContext,
    private readonly lease: Lease,
    private readonly sliceId: string,
    private readonly warm: WarmConnections,
  ) {}

  /** Resolves when the slice is finished, was handed over, or has another owner. */
  async drive(): Promise<void> {
    const { lease } = this;
    lease.keep((status) => this.onRenewal(status));
    lease.lost.addEventListener('abort', () => void this.runner?.detach(0), { once: true });
    try {
      await lease.refresh((status) => this.onRenewal(status));
      await this.runSlice();
      if (this.handingOver) await this.handOverDone;
      await (this.handingOver
        ? lease.giveBack((tx) => this.parts.queue.enqueueRunSlice(tx, { ...lease.ref, sliceId: this.sliceId }))
        : this.finish(null));
    } catch (error) {
      await this.giveUp(error);
    } finally {
      lease.stop();
    }
  }

  async refresh(): Promise<void> {
    await this.lease.refresh((status) => this.onRenewal(status));
  }

  async handOver(): Promise<void> {
    this.handingOver = true;
    this.handOverDone ??= this.runner?.detach(HAND_OVER_MS) ?? Promise.resolve();
    await this.handOverDone;
  }

  private async runSlice(): Promise<void> {
    const { lease, parts } = this;
    const { ref } = lease;
    const slice = await retryWhileDatabaseAway(lease, () =>
      parts.units.run(ref.tenantId, (tx) => loadSlice(tx, this.sliceId)),
    );
    if (!slice) throw new OwnershipLost();
    if (this.handingOver || (!slice.free && slice.open.length === 0)) return;
    const runContext = await retryWhileDatabaseAway(lease, () => parts.contexts.load(ref));
    const connections = this.warm.take(ref, runContext, () => parts.reaches.of(ref, runContext.environmentId));
    try {
      const { runner, run } = this.runnerOf(slice, { ...parts, runContext, connections, lease });
      this.runner = runner;
      if (this.stopCause) runner.stop(this.stopCause);
      if (!this.handingOver) await run();
      await connections.storeFindings();
    } finally {
      this.runner = null;
      this.warm.release(ref.executionId);
    }
  }

  /** Where hosts go on by themselves, those of the slice do so here, up to the end of their segment. */
  private runnerOf(
    { serverIds, segment, free, open }: Slice,
    parts: EngineContext,
  ): { runner: StepRunner | FreeRunner; run: () => Promise<void> } {
    if (free) {
      const runner = new FreeRunner({ ...parts, advanceHosts: (hosts) => this.advanceHosts(hosts, segment) });
      const busy = new Set(open.flatMap(({ hosts }) => hosts));
      const idle = serverIds.filter((id) => !busy.has(id));
      return { runner, run: () => runner.run(open, idle) };
    }
    const [step = { index: 0, hosts: [] }] = open;
    const runner = new StepRunner(parts, step.index);
    return { runner, run: () => runner.run(step.hosts) };
  }

  private async advanceHosts(hosts: readonly string[], within: Segment): Promise<StepOfHosts[]> {
    const { lease, parts } = this;
    const { ref, fence } = lease;
    const actor: AuditActor = { kind: 'system', tenantId: ref.tenantId, name: 'engine' };
    const { effects } = await retryWhileDatabaseAway(lease, () =>
      parts.store.transition(ref, fence, actor, { type: 'hosts_finished', hosts, within }),
    );
    return effects.filter((effect) => effect.type === 'run_step');
  }

  private onRenewal({ status, stopCause }: LeaseStatus): void {
    const cause = status === 'CANCELLING' ? 'cancel' : stopCause;
    if (!cause) return;
    this.stopCause ??= cause;
    this.runner?.stop(this.stopCause);
  }

  private finish(fault: string | null): Promise<void> {
    const { ref, fence } = this.lease;
    return retryWhileDatabaseAway(this.lease, () =>
      this.parts.units.run(ref.tenantId, (tx) => finishSlice(tx, ref, fence, fault)),
    );
  }

  private async giveUp(error: unknown): Promise<void> {
    if (error instanceof OwnershipLost)
      return this.log.warn(`Slice ${this.sliceId} has another owner; letting go of it.`);
    if (isDatabaseAway(error)) throw error;
    this.log.error(`Running slice ${this.sliceId} failed: ${error instanceof Error ? error.stack : String(error)}`);
    await this.finish(error instanceof Error ? error.message : String(error)).catch(() => undefined);
  }
}
