import { Inject, Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { CHANNELS, Notifications } from '../../common/notify/notifications.js';
import { JobQueue } from '../../common/queue/job-queue.js';
import { RUNTIME, type Runtime } from '../../common/runtime.js';
import { type RunRef, RunStore } from '../run-store.js';
import { Lease } from './lease.js';
import { RunDriver } from './run-driver.js';
import { RunMaterials } from './run-material.js';
import { Slots } from './slots.js';

/** How often runs that nobody drives are looked for, in ms. */
const SWEEP_MS = 5_000;
/** Several workers who find the same stalled run ring for it once within this, in seconds. */
const RING_EVERY_SECONDS = 15;
const STALLED_AT_ONCE = 100;

/** Takes doorbells from the queue and drives the runs that they name. */
@Injectable()
export class RunWorker {
  private readonly log = new Logger('Worker');
  private readonly drivers = new Map<string, RunDriver>();
  private readonly slots: Slots;
  private sweeper: NodeJS.Timeout | null = null;
  private stopHearing: () => unknown = () => undefined;
  private draining = false;
  private readonly driving = new Set<Promise<void>>();

  constructor(
    private readonly units: UnitOfWork,
    private readonly queue: JobQueue,
    private readonly notifications: Notifications,
    private readonly store: RunStore,
    private readonly materials: RunMaterials,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {
    this.slots = new Slots(runtime.settings.hostSlots);
  }

  async start(): Promise<void> {
    this.stopHearing = this.notifications.on(CHANNELS.executionControl, (id) => {
      // An empty payload means that some may have been missed: look at all.
      const asked = id === '' ? [...this.drivers.values()] : [this.drivers.get(id)];
      for (const driver of asked) void driver?.look();
    });
    this.sweeper = setInterval(() => void this.sweep(), SWEEP_MS);
    await this.queue.workAdvanceRun(this.runtime.settings.runSlots, (job) => this.drive(job));
  }

  /** Takes no more runs and hands over those that it drives (design: engine.md, SIGTERM). */
  async drain(): Promise<void> {
    this.draining = true;
    if (this.sweeper) clearInterval(this.sweeper);
    this.stopHearing();
    await this.queue.stopTaking();
    await Promise.allSettled([...this.drivers.values()].map((driver) => driver.handOver()));
    await Promise.allSettled([...this.driving]);
  }

  private async drive(ref: RunRef): Promise<void> {
    if (this.draining) return this.ringAgain(ref);
    const claim = await Lease.claim(this.units, ref, this.runtime.processName);
    if (claim.kind === 'paused') return this.store.expirePause(ref);
    // Held: its owner drives it; should the owner fall silent, the sweep rings again.
    if (claim.kind !== 'claimed') return;
    const driving = this.driveClaimed(ref, claim.lease);
    this.driving.add(driving);
    await driving.finally(() => this.driving.delete(driving));
  }

  private async driveClaimed(ref: RunRef, lease: Lease): Promise<void> {
    const { units, store, queue, slots, materials } = this;
    const { settings } = this.runtime;
    const driver = new RunDriver({ units, store, queue, slots, materials, settings }, lease);
    this.drivers.set(ref.executionId, driver);
    try {
      if (this.draining) await driver.handOver();
      await driver.drive();
    } catch (error) {
      // The lease runs out and the sweep rings: the next owner goes on from what is stored.
      this.log.error(
        `Run ${ref.executionId} is left to the next worker: ${error instanceof Error ? error.stack : String(error)}`,
      );
    } finally {
      if (this.drivers.get(ref.executionId) === driver) this.drivers.delete(ref.executionId);
    }
  }

  private async ringAgain(ref: RunRef): Promise<void> {
    await this.units.run(ref.tenantId, (tx) => this.queue.ringAdvanceRun(tx, ref));
  }

  private async sweep(): Promise<void> {
    try {
      const stalled = await this.units.runWithoutTenant((tx) =>
        tx.query<{ tenant_id: string; execution_id: string }[]>('select * from stalled_executions($1)', [
          STALLED_AT_ONCE,
        ]),
      );
      for (const row of stalled) {
        const ref = { tenantId: row.tenant_id, executionId: row.execution_id };
        await this.units.run(ref.tenantId, (tx) =>
          this.queue.ringAdvanceRun(tx, ref, { atMostEverySeconds: RING_EVERY_SECONDS }),
        );
      }
    } catch (error) {
      this.log.warn(`Looking for stalled runs failed: ${String(error)}`);
    }
  }
}
