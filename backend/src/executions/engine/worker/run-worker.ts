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
import { FIRST_PLACES, nextPlaces } from './slot-rule.js';
import { SlotUse } from './slot-use.js';
import { type HostSlots, Slots } from '../connections/slots.js';
import { Sweep } from './sweep.js';
import { WarmConnections } from '../connections/warm-connections.js';

/** A run that wants no host slot for this long waits for something, such as the time of a retry, in ms. */
const RESTS_MS = 5_000;
/** How often it is looked at how busy the worker is, in ms. */
const LOOK_MS = 250;
/** Runs and slices that one worker drives, those that wait included: so many times its run slots. */
const MOST_DRIVEN = 10;

/** Hosts that one worker asks at a time what became of a command, for people who wait for the answer. */
const CHECKS_AT_ONCE = 4;

/** Imports of servers that one worker carries out at a time: each holds thousands of records in memory. */
const IMPORTS_AT_ONCE = 1;

/** Rotations of keys that one worker works on at a time, each for some hosts before it is another's turn. */
const ROTATIONS_AT_ONCE = 2;

/** Git sources that one worker makes plans of at a time. */
const FOLDERS_AT_ONCE = 1;

/** A run, or a slice of one, that is driven here. */
interface Driver {
  drive(): Promise<void>;
  refresh(): Promise<void>;
  handOver(): Promise<void>;
}

