import type { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { CHANNELS, type Notifications } from '../../../common/database/notifications.js';
import type { JobQueue } from '../../../common/queue/job-queue.js';
import type { StepSegment } from '../../lifecycle/segment.js';
import { OwnershipLostError } from '../../store/fence.js';
import type { StopCause } from '../progress/host-outcome.js';
import { type Lease, retryWhileDatabaseAway } from '../lease/lease.js';
import { closeUnstartedSlices, countOpenSlices, createSlices, stopSlices } from './slice-rows.js';
import type { StepWork } from '../step/step-work.js';

/** Interval for polling the slices, in ms. A notification shortens it. */
const POLL_MS = 1_000;

export interface StepSlicesContext {
  units: UnitOfWork;
  queue: JobQueue;
  notifications: Notifications;
  lease: Lease;
  sliceHosts: number;
}

/**
 * Divides the hosts of a large step or segment into slices for all workers, including this one. Waits for all slices.
 */
export class StepSlices implements StepWork {
  private isDetaching = false;
  private stopped = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly context: StepSlicesContext,
    private readonly segment: StepSegment,
  ) {}

  async run(serverIds: readonly string[]): Promise<void> {
    const { notifications, lease } = this.context;
    const { executionId } = lease.ref;
    const stopListening = notifications.subscribe(CHANNELS.sliceEnded, (id) => {
      if (id === executionId || id === '') this.wake();
    });
    const detach = (): void => this.wake();
    lease.lost.addEventListener('abort', detach, { once: true });
    try {
      await this.createSlices(serverIds);
      while (!this.isDetaching && !(await this.areSlicesFinished())) await this.waitForChange();
    } finally {
      stopListening();
      lease.lost.removeEventListener('abort', detach);
    }
  }

  /** Other workers see a cancelled run by its status, but need a notification when the time limit has passed. */
  stop(cause: StopCause): void {
    this.stopped = true;
    this.wake();
    if (cause !== 'deadline') return;
    const { units, lease } = this.context;
    const { ref, fence } = lease;
    void retryWhileDatabaseAway(lease, () => units.run(ref.tenantId, (tx) => stopSlices(tx, ref, fence))).catch(
      () => undefined,
    );
  }

  /** Does not stop the slices: the next driver of the run waits for them. */
  detach(): Promise<void> {
    this.isDetaching = true;
    this.wake();
    return Promise.resolve();
  }

  private async createSlices(serverIds: readonly string[]): Promise<void> {
    const { units, queue, lease, sliceHosts } = this.context;
    const { ref, fence } = lease;
    await retryWhileDatabaseAway(lease, () =>
      units.run(ref.tenantId, async (tx) => {
        const ids = await createSlices(tx, ref, fence, { segment: this.segment, serverIds, sliceHosts });
        for (const sliceId of ids) await queue.enqueueRunSlice(tx, { ...ref, sliceId });
      }),
    );
  }

  private async areSlicesFinished(): Promise<boolean> {
    const { units, lease } = this.context;
    if (lease.lost.aborted) throw new OwnershipLostError();
    const { ref, fence } = lease;
    const { open, fault } = await retryWhileDatabaseAway(lease, () =>
      units.run(ref.tenantId, async (tx) => {
        // Closes unclaimed slices here, because busy workers might not claim them for a long time.
        if (this.stopped) await closeUnstartedSlices(tx, ref, fence, this.segment);
        return countOpenSlices(tx, ref, this.segment);
      }),
    );
    if (fault !== null) throw new Error(`A slice of the step failed: ${fault}`);
    return open === 0;
  }

  private waitForChange(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
