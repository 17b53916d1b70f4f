import type { AuditActor } from '../../../audit/audit-trail.js';
import type { StepSegment } from '../../lifecycle/segment.js';
import { OwnershipLostError } from '../../store/fence.js';
import type { WarmConnections } from '../connections/warm-connections.js';
import { type Lease, retryWhileDatabaseAway } from '../lease/lease.js';
import { LeaseDriver } from './lease-driver.js';
import type { DriverContext } from './run-driver.js';
import { SegmentRunner, type StepHosts } from './segment-runner.js';
import { finishSlice, loadSlice } from './slice-rows.js';

export class SliceDriver extends LeaseDriver {
  constructor(
    private readonly context: DriverContext,
    lease: Lease,
    private readonly sliceId: string,
    private readonly warm: WarmConnections,
  ) {
    super(lease, `Slice ${sliceId}`);
  }

  protected async driveLeased(): Promise<void> {
    await this.refresh();
    await this.runSlice();
    await (this.isHandingOver
      ? this.releaseLease((tx) => this.context.queue.enqueueRunSlice(tx, { ...this.lease.ref, sliceId: this.sliceId }))
      : this.finishSlice(null));
  }

  protected async abortDriving(error: unknown): Promise<void> {
    await this.finishSlice(error instanceof Error ? error.message : String(error)).catch(() => undefined);
  }

  /** Does nothing: other slices of the run keep using the connections. */
  protected release(): void {
    return;
  }

  private async runSlice(): Promise<void> {
    const { lease, context } = this;
    const { ref } = lease;
    const slice = await retryWhileDatabaseAway(lease, () =>
      context.units.run(ref.tenantId, (tx) => loadSlice(tx, this.sliceId)),
    );
    if (!slice) throw new OwnershipLostError();
    const { open, free, segment } = slice;
    if (this.isHandingOver || (!free && open.length === 0)) return;
    const runContext = await retryWhileDatabaseAway(lease, () => context.contexts.loadContext(ref, slice.serverIds));
    const connections = this.warm.takeConnections(ref, runContext, () => context.reaches.createForRun(ref, runContext));
    try {
      const engine = { ...context, runContext, connections, lease };
      const runner = new SegmentRunner(engine, free ? (hosts) => this.advanceHosts(hosts, segment) : null);
      const busy = new Set(open.flatMap(({ hosts }) => hosts));
      const idleHosts = free ? slice.serverIds.filter((id) => !busy.has(id)) : [];
      await this.runWork(runner, () => runner.run(open, idleHosts));
      await connections.storeReachability();
    } finally {
      this.warm.releaseConnections(ref.executionId);
    }
  }

  private async advanceHosts(hosts: readonly string[], within: StepSegment): Promise<StepHosts[]> {
    const { lease, context } = this;
    const { ref, fence } = lease;
    const actor: AuditActor = { kind: 'system', tenantId: ref.tenantId, name: 'engine' };
    const { effects } = await retryWhileDatabaseAway(lease, () =>
      context.store.applyTransition(ref, fence, actor, { type: 'hosts_finished', hosts, within }),
    );
    return effects.filter((effect) => effect.type === 'run_step');
  }

  private finishSlice(fault: string | null): Promise<void> {
    const { ref, fence } = this.lease;
    return retryWhileDatabaseAway(this.lease, () =>
      this.context.units.run(ref.tenantId, (tx) => finishSlice(tx, ref, fence, fault)),
    );
  }
}
