import type { EntityManager } from 'typeorm';
import { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { type Fence, OwnershipLost } from '../../store/fence.js';
import type { RunRef } from '../../record/run-head.js';
import { type ClaimedRow, claimRun, claimSlice, endLease, renewLease, type LeaseStatus } from './lease-rows.js';

const RENEW_MS = 5_000;
const RETRY_MS = 1_000;
/** Nothing new is sent when the last confirmed renewal is older than this. */
const ACT_WITHIN_MS = 12_000;
const POLL_MS = 200;

/** What a claim found. `paused`: the run waits for a person. `queued`: it has not taken its keys of the guard. */
export type Claim = { kind: 'claimed'; lease: Lease } | { kind: 'held' | 'paused' | 'queued' | 'nothing_to_do' };

/** Counts milliseconds that no change of the time of day disturbs. */
interface Clock {
  now(): number;
}

type OnRenewal = (status: LeaseStatus) => void;

/** The right to drive one run, or one slice of it. While it holds, no other worker writes anything of it. */
export class Lease {
  private timer: NodeJS.Timeout | null = null;
  private confirmedAt: number;
  private readonly ended = new AbortController();
  private renewing: Promise<void> | null = null;
  private stopped = false;
  private flushes: number;
  private turn: Promise<unknown> = Promise.resolve();
  readonly fence: Fence;
  /** Higher with each take-over of the run or the slice, see `JournalEntries`. */
  readonly generation: number;

  private constructor(
    private readonly units: UnitOfWork,
    readonly ref: RunRef,
    owner: string,
    row: ClaimedRow,
    private readonly clock: Clock,
    sliceId?: string,
  ) {
    this.confirmedAt = clock.now();
    this.fence = { owner, epoch: row.epoch, ...(sliceId ? { sliceId } : {}) };
    this.flushes = row.flushes;
    this.generation = row.generation;
  }

  /** Takes the run if nobody drives it. Each take-over raises the epoch, which fences the owner before. */
  static async claim(units: UnitOfWork, ref: RunRef, owner: string, clock: Clock = performance): Promise<Claim> {
    const found = await units.run(ref.tenantId, (tx) => claimRun(tx, ref, owner));
    return typeof found === 'string'
      ? { kind: found }
      : { kind: 'claimed', lease: new Lease(units, ref, owner, found, clock) };
  }

  /** The same for a slice. */
  static async claimSlice(units: UnitOfWork, ref: RunRef, sliceId: string, owner: string): Promise<Claim> {
    const found = await units.run(ref.tenantId, (tx) => claimSlice(tx, ref, sliceId, owner));
    if (typeof found === 'string') return { kind: found };
    return { kind: 'claimed', lease: new Lease(units, ref, owner, found, performance, sliceId) };
  }

  /** Fires when the run has another owner. */
  get lost(): AbortSignal {
    return this.ended.signal;
  }

  /** Number for the next flush of the progress. */
  nextFlush(): number {
    this.flushes += 1;
    return this.flushes;
  }

  /** Several steps may store at a time: one flush is stored, or given up, before the next one takes its number. */
  inTurn<T>(flush: () => Promise<T>): Promise<T> {
    const result = this.turn.then(flush);
    this.turn = result.catch(() => undefined);
    return result;
  }

  /** Renews until `stop`; tells each time what it finds. */
  keep(onRenewal: OnRenewal): void {
    const again = (ms: number) => {
      if (this.stopped) return;
      this.timer = setTimeout(
        () =>
          void this.renew(onRenewal).then(
            () => again(RENEW_MS),
            () => again(RETRY_MS),
          ),
        ms,
      );
    };
    again(RENEW_MS);
  }

  /**
   * Renews at once: somebody asked the run to stop. An unreachable database is asked again by `keep`. A renewal that is
   * under way may have read the run before that wish was stored, so another one follows it.
   */
  async refresh(onRenewal: OnRenewal): Promise<void> {
    await this.renewed();
    if (!this.stopped) await this.renew(onRenewal).catch(() => undefined);
  }

  /**
   * Ends the lease now, so that nobody waits for it to run out. It is renewed no more, also not by what is under way.
   * @param enqueue calls for the next owner, in the same transaction; not called when somebody else has the lease
   */
  async giveBack(enqueue: (tx: EntityManager) => Promise<unknown>): Promise<void> {
    this.stop();
    await this.renewed();
    await this.units.run(this.ref.tenantId, async (tx) => {
      if (await endLease(tx, this.ref, this.fence)) await enqueue(tx);
    });
  }

  /**
   * Resolves when something new may be sent to a host; waits while renewals fail.
   * @throws OwnershipLost
   */
  async demand(): Promise<void> {
    while (!this.ended.signal.aborted && this.clock.now() - this.confirmedAt > ACT_WITHIN_MS) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    if (this.ended.signal.aborted) throw new OwnershipLost();
  }

  /** Another owner was seen. */
  lose(): void {
    this.ended.abort();
  }

  stop(): void {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private async renewed(): Promise<void> {
    await this.renewing?.catch(() => undefined);
  }

  private async renew(onRenewal: OnRenewal): Promise<void> {
    this.renewing ??= this.askDatabase(onRenewal).finally(() => {
      this.renewing = null;
    });
    return this.renewing;
  }

  private async askDatabase(onRenewal: OnRenewal): Promise<void> {
    const askedAt = this.clock.now();
    const status = await this.units.run(this.ref.tenantId, (tx) => renewLease(tx, this.ref, this.fence));
    if (!status) return this.lose();
    this.confirmedAt = askedAt;
    onRenewal(status);
  }
}
