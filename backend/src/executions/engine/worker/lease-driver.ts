import { Logger } from '@nestjs/common';
import { isDatabaseAway } from '../../../common/database/database-problem.js';
import { OwnershipLost } from '../../store/fence.js';
import type { Lease } from '../lease/lease.js';
import type { LeaseStatus } from '../lease/lease-rows.js';
import type { StopCause } from '../progress/host-outcome.js';
import type { StepWork } from '../step/step-work.js';

/** How long a worker that stops waits for commands that it can't detach from, in ms: it must exit within 15 s. */
const HAND_OVER_MS = 9_000;

/** What the drivers of a run and of a slice share: the lease, a wish to stop, and the hand-over to the next worker. */
export abstract class LeaseDriver {
  private readonly log = new Logger('Driver');
  protected stopCause: Extract<StopCause, 'cancel' | 'deadline'> | null = null;
  private work: StepWork | null = null;
  private handOverDone: Promise<void> | null = null;

  protected constructor(
    protected readonly lease: Lease,
    /** What is driven, for the log: `Run …`. */
    private readonly name: string,
  ) {}

  /** Does what there is to do while the lease holds. @throws OwnershipLost */
  protected abstract driveLeased(): Promise<void>;
  /** A fault of the engine itself: ends what is driven, as trying again and again would leave it unfinished for ever. */
  protected abstract breakOff(error: unknown): Promise<void>;
  /** Nothing more is done here: connections and timers end. */
  protected abstract release(): void;

  /** Resolves when there is nothing left to do, or when it waits for a person, was handed over, or has another owner. */
  async drive(): Promise<void> {
    const { lease } = this;
    lease.keep((status) => this.onRenewal(status));
    // Another owner: detach from the hosts at once, and kill nothing there.
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

  /** Somebody asked a run to stop: looks whether it is this one. */
  async refresh(): Promise<void> {
    await this.lease.refresh((status) => this.onRenewal(status));
  }

  /** Leaves running commands to the next worker; lets those end that can't be left, if they do so soon. */
  async handOver(): Promise<void> {
    this.handOverDone ??= this.work?.detach(HAND_OVER_MS) ?? Promise.resolve();
    await this.handOverDone;
    this.release();
  }

  protected get handingOver(): boolean {
    return this.handOverDone !== null;
  }

  /** Gives the lease to the next worker. @param enqueue calls for that worker, in the same transaction */
  protected async giveBack(enqueue: Parameters<Lease['giveBack']>[0]): Promise<void> {
    await this.handOverDone;
    await this.lease.giveBack(enqueue);
  }

  /** Runs this, unless it is handed over already; tells it of a wish to stop that came before. */
  protected async perform(work: StepWork, run: () => Promise<void>): Promise<void> {
    this.work = work;
    if (this.stopCause) work.stop(this.stopCause);
    try {
      if (!this.handingOver) await run();
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
    if (error instanceof OwnershipLost) return this.log.warn(`${this.name} has another owner; letting go of it.`);
    // No fault of the run's: whoever drives it next goes on.
    if (isDatabaseAway(error)) throw error;
    this.log.error(`Driving ${this.name} failed: ${error instanceof Error ? error.stack : String(error)}`);
    await this.breakOff(error);
  }
}
