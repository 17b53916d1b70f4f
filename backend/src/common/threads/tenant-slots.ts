import { RoundRobin } from '../fairness/round-robin.js';

/**
 * Queue for a limited number of slots, fair by tenant. Tenants take turns, however many jobs they have, and no tenant
 * gets all slots. The caller starts the jobs.
 */
export class TenantSlots<T> {
  private readonly waiting = new RoundRobin<T>();
  private readonly running = new Map<string, number>();
  private taken = 0;

  /**
   * @param places maximum number of concurrent jobs
   * @param perTenant maximum number of concurrent jobs of one tenant
   */
  constructor(private readonly limits: { readonly places: number; readonly perTenant: number }) {}

  countWaiting(tenantId: string): number {
    return this.waiting.countOf(tenantId);
  }

  add(tenantId: string, job: T): void {
    this.waiting.add(tenantId, job);
  }

  /** Removes a waiting job; false = it was not waiting. */
  remove(tenantId: string, job: T): boolean {
    return this.waiting.remove(tenantId, job);
  }

  /** Returns the next job, which uses a slot until `releaseSlot`; undefined = no job may start. */
  take(): T | undefined {
    if (this.taken >= this.limits.places) return undefined;
    const next = this.waiting.takeNext((tenantId) => this.countRunning(tenantId) < this.limits.perTenant);
    if (!next) return undefined;
    this.taken += 1;
    this.running.set(next.key, this.countRunning(next.key) + 1);
    return next.item;
  }

  releaseSlot(tenantId: string): void {
    const left = this.countRunning(tenantId) - 1;
    if (left < 0) return;
    this.taken -= 1;
    if (left === 0) this.running.delete(tenantId);
    else this.running.set(tenantId, left);
  }

  clear(): T[] {
    return this.waiting.takeAll();
  }

  private countRunning(tenantId: string): number {
    return this.running.get(tenantId) ?? 0;
  }
}
