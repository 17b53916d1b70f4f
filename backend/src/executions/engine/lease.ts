import { UnitOfWork } from '../../common/database/unit-of-work.js';
import type { ExecutionStatus } from '../lifecycle/statuses.js';
import { type Fence, OwnershipLost, type RunRef } from '../run-store.js';

/** Times of a lease (design: engine.md, Claim): renewed often, ended by database time, and sooner by the worker's own clock. */
const LEASE_SECONDS = 20;
const RENEW_MS = 5_000;
const RETRY_MS = 1_000;
/** Nothing new is sent when the last confirmed renewal is older than this. */
const ACT_WITHIN_MS = 12_000;
const LOOK_MS = 200;

/** What a claim found. */
export type Claim = { kind: 'claimed'; lease: Lease } | { kind: 'held' } | { kind: 'nothing_to_do' };

/** The right to drive one run. While it holds, no other worker writes anything of the run. */
export class Lease {
  private timer: NodeJS.Timeout | null = null;
  private confirmedAt = performance.now();
  private readonly ended = new AbortController();
  private renewing: Promise<void> | null = null;
  private stopped = false;

  private constructor(
    private readonly units: UnitOfWork,
    readonly ref: RunRef,
    readonly fence: Fence,
    private flushes: number,
  ) {}

  /** Takes the run if nobody drives it. Each take-over raises the epoch, which fences the owner before. */
  static async claim(units: UnitOfWork, ref: RunRef, owner: string): Promise<Claim> {
    return units.run(ref.tenantId, async (tx) => {
      const [rows] = await tx.query<[{ epoch: number; flush_seq: string }[], number]>(
        `update executions set owner = $2, epoch = epoch + 1, lease_until = now() + make_interval(secs => $3)
          where id = $1 and status in ('PENDING', 'RUNNING', 'CANCELLING') and (lease_until is null or lease_until < now())
          returning epoch, flush_seq`,
        [ref.executionId, owner, LEASE_SECONDS],
      );
      const [taken] = rows;
      if (taken) {
        const lease = new Lease(units, ref, { owner, epoch: taken.epoch }, Number(taken.flush_seq));
        return { kind: 'claimed', lease };
      }
      const held = await tx.query<unknown[]>(
        'select 1 from executions where id = $1 and lease_until >= now() and finished_at is null',
        [ref.executionId],
      );
      return { kind: held.length > 0 ? 'held' : 'nothing_to_do' };
    });
  }

  /** Fires when the run has another owner. */
  get lost(): AbortSignal {
    return this.ended.signal;
  }

  /** Number for the next flush of the run's progress. */
  nextFlush(): number {
    this.flushes += 1;
    return this.flushes;
  }

  /** Renews until `stop`; tells each status that it finds. */
  keep(onStatus: (status: ExecutionStatus) => void): void {
    const again = (ms: number) => {
      if (this.stopped) return;
      this.timer = setTimeout(
        () =>
          void this.renew(onStatus).then(
            () => again(RENEW_MS),
            () => again(RETRY_MS),
          ),
        ms,
      );
    };
    again(RENEW_MS);
  }

  /** Renews at once: somebody asked the run to stop. An unreachable database is asked again by `keep`. */
  async look(onStatus: (status: ExecutionStatus) => void): Promise<void> {
    await this.renew(onStatus).catch(() => undefined);
  }

  /**
   * Resolves when something new may be sent to a host; waits while renewals fail.
   * @throws OwnershipLost
   */
  async demand(): Promise<void> {
    while (!this.ended.signal.aborted && performance.now() - this.confirmedAt > ACT_WITHIN_MS) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
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

  private async renew(onStatus: (status: ExecutionStatus) => void): Promise<void> {
    this.renewing ??= this.askDatabase(onStatus).finally(() => {
      this.renewing = null;
    });
    return this.renewing;
  }

  private async askDatabase(onStatus: (status: ExecutionStatus) => void): Promise<void> {
    const askedAt = performance.now();
    const [rows] = await this.units.run(this.ref.tenantId, (tx) =>
      tx.query<[{ status: ExecutionStatus }[], number]>(
        `update executions set lease_until = now() + make_interval(secs => $4)
          where id = $1 and owner = $2 and epoch = $3 returning status`,
        [this.ref.executionId, this.fence.owner, this.fence.epoch, LEASE_SECONDS],
      ),
    );
    if (!rows[0]) return this.lose();
    this.confirmedAt = askedAt;
    onStatus(rows[0].status);
  }
}
