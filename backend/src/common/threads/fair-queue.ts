/** What one tenant has in the queue. */
interface Share<T> {
  readonly waiting: T[];
  running: number;
}

/**
 * Jobs that wait for one of a few places, fair by tenant: tenants take turns, whatever each of them has waiting, and
 * none takes more than its part of the places. It starts nothing by itself.
 */
export class FairQueue<T> {
  /** Those whose turn comes first stand first. A tenant without jobs is not in it. */
  private readonly shares = new Map<string, Share<T>>();
  private running = 0;

  /**
   * @param places jobs that run at a time
   * @param perTenant of these, at most so many of one tenant
   */
  constructor(private readonly limits: { readonly places: number; readonly perTenant: number }) {}

  /** How many jobs of the tenant wait. */
  waitingOf(tenantId: string): number {
    return this.shares.get(tenantId)?.waiting.length ?? 0;
  }

  add(tenantId: string, job: T): void {
    const share = this.shares.get(tenantId) ?? { waiting: [], running: 0 };
    share.waiting.push(job);
    this.shares.set(tenantId, share);
  }

  /** Takes out a job that waits; false when it does not wait. */
  remove(tenantId: string, job: T): boolean {
    const share = this.shares.get(tenantId);
    const at = share?.waiting.indexOf(job) ?? -1;
    if (!share || at < 0) return false;
    share.waiting.splice(at, 1);
    this.forgetIfIdle(tenantId, share);
    return true;
  }

  /** The job that may run now, which then has a place until `done`; undefined: none. */
  take(): T | undefined {
    if (this.running >= this.limits.places) return undefined;
    for (const [tenantId, share] of this.shares) {
      if (share.running >= this.limits.perTenant) continue;
      const job = share.waiting.shift();
      if (job === undefined) continue;
      this.running += 1;
      share.running += 1;
      // Behind all others: its next turn comes after theirs.
      this.shares.delete(tenantId);
      this.shares.set(tenantId, share);
      return job;
    }
    return undefined;
  }

  /** Gives back the place of one job of the tenant. */
  done(tenantId: string): void {
    const share = this.shares.get(tenantId);
    if (!share) return;
    this.running -= 1;
    share.running -= 1;
    this.forgetIfIdle(tenantId, share);
  }

  /** Takes out all jobs that wait. */
  clear(): T[] {
    const jobs = [...this.shares.values()].flatMap(({ waiting }) => waiting.splice(0));
    for (const [tenantId, share] of this.shares) this.forgetIfIdle(tenantId, share);
    return jobs;
  }

  private forgetIfIdle(tenantId: string, share: Share<T>): void {
    if (share.running === 0 && share.waiting.length === 0) this.shares.delete(tenantId);
  }
}
