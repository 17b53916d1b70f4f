import { Logger } from '@nestjs/common';
import { isDatabaseUnavailable } from '../../../common/database/database-problem.js';
import { OwnershipLostError } from '../../store/fence.js';
import type { Lease } from '../lease/lease.js';
import type { LeaseStatus } from '../lease/lease-rows.js';
import type { StopCause } from '../progress/host-outcome.js';
import type { StepWork } from '../step/step-work.js';

/**
 * Time that a stopping worker waits for commands that it cannot detach from, in ms. The worker itself must exit within
 * 15 s.
 */
const HAND_OVER_TIMEOUT_MS = 9_000;

/**
 * Base class of the drivers of runs and slices. Handles the lease, stop requests, and the hand-over to the next worker.
 */
export abstract class LeaseDriver {
  private readonly log = new Logger('Driver');
  protected stopCause: Extract<StopCause, 'cancel' | 'deadline'> | null = null;
  private work: StepWork | null = null;
  private handOverDone: Promise<void> | null = null;

  protected constructor(
    protected readonly lease: Lease,
    private readonly name: string,
  ) {}

  /** Works until nothing is left to do. @throws OwnershipLostError */
  protected abstract driveLeased(): Promise<void>;
  /** Ends the run or slice after an internal error that would occur again in every retry. */
  protected abstract abortDriving(error: unknown): Promise<void>;
  protected abstract release(): void;

  /**
   * Resolves when nothing is left to do. Also resolves when the run waits for a person, was handed over, or has another
   * owner.
   */
  async drive(): Promise<void> {
    const { lease } = this;
    lease.startRenewing((status) => this.onRenewal(status));
    // The run has another owner: detach from the hosts at once, and kill nothing there.
    lease.lost.addEventListener('abort', () => void this.detach(), { once: true });
    try {
      await this.driveLeased();
    } catch (error) {
      await this.giveUp(error);
    } finally {
      lease.stop();
      this.release();
    }
  }

  async refresh(): Promise<void> {
    await this.lease.renewNow((status) => this.onRenewal(status));
  }

  /** Detaches from running commands for the next worker. Waits briefly for commands that it cannot detach from. */
  async handOver(): Promise<void> {
    this.handOverDone ??= this.work?.detach(HAND_OVER_TIMEOUT_MS) ?? Promise.resolve();
    await this.handOverDone;
    this.release();
  }

  protected get isHandingOver(): boolean {
    return this.handOverDone !== null;
  }

  /**
   * Releases the lease for the next worker. @param enqueue stores the job of the next worker in the same transaction
   */
  protected async releaseLease(enqueue: Parameters<Lease['releaseBeforeExpiry']>[0]): Promise<void> {
    await this.handOverDone;
    await this.lease.releaseBeforeExpiry(enqueue);
  }

  /** Runs the work unless a hand-over has begun. Forwards a stop request that arrived earlier. */
  protected async runWork(work: StepWork, run: () => Promise<void>): Promise<void> {
    this.work = work;
    if (this.stopCause) work.stop(this.stopCause);
    try {
      if (!this.isHandingOver) await run();
    } finally {
      this.work = null;
    }
  }

  protected stop(cause: 'cancel' | 'deadline'): void {
    this.stopCause ??= cause;
    this.work?.stop(this.stopCause);
  }

  protected async detach(): Promise<void> {
    await this.work?.detach(0);
    this.release();
  }

  private onRenewal({ status, stopCause }: LeaseStatus): void {
    const cause = status === 'CANCELLING' ? 'cancel' : stopCause;
    if (cause) this.stop(cause);
  }

  private async giveUp(error: unknown): Promise<void> {
    if (error instanceof OwnershipLostError)
      return this.log.warn(`${this.name} has another owner. This worker stops driving it.`);
    // The database outage is not a fault of the run: its next owner continues it.
    if (isDatabaseUnavailable(error)) throw error;
    this.log.error(`Driving ${this.name} failed: ${error instanceof Error ? error.stack : String(error)}`);
    await this.abortDriving(error);
  }
}