/** Takes jobs from the queue and drives the runs and slices that they name. */
@Injectable()
export class RunWorker implements OnApplicationShutdown {
  private readonly log = new Logger('Worker');
  /** By run: its driver, and those of its slices. */
  private readonly drivers = new Map<string, Set<Driver>>();
  private readonly slots: Slots;
  private places: number;
  private looking: NodeJS.Timeout | null = null;
  private readonly warm: WarmConnections;
  private readonly sweep: Sweep;
  private readonly heartbeat: WorkerHeartbeat;
  private stopHearing: () => unknown = () => undefined;
  private draining = false;
  private drained: Promise<void> | null = null;
  private readonly driving = new Set<Promise<void>>();

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
    this.places = Math.min(FIRST_PLACES, runtime.settings.hostSlots);
    this.slots = new Slots(this.places);
    this.warm = new WarmConnections(units);
    this.sweep = new Sweep(units, queue, store);
    this.heartbeat = new WorkerHeartbeat(units, runtime.processName, () => this.leaveToNewerCode());
  }

  async start(): Promise<void> {
    this.stopHearing = this.notifications.on(CHANNELS.executionControl, (id) => {
      // An empty payload means that some may have been missed: look at all.
      const asked = id === '' ? [...this.drivers.values()] : [this.drivers.get(id) ?? []];
      for (const driver of asked.flatMap((each) => [...each])) void driver.refresh();
      void this.warm.refresh(id);
    });
    this.sweep.start();
    this.fitPlaces();
    const { runSlots, hostSlots, sliceHosts, gitSyncSlots } = this.runtime.settings;
    // No more than keep the host slots busy: the others are for other workers.
    const sliceSlots = Math.min(runSlots, 1 + Math.ceil(hostSlots / (sliceHosts ?? SHARED_HOSTS)));
    await this.queue.workAdvanceRun(runSlots, (job) => this.driveRun(job));
    await this.queue.workRunSlice(sliceSlots, (job) => this.driveSlice(job));
    await this.queue.workCheckHost(CHECKS_AT_ONCE, (job) => this.checks.check(job));
    await this.queue.workImportServers(IMPORTS_AT_ONCE, (job) => this.imports.run(job));
    await this.queue.workRotateKey(ROTATIONS_AT_ONCE, (job) => this.rotations.run(job));
    await this.queue.workGitSync(gitSyncSlots, (job) => this.gitSyncs.run(job));
    await this.queue.workPlanFolders(FOLDERS_AT_ONCE, (job) => this.planFolders.run(job));
    this.serverChecks.start();
    await this.heartbeat.start();
  }

  /** Whether it takes runs, and the database has heard of it lately. */
  get isReady(): boolean {
    return !this.draining && this.heartbeat.isFresh;
  }

  /** Takes no more runs and hands over those that it drives. */
  drain(): Promise<void> {
    return (this.drained ??= this.handOverAll());
  }

  /** Counted until everything that the process sends has ended: a hold waits for that. */
  onApplicationShutdown(): Promise<void> {
    return this.heartbeat.stop();
  }

  /** Stays alive without work: a supervisor would start an ended process again. */
  private leaveToNewerCode(): void {
    if (this.draining) return;
    this.log.error('A newer Runward has upgraded the database: this worker takes no more work. End this process.');
    // The heartbeat that found it ends first.
    setImmediate(() => void this.drain().then(() => this.heartbeat.stop()));
  }

  private async handOverAll(): Promise<void> {
    this.draining = true;
    this.sweep.stop();
    if (this.looking) clearInterval(this.looking);
    this.stopHearing();
    await this.queue.stopTaking();
    const others = [this.rotations.drain(), this.gitSyncs.drain(), this.planFolders.drain()];
    const drivers = [...this.drivers.values()].flatMap((each) => [...each]);
    const checked = this.serverChecks.stop();
    await Promise.allSettled(drivers.map((driver) => driver.handOver()));
    await checked;
    this.warm.closeAll();
    await Promise.allSettled([...this.driving, ...others]);
  }

  /** Has as many hosts in flight as the thread can carry. */
  private fitPlaces(): void {
    let before = performance.eventLoopUtilization();
    this.looking = setInterval(() => {
      const { utilization: busy } = performance.eventLoopUtilization(before);
      before = performance.eventLoopUtilization();
      this.places = nextPlaces(this.places, { busy, wanted: this.slots.wanted }, this.runtime.settings.hostSlots);
      this.slots.resize(this.places);
    }, LOOK_MS);
  }

  private async driveRun(ref: RunRef): Promise<void> {
    if (this.draining) return this.units.run(ref.tenantId, (tx) => this.queue.enqueueAdvanceRun(tx, ref));
    const claim = await Lease.claim(this.units, ref, this.runtime.processName);
    if (claim.kind === 'paused') return this.store.expirePause(ref);
    if (claim.kind === 'queued') return this.store.admit(ref);
    await this.driveClaimed(ref, claim, 0, (lease, slots) => new RunDriver(this.contextOf(slots), lease));
  }

  private async driveSlice({ sliceId, ...ref }: RunSliceJob): Promise<void> {
    if (this.draining) return this.units.run(ref.tenantId, (tx) => this.queue.enqueueRunSlice(tx, { ...ref, sliceId }));
    const claim = await Lease.claimSlice(this.units, ref, sliceId, this.runtime.processName);
    // A few slow hosts at the end of a slice keep no other slice from the slots.
    const few = Math.floor(this.runtime.settings.hostSlots / 10);
    await this.driveClaimed(
      ref,
      claim,
      few,
      (lease, slots) => new SliceDriver(this.contextOf(slots), lease, sliceId, this.warm),
    );
  }

  /**
   * Held: its owner drives it; should the owner fall silent, the sweep enqueues it again.
   * Resolves when the driver has ended, and before when it rests, with no more than `few` host slots: the next job is
   * taken then, while this one is driven on.
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
      this.driving.delete(driving);
      over.abort();
    });
    this.driving.add(driving);
    await use.quiet(few, RESTS_MS, over.signal);
    if (this.driving.size >= MOST_DRIVEN * this.runtime.settings.runSlots) await driving;
  }

  private async drive(ref: RunRef, driver: Driver): Promise<void> {
    const { executionId } = ref;
    const drivers = this.drivers.get(executionId) ?? new Set();
    this.drivers.set(executionId, drivers.add(driver));
    try {
      if (this.draining) await driver.handOver();
      await driver.drive();
    } catch (error) {
      // The lease runs out and the sweep enqueues it: the next owner goes on from what is stored.
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
