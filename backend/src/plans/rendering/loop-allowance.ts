/** Maximum number of operations of one request on the event loop: about 20 ms. */
export const REQUEST_OPERATIONS = 10_000;
/** Budget of one tenant, and number of operations that it regains per ms (about a tenth of the event loop's time). */
const TENANT_OPERATIONS = 10_000;
const OPERATIONS_PER_MS = 50;
const MAX_TENANTS = 1000;

/** Remaining operations of each tenant on the event loop of this process. */
export class LoopAllowance {
  private readonly tenants = new Map<string, { left: number; at: number }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  getRemaining(tenantId: string): number {
    const now = this.now();
    const known = this.tenants.get(tenantId);
    return known ? Math.min(TENANT_OPERATIONS, known.left + (now - known.at) * OPERATIONS_PER_MS) : TENANT_OPERATIONS;
  }

  take(tenantId: string, operations: number): void {
    const left = this.getRemaining(tenantId) - operations;
    this.tenants.delete(tenantId);
    this.tenants.set(tenantId, { left, at: this.now() });
    // The least recently used entry has its full budget again, so it need not be stored.
    if (this.tenants.size > MAX_TENANTS) for (const [oldest] of this.tenants) return void this.tenants.delete(oldest);
  }
}
