import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { WorkerHeartbeat } from '../../../common/health/worker-heartbeat.js';
import { CHANNELS, Notifications } from '../../../common/notify/notifications.js';
import { JobQueue } from '../../../common/queue/job-queue.js';
import type { RunSliceJob } from '../../../common/queue/queue-names.js';
import { RUNTIME, type Runtime } from '../../../common/runtime.js';
import { GitSyncWorker } from '../../../git-sources/sync/sync-worker.js';
import { CheckWorker } from '../../../inventory/checks/check-worker.js';
import { ImportWorker } from '../../../inventory/import/import-worker.js';
import { RotationWorker } from '../../../inventory/rotation/rotation-worker.js';
import { PlanFolderWorker } from '../../../plans/folders/folder-worker.js';
import { RunReaches } from '../connections/run-reach.js';
import type { RunRef } from '../../record/run-head.js';
import { RunStore } from '../../store/run-store.js';
import { HostCheck } from '../recovery/host-check.js';
import { type Claim, Lease } from '../lease/lease.js';
import { type DriverContext, RunDriver } from './run-driver.js';
import { RunContextLoader } from '../connections/run-context.js';
import { SliceDriver } from './slice-driver.js';
import { SHARED_HOSTS } from './slice-size.js';
import { INITIAL_SLOTS, nextSlotCount } from './slot-count.js';
import { SlotUse } from './slot-use.js';
import { type HostSlots, Slots } from '../connections/slots.js';
import { Sweep } from './sweep.js';
import { WarmConnections } from '../connections/warm-connections.js';

/** Time in ms after which a run that needs no host slots counts as waiting, for example for a retry. */
const REST_INTERVAL_MS = 5_000;
const LOAD_INTERVAL_MS = 250;
const MAX_DRIVEN_PER_SLOT = 10;

/** Concurrent checks; people wait for their answer. */
const CHECKS_AT_ONCE = 4;

/** Concurrent server imports: each holds thousands of records in memory. */
const IMPORTS_AT_ONCE = 1;

/** Concurrent key rotations. A job handles a few hosts and then yields to the next rotation. */
const ROTATIONS_AT_ONCE = 2;

const FOLDERS_AT_ONCE = 1;

interface Driver {
  drive(): Promise<void>;
  refresh(): Promise<void>;
  handOver(): Promise<void>;
}

/** Takes jobs from the queue, and drives the run or slice of each job. */
@Injectable()
export class RunWorker implements OnApplicationShutdown {
  private readonly log = new Logger('Worker');
  private readonly drivers = new Map<string, Set<Driver>>();
  private readonly slots: Slots;
  private places: number;
  private loadTimer: NodeJS.Timeout | null = null;
  private readonly warm: WarmConnections;
  private readonly sweep: Sweep;
  private readonly heartbeat: WorkerHeartbeat;
  private stopListening: () => unknown = () => undefined;
  private isDraining = false;
  private drainPromise: Promise<void> | null = null;
  private readonly runningDrivers = new Set<Promise<void>>();

