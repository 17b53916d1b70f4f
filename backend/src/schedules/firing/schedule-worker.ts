import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { isDatabaseUnavailable } from '../../common/database/database-problem.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { claimDueSchedules, releaseClaims, listTenantsWithDueSchedules } from './due-rows.js';
import { FireSchedule } from './fire-schedule.js';

const POLL_MS = 500;
const CONCURRENT_FIRES = 4;
/** Maximum number of slots of one tenant. Leaves a slot for other tenants. */
const CONCURRENT_FIRES_PER_TENANT = 3;

/**
 * Starts due schedules. Any number of workers can run: rows in the database ensure that only one has a schedule at a
 * time. Tenants take turns, so that a tenant with thousands of simultaneous schedules does not delay the others.
 */
@Injectable()
export class ScheduleWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('Schedules');
  private readonly open = new Map<string, number>();
  private readonly runningFires = new Set<Promise<void>>();
  /** Tenant served last. The next poll begins after it. */
  private latest = '';
  private pollPromise: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | null = null;
  private stopped = false;

  constructor(
    private readonly units: UnitOfWork,
    private readonly schedules: FireSchedule,
  ) {}

  onApplicationBootstrap(): void {
    this.schedulePoll(POLL_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
    await this.pollPromise;
    await Promise.allSettled(this.runningFires);
  }

  private schedulePoll(ms: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.pollPromise = this.poll()
        .catch((error: unknown) => {
          if (!isDatabaseUnavailable(error)) this.log.warn(`Polling for due schedules failed: ${String(error)}`);
        })
        .finally(() => this.schedulePoll(POLL_MS));
    }, ms);
  }

  /** Starts due schedules until none is left, or only schedules of tenants without a free slot. */
  async poll(): Promise<void> {
    for (;;) {
      const tenants = this.stopped ? [] : await this.units.runWithoutTenant(listTenantsWithDueSchedules);
      if (tenants.length === 0) return;
      const after = tenants.filter((id) => id > this.latest);
      for (const tenantId of [...after, ...tenants.filter((id) => id <= this.latest)])
        await this.fireDueSchedules(tenantId);
      // Other workers have claimed the remaining due schedules.
      if (this.runningFires.size === 0) return;
      await Promise.race(this.runningFires);
    }
  }

  private async fireDueSchedules(tenantId: string): Promise<void> {
    const limit = Math.min(
      CONCURRENT_FIRES - this.runningFires.size,
      CONCURRENT_FIRES_PER_TENANT - (this.open.get(tenantId) ?? 0),
    );
    if (limit <= 0 || this.stopped) return;
    const ids = await this.units.run(tenantId, (tx) => claimDueSchedules(tx, tenantId, limit));
    this.latest = tenantId;
    for (const id of ids) this.beginFire(tenantId, id);
  }

  private beginFire(tenantId: string, id: string): void {
    this.open.set(tenantId, (this.open.get(tenantId) ?? 0) + 1);
    const fire = this.schedules
      .fire(tenantId, id)
      .catch((error: unknown) => this.releaseAfterError(tenantId, id, error))
      .finally(() => {
        this.runningFires.delete(fire);
        const left = (this.open.get(tenantId) ?? 1) - 1;
        if (left > 0) this.open.set(tenantId, left);
        else this.open.delete(tenantId);
      });
    this.runningFires.add(fire);
  }

  /** If this also fails, the claim expires later. */
  private async releaseAfterError(tenantId: string, id: string, error: unknown): Promise<void> {
    if (!isDatabaseUnavailable(error)) this.log.warn(`A schedule could not be served: ${String(error)}`);
    await this.units.run(tenantId, (tx) => releaseClaims(tx, tenantId, [id])).catch(() => undefined);
  }
}
