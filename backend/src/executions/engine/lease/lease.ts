import type { EntityManager } from 'typeorm';
import { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { leaseLosses } from '../../../common/metrics/metrics.js';
import { type OwnershipFence, OwnershipLostError } from '../../store/fence.js';
import type { RunRef } from '../../record/run-head.js';
import { type ClaimedLeaseRow, claimRun, claimSlice, endLease, renewLease, type LeaseStatus } from './lease-rows.js';
import { isDatabaseUnavailable } from '../../../common/database/database-problem.js';

const RENEW_MS = 5_000;
const RETRY_MS = 1_000;
/** Maximum age of the last confirmed renewal at which commands may still be sent, in ms. */
const VALIDITY_MS = 12_000;
const POLL_MS = 200;

/** Result of a claim. `paused`: the run waits for a person. `queued`: the run waits for guard keys. */
export type LeaseClaim = { kind: 'claimed'; lease: Lease } | { kind: 'held' | 'paused' | 'queued' | 'nothing_to_do' };

/** Monotonic clock in ms: changes of the system time do not affect it. */
interface LeaseClock {
  now(): number;
}

type OnRenewal = (status: LeaseStatus) => void;

/** Right to drive one run or slice. While it is valid, no other worker may write anything of the run or slice. */
export class Lease {
  private timer: NodeJS.Timeout | null = null;
  private confirmedAt: number;
  private readonly ended = new AbortController();
  private renewing: Promise<void> | null = null;
  private stopped = false;
  private flushes: number;
  private turn: Promise<unknown> = Promise.resolve();
  readonly fence: OwnershipFence;
  /** Rises with each take-over of the run or slice; see `JournalEntries`. */
  readonly generation: number;

  private constructor(
    private readonly units: UnitOfWork,
    readonly ref: RunRef,
    owner: string,
    row: ClaimedLeaseRow,
    private readonly clock: LeaseClock,
    sliceId?: string,
  ) {
    this.confirmedAt = clock.now();
    this.fence = { owner, epoch: row.epoch, ...(sliceId ? { sliceId } : {}) };
    this.flushes = row.flushes;
    this.generation = row.generation;
  }

  /** Claims a run without a valid lease. Each take-over raises the epoch; writes with an older epoch are refused. */
  static async claimRun(
    units: UnitOfWork,
    ref: RunRef,
    owner: string,
    clock: LeaseClock = performance,
  ): Promise<LeaseClaim> {
    const found = await units.run(ref.tenantId, (tx) => claimRun(tx, ref, owner));
    return typeof found === 'string'
      ? { kind: found }
      : { kind: 'claimed', lease: new Lease(units, ref, owner, found, clock) };
  }

  static async claimSlice(units: UnitOfWork, ref: RunRef, sliceId: string, owner: string): Promise<LeaseClaim> {
    const found = await units.run(ref.tenantId, (tx) => claimSlice(tx, ref, sliceId, owner));
    if (typeof found === 'string') return { kind: found };
    return { kind: 'claimed', lease: new Lease(units, ref, owner, found, performance, sliceId) };
  }

  get lost(): AbortSignal {
    return this.ended.signal;
  }

  takeFlushNumber(): number {
    this.flushes += 1;
    return this.flushes;
  }

  /** Runs one flush at a time: a flush is stored or abandoned before the next one takes its number. */
  runInFlushOrder<T>(flush: () => Promise<T>): Promise<T> {
    const result = this.turn.then(flush);
    this.turn = result.catch(() => undefined);
    return result;
  }

  startRenewing(onRenewal: OnRenewal): void {
    const scheduleRenewal = (ms: number) => {
      if (this.stopped) return;
      this.timer = setTimeout(
        () =>
          void this.renew(onRenewal).then(
            () => scheduleRenewal(RENEW_MS),
            () => scheduleRenewal(RETRY_MS),
          ),
        ms,
      );
    };
    scheduleRenewal(RENEW_MS);
  }

  /**
   * Renews immediately, because a person stopped the run. If the database is unavailable, `startRenewing` tries again. If a
   * renewal is already running, another one follows: the first may have read the run before the stop was stored.
   */
  async renewNow(onRenewal: OnRenewal): Promise<void> {
    await this.renewOnce();
    if (!this.stopped) await this.renew(onRenewal).catch(() => undefined);
  }

  /**
   * Ends the lease now, so that the next owner can claim it immediately. Waits for a running renewal first; no other
   * follows.
   * @param enqueue queues work for the next owner, in the same transaction; not called if another owner has the lease
   */
  async releaseBeforeExpiry(enqueue: (tx: EntityManager) => Promise<unknown>): Promise<void> {
    this.stop();
    await this.renewOnce();
    await this.units.run(this.ref.tenantId, async (tx) => {
      if (await endLease(tx, this.ref, this.fence)) await enqueue(tx);
    });
  }

  /**
   * Resolves when commands may be sent to hosts; waits while renewals fail.
   * @throws OwnershipLostError
   */
  async requireValid(): Promise<void> {
    while (!this.ended.signal.aborted && this.clock.now() - this.confirmedAt > VALIDITY_MS) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    if (this.ended.signal.aborted) throw new OwnershipLostError();
  }

  markLost(): void {
    if (!this.ended.signal.aborted) leaseLosses.inc();
    this.ended.abort();
  }

  stop(): void {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private async renewOnce(): Promise<void> {
    await this.renewing?.catch(() => undefined);
  }

  private async renew(onRenewal: OnRenewal): Promise<void> {
    this.renewing ??= this.renewInDatabase(onRenewal).finally(() => {
      this.renewing = null;
    });
    return this.renewing;
  }

  private async renewInDatabase(onRenewal: OnRenewal): Promise<void> {
    const requestedAt = this.clock.now();
    const status = await this.units.run(this.ref.tenantId, (tx) => renewLease(tx, this.ref, this.fence));
    if (!status) return this.markLost();
    this.confirmedAt = requestedAt;
    onRenewal(status);
  }
}

const QUERY_RETRY_MS = 500;

/** Retries a query while the database is unavailable, until another owner takes the run. @throws OwnershipLostError */
export async function retryWhileDatabaseAway<T>(lease: Pick<Lease, 'lost'>, query: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await query();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, QUERY_RETRY_MS));
      if (lease.lost.aborted) throw new OwnershipLostError();
    }
  }
}
