/** Operations that the texts of one request may take on the event loop: about 20 ms of its time, or less. */
export const REQUEST_OPERATIONS = 10_000;
/** The same of one tenant at once, and how many it gets back in a ms: a tenth of the loop's time. */
const TENANT_OPERATIONS = 10_000;
const PER_MS = 50;
const MOST_TENANTS = 1000;

/** Operations that each tenant has left on the event loop of this process. */
export class LoopAllowance {
  private readonly tenants = new Map<string, { left: number; at: number }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  leftOf(tenantId: string): number {
    const now = this.now();
    const known = this.tenants.get(tenantId);
    return known ? Math.min(TENANT_OPERATIONS, known.left + (now - known.at) * PER_MS) : TENANT_OPERATIONS;
  }

  take(tenantId: string, operations: number): void {
    const left = this.leftOf(tenantId) - operations;
    this.tenants.delete(tenantId);
    this.tenants.set(tenantId, { left, at: this.now() });
    // Who was here longest ago has all of it back.
    if (this.tenants.size > MOST_TENANTS) for (const [oldest] of this.tenants) return void this.tenants.delete(oldest);
  }
}