  constructor(
    private readonly units: UnitOfWork,
    private readonly queue: JobQueue,
    private readonly notifications: Notifications,
    private readonly store: RunStore,
    private readonly contexts: RunContextLoader,
    private readonly reaches: RunReaches,
    private readonly checks: HostCheck,
    private readonly imports: ImportWorker,
    private readonly rotations: RotationWorker,
    private readonly serverChecks: CheckWorker,
    private readonly gitSyncs: GitSyncWorker,
    private readonly planFolders: PlanFolderWorker,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {
    this.places = Math.min(INITIAL_SLOTS, runtime.settings.hostSlots);
    this.slots = new Slots(this.places);
    this.warm = new WarmConnections(units);
    this.sweep = new Sweep(units, queue, store);
    this.heartbeat = new WorkerHeartbeat(units, runtime.processName, () => this.leaveToNewerCode());
  }

  async start(): Promise<void> {
    this.stopListening = this.notifications.on(CHANNELS.executionControl, (id) => {
      // With an empty payload, notifications may have been lost: refresh all drivers.
      const notifiedDrivers = id === '' ? [...this.drivers.values()] : [this.drivers.get(id) ?? []];
      for (const driver of notifiedDrivers.flatMap((each) => [...each])) void driver.refresh();
      void this.warm.refresh(id);
    });
    this.sweep.start();
    this.adjustSlots();
    const { runSlots, hostSlots, sliceHosts, gitSyncSlots } = this.runtime.settings;
    // Takes only enough slices to keep the host slots busy, and leaves the others to other workers.
    const sliceSlots = Math.min(runSlots, 1 + Math.ceil(hostSlots / (sliceHosts ?? SHARED_HOSTS)));
    await this.queue.processAdvanceRun(runSlots, (job) => this.driveRun(job));
    await this.queue.processRunSlice(sliceSlots, (job) => this.driveSlice(job));
    await this.queue.processCheckHost(CHECKS_AT_ONCE, (job) => this.checks.check(job));
    await this.queue.processImportServers(IMPORTS_AT_ONCE, (job) => this.imports.run(job));
    await this.queue.processRotateKey(ROTATIONS_AT_ONCE, (job) => this.rotations.run(job));
    await this.queue.processGitSync(gitSyncSlots, (job) => this.gitSyncs.run(job));
    await this.queue.processPlanFolders(FOLDERS_AT_ONCE, (job) => this.planFolders.run(job));
    this.serverChecks.start();
    await this.heartbeat.start();
  }

  get isReady(): boolean {
    return !this.isDraining && this.heartbeat.isFresh;
  }

  drain(): Promise<void> {
    return (this.drainPromise ??= this.handOverAll());
  }

  /** The worker counts as alive until the process has sent everything. An installation hold waits for that. */
  onApplicationShutdown(): Promise<void> {
    return this.heartbeat.stop();
  }

  /** Stops taking work but keeps the process alive, because a supervisor would restart it. */
  private leaveToNewerCode(): void {
    if (this.isDraining) return;
    this.log.error('A newer Runward has upgraded the database. This worker accepts no more work. Stop this process.');
    // Deferred, because the heartbeat that called this method must end first.
    setImmediate(() => void this.drain().then(() => this.heartbeat.stop()));
  }

  private async handOverAll(): Promise<void> {
    this.isDraining = true;
    this.sweep.stop();
    if (this.loadTimer) clearInterval(this.loadTimer);
    this.stopListening();
    await this.queue.stopTaking();
    const others = [this.rotations.drain(), this.gitSyncs.drain(), this.planFolders.drain()];
    const drivers = [...this.drivers.values()].flatMap((each) => [...each]);
    const checked = this.serverChecks.stop();
    await Promise.allSettled(drivers.map((driver) => driver.handOver()));
    await checked;
    this.warm.closeAll();
    await Promise.allSettled([...this.runningDrivers, ...others]);
  }

  private adjustSlots(): void {
    let before = performance.eventLoopUtilization();
    this.loadTimer = setInterval(() => {
      const { utilization: busy } = performance.eventLoopUtilization(before);
      before = performance.eventLoopUtilization();
      this.places = nextSlotCount(
        this.places,
        { busy, hasWaitingHosts: this.slots.hasWaiting },
        this.runtime.settings.hostSlots,
      );
      this.slots.resize(this.places);
    }, LOAD_INTERVAL_MS);
  }

  private async driveRun(ref: RunRef): Promise<void> {
    if (this.isDraining) return this.units.run(ref.tenantId, (tx) => this.queue.enqueueAdvanceRun(tx, ref));
    const claim = await Lease.claim(this.units, ref, this.runtime.processName);
    if (claim.kind === 'paused') return this.store.expirePause(ref);
    if (claim.kind === 'queued') return this.store.admit(ref);
    await this.driveClaimed(ref, claim, 0, (lease, slots) => new RunDriver(this.contextOf(slots), lease));
  }

  private async driveSlice({ sliceId, ...ref }: RunSliceJob): Promise<void> {
    if (this.isDraining)
      return this.units.run(ref.tenantId, (tx) => this.queue.enqueueRunSlice(tx, { ...ref, sliceId }));
    const claim = await Lease.claimSlice(this.units, ref, sliceId, this.runtime.processName);
    // Few slow hosts at the end of a slice must not block the next slice.
    const few = Math.floor(this.runtime.settings.hostSlots / 10);
    await this.driveClaimed(
      ref,
      claim,
      few,
      (lease, slots) => new SliceDriver(this.contextOf(slots), lease, sliceId, this.warm),
    );
  }

  /**
   * Drives the run or slice of the job. Ignores a job that is already claimed: the owner drives it, and the sweep
   * enqueues it again if the owner dies.
   *
   * Resolves when the driver has ended, or earlier when it uses at most `few` host slots. The worker then takes its
   * next job while this one continues.
   */
  private async driveClaimed(
    ref: RunRef,
    claim: Claim,
    few: number,
    make: (lease: Lease, slots: HostSlots) => Driver,
  ): Promise<void> {
    if (claim.kind !== 'claimed') return;
    const use = new SlotUse(this.slots);
    const over = new AbortController();
    const driving = this.drive(ref, make(claim.lease, use)).finally(() => {
      this.runningDrivers.delete(driving);
      over.abort();
    });
    this.runningDrivers.add(driving);
    await use.quiet(few, REST_INTERVAL_MS, over.signal);
    if (this.runningDrivers.size >= MAX_DRIVEN_PER_SLOT * this.runtime.settings.runSlots) await driving;
  }

  private async drive(ref: RunRef, driver: Driver): Promise<void> {
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

  private contextOf(slots: HostSlots): DriverContext {
    const { units, store, queue, notifications, contexts, reaches } = this;
    return { units, store, queue, notifications, slots, contexts, reaches, settings: this.runtime.settings };
  }
}
