import { Inject, Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { CHANNELS, Notifications } from '../../../common/database/notifications.js';
import { type JobHandler, type WorkerPart, WorkerProvider } from '../../../common/queue/job-handler.js';
import { runWithLogFields } from '../../../common/logging/log-fields.js';
import { beforeScrape, drivenRuns, workerSlots } from '../../../common/metrics/metrics.js';
import { JobQueue } from '../../../common/queue/job-queue.js';
import { QUEUES, type RunSliceJob } from '../../../common/queue/queue-names.js';
import { RUNTIME, type Runtime } from '../../../common/settings/runtime.js';
import { HostReachabilityFactory } from '../connections/run-reach.js';
import type { RunRef } from '../../record/run-head.js';
import { RunStore } from '../../store/run-store.js';
import { type LeaseClaim, Lease } from '../lease/lease.js';
import { type DriverContext, RunDriver } from './run-driver.js';
import { RunContextLoader } from '../connections/run-context.js';
import { SliceDriver } from './slice-driver.js';
import { SHARED_SLICE_HOSTS } from './slice-size.js';
import { INITIAL_SLOTS, computeNextSlotCount, SlotUse } from './slot-use.js';
import { type HostSlots, SlotPool } from '../connections/slots.js';
import { StalledRunSweep } from './sweep.js';
import { WarmConnections } from '../connections/warm-connections.js';

/** Time in ms after which a run that needs no host slots counts as waiting, for example for a retry. */
const REST_INTERVAL_MS = 5_000;
const LOAD_INTERVAL_MS = 250;
const MAX_DRIVEN_PER_SLOT = 10;

interface LeasedDriver {
  drive(): Promise<void>;
  refresh(): Promise<void>;
  handOver(): Promise<void>;
}

/** Drives the runs and slices of the jobs. */
@WorkerProvider()
@Injectable()
export class RunWorker implements WorkerPart {
  private readonly log = new Logger('Worker');
  private readonly drivers = new Map<string, Set<LeasedDriver>>();
  private readonly slots: SlotPool;
  private places: number;
  private loadTimer: NodeJS.Timeout | null = null;
  private readonly warm: WarmConnections;
  private readonly sweep: StalledRunSweep;
  private stopListening: () => unknown = () => undefined;
  private stopMeasuring: () => void = () => undefined;
  private isDraining = false;
  private readonly runningDrivers = new Set<Promise<void>>();

  constructor(
    private readonly units: UnitOfWork,
    private readonly queue: JobQueue,
    private readonly notifications: Notifications,
    private readonly store: RunStore,
    private readonly contexts: RunContextLoader,
    private readonly reaches: HostReachabilityFactory,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {
    this.places = Math.min(INITIAL_SLOTS, runtime.settings.hostSlots);
    this.slots = new SlotPool(this.places);
    this.warm = new WarmConnections(units);
    this.sweep = new StalledRunSweep(units, queue, store);
  }

  start(): void {
    this.stopListening = this.notifications.subscribe(CHANNELS.executionControl, (id) => {
      // With an empty payload, notifications may have been lost: refresh all drivers.
      const notifiedDrivers = id === '' ? [...this.drivers.values()] : [this.drivers.get(id) ?? []];
      for (const driver of notifiedDrivers.flatMap((each) => [...each])) void driver.refresh();
      void this.warm.refreshConnections(id);
    });
    this.stopMeasuring = beforeScrape(() => {
      workerSlots.set({ state: 'total' }, this.places);
      workerSlots.set({ state: 'used' }, this.slots.usedSlots);
      drivenRuns.set(this.runningDrivers.size);
    });
    this.sweep.start();
    this.adjustSlots();
  }

  /** Hands all runs over to other workers. */
  async drain(): Promise<void> {
    this.isDraining = true;
    this.sweep.stop();
    if (this.loadTimer) clearInterval(this.loadTimer);
    this.stopListening();
    this.stopMeasuring();
    const drivers = [...this.drivers.values()].flatMap((each) => [...each]);
    await Promise.allSettled(drivers.map((driver) => driver.handOver()));
    this.warm.closeAll();
    await Promise.allSettled([...this.runningDrivers]);
  }

  private adjustSlots(): void {
    let before = performance.eventLoopUtilization();
    this.loadTimer = setInterval(() => {
      const { utilization: busy } = performance.eventLoopUtilization(before);
      before = performance.eventLoopUtilization();
      this.places = computeNextSlotCount(
        this.places,
        { busy, hasWaitingHosts: this.slots.hasWaiting },
        this.runtime.settings.hostSlots,
      );
      this.slots.resize(this.places);
    }, LOAD_INTERVAL_MS);
  }

  async driveRun(ref: RunRef): Promise<void> {
    if (this.isDraining) return this.units.run(ref.tenantId, (tx) => this.queue.enqueueAdvanceRun(tx, ref));
    const claim = await Lease.claimRun(this.units, ref, this.runtime.processName);
    if (claim.kind === 'paused') return this.store.expirePause(ref);
    if (claim.kind === 'queued') return this.store.admitRun(ref);
    await this.driveIfClaimed(ref, claim, 0, (lease, slots) => new RunDriver(this.createDriverContext(slots), lease));
  }

  async driveSlice({ sliceId, ...ref }: RunSliceJob): Promise<void> {
    if (this.isDraining)
      return this.units.run(ref.tenantId, (tx) => this.queue.enqueueRunSlice(tx, { ...ref, sliceId }));
    const claim = await Lease.claimSlice(this.units, ref, sliceId, this.runtime.processName);
    // Few slow hosts at the end of a slice must not block the next slice.
    const few = Math.floor(this.runtime.settings.hostSlots / 10);
    await this.driveIfClaimed(
      ref,
      claim,
      few,
      (lease, slots) => new SliceDriver(this.createDriverContext(slots), lease, sliceId, this.warm),
    );
  }

  /**
   * Drives the run or slice of the job. Ignores a job that is already claimed: the owner drives it, and the sweep
   * enqueues it again if the owner dies.
   *
   * Resolves when the driver has ended, or earlier when it uses at most `few` host slots. The worker then takes its
   * next job while this one continues.
   */
  private async driveIfClaimed(
    ref: RunRef,
    claim: LeaseClaim,
    few: number,
    make: (lease: Lease, slots: HostSlots) => LeasedDriver,
  ): Promise<void> {
    if (claim.kind !== 'claimed') return;
    const use = new SlotUse(this.slots);
    const over = new AbortController();
    const fields = { run: ref.executionId, tenant: ref.tenantId };
    const driving = runWithLogFields(fields, () => this.runDriver(ref, make(claim.lease, use))).finally(() => {
      this.runningDrivers.delete(driving);
      over.abort();
    });
    this.runningDrivers.add(driving);
    await use.waitUntilIdle(few, REST_INTERVAL_MS, over.signal);
    if (this.runningDrivers.size >= MAX_DRIVEN_PER_SLOT * this.runtime.settings.runSlots) await driving;
  }

  private async runDriver(ref: RunRef, driver: LeasedDriver): Promise<void> {
    const { executionId } = ref;
    const drivers = this.drivers.get(executionId) ?? new Set();
    this.drivers.set(executionId, drivers.add(driver));
    try {
      if (this.isDraining) await driver.handOver();
      await driver.drive();
    } catch (error) {
      // The lease expires and the sweep enqueues the run again. The next owner continues from the stored state.
      this.log.error(
        `Run ${executionId} is left to the next worker: ${error instanceof Error ? error.stack : String(error)}`,
      );
    } finally {
      drivers.delete(driver);
      if (drivers.size === 0 && this.drivers.get(executionId) === drivers) this.drivers.delete(executionId);
    }
  }

  private createDriverContext(slots: HostSlots): DriverContext {
    const { units, store, queue, notifications, contexts, reaches } = this;
    return { units, store, queue, notifications, slots, contexts, reaches, settings: this.runtime.settings };
  }
}

@WorkerProvider()
@Injectable()
export class AdvanceRunJobs implements JobHandler<'advance-run'> {
  readonly queue = QUEUES.advanceRun;
  readonly concurrency: number;
  readonly drainMs = 0;

  constructor(
    private readonly runs: RunWorker,
    @Inject(RUNTIME) { settings }: Runtime,
  ) {
    this.concurrency = settings.runSlots;
  }

  handle(job: RunRef): Promise<void> {
    return this.runs.driveRun(job);
  }
}

@WorkerProvider()
@Injectable()
export class RunSliceJobs implements JobHandler<'run-slice'> {
  readonly queue = QUEUES.runSlice;
  readonly concurrency: number;
  readonly drainMs = 0;

  /** Takes only enough slices to keep the host slots busy, and leaves the others to other workers. */
  constructor(
    private readonly runs: RunWorker,
    @Inject(RUNTIME) { settings: { runSlots, hostSlots, sliceHosts } }: Runtime,
  ) {
    this.concurrency = Math.min(runSlots, 1 + Math.ceil(hostSlots / (sliceHosts ?? SHARED_SLICE_HOSTS)));
  }

  handle(job: RunSliceJob): Promise<void> {
    return this.runs.driveSlice(job);
  }
}
