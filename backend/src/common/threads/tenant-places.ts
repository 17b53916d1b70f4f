import { RoundRobin } from '../round-robin.js';

/**
 * Jobs that wait for one of a few places, fair by tenant: tenants take turns, whatever each of them has waiting, and
 * none takes more than its part of the places. It starts nothing by itself.
 */
export class TenantPlaces<T> {
  private readonly waiting = new RoundRobin<T>();
  /** Jobs of each tenant that have a place. */
  private readonly running = new Map<string, number>();
  private taken = 0;

  /**
   * @param places jobs that run at a time
   * @param perTenant of these, at most so many of one tenant
   */
  constructor(private readonly limits: { readonly places: number; readonly perTenant: number }) {}

  /** How many jobs of the tenant wait. */
  waitingOf(tenantId: string): number {
    return this.waiting.countOf(tenantId);
  }

  add(tenantId: string, job: T): void {
    this.waiting.add(tenantId, job);
  }

  /** Takes out a job that waits; false when it does not wait. */
  remove(tenantId: string, job: T): boolean {
    return this.waiting.remove(tenantId, job);
  }

  /** The job that may run now, which then has a place until `done`; undefined: none. */
  take(): T | undefined {
    if (this.taken >= this.limits.places) return undefined;
    const next = this.waiting.take((tenantId) => this.runningOf(tenantId) < this.limits.perTenant);
    if (!next) return undefined;
    this.taken += 1;
    this.running.set(next.key, this.runningOf(next.key) + 1);
    return next.item;
  }

  /** Gives back the place of one job of the tenant. */
  done(tenantId: string): void {
    const left = this.runningOf(tenantId) - 1;
    if (left < 0) return;
    this.taken -= 1;
    if (left === 0) this.running.delete(tenantId);
    else this.running.set(tenantId, left);
  }

  /** Takes out all jobs that wait. */
  clear(): T[] {
    return this.waiting.clear();
  }

  private runningOf(tenantId: string): number {
    return this.running.get(tenantId) ?? 0;
  }
}
