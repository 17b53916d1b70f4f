import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { isDatabaseAway } from '../../common/database/database-problem.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { claimDue, release, tenantsWithDueSchedules } from './due-rows.js';
import { FireSchedule } from './fire-schedule.js';

/** How often it is looked for schedules that are due while there were none, in ms. */
const LOOK_MS = 500;
/** Starts that one process makes at a time. Runs go on in it meanwhile. */
const SLOTS = 4;
/** Of these for one tenant: a place is left for the others. */
const SLOTS_OF_ONE = 3;

/**
 * Starts what is due. Any number of workers do so; a schedule is one's at a time, and the rows decide. Tenants come by turns,
 * so that one with thousands of schedules of the same minute holds up nobody else.
 */
@Injectable()
export class ScheduleWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('Schedules');
  /** How many fires go on, by tenant. */
  private readonly open = new Map<string, number>();
  private readonly firing = new Set<Promise<void>>();
  /** The tenant that was served last: the next ones come first. */
  private latest = '';
  private looking: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | null = null;
  private stopped = false;

  constructor(
    private readonly units: UnitOfWork,
    private readonly schedules: FireSchedule,
  ) {}

  onApplicationBootstrap(): void {
    this.lookIn(LOOK_MS);
  }

  /** Takes nothing more, and ends what it is about. */
  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
    await this.looking;
    await Promise.allSettled(this.firing);
  }

  private lookIn(ms: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.looking = this.look()
        .catch((error: unknown) => {
          if (!isDatabaseAway(error)) this.log.warn(`Looking for schedules that are due failed: ${String(error)}`);
        })
        .finally(() => this.lookIn(LOOK_MS));
    }, ms);
  }

  /** Starts what is due until nothing is, or nothing for which there is a place. */
  async look(): Promise<void> {
    for (;;) {
      const tenants = this.stopped ? [] : await this.units.runWithoutTenant(tenantsWithDueSchedules);
      if (tenants.length === 0) return;
      const after = tenants.filter((id) => id > this.latest);
      for (const tenantId of [...after, ...tenants.filter((id) => id <= this.latest)]) await this.serve(tenantId);
      // What is due and could not be taken is in other hands.
      if (this.firing.size === 0) return;
      await Promise.race(this.firing);
    }
  }

  private async serve(tenantId: string): Promise<void> {
    const most = Math.min(SLOTS - this.firing.size, SLOTS_OF_ONE - (this.open.get(tenantId) ?? 0));
    if (most <= 0 || this.stopped) return;
    const ids = await this.units.run(tenantId, (tx) => claimDue(tx, tenantId, most));
    this.latest = tenantId;
    for (const id of ids) this.begin(tenantId, id);
  }

  private begin(tenantId: string, id: string): void {
    this.open.set(tenantId, (this.open.get(tenantId) ?? 0) + 1);
    const fire = this.schedules
      .fire(tenantId, id)
      .catch((error: unknown) => this.giveBack(tenantId, id, error))
      .finally(() => {
        this.firing.delete(fire);
        const left = (this.open.get(tenantId) ?? 1) - 1;
        if (left > 0) this.open.set(tenantId, left);
        else this.open.delete(tenantId);
      });
    this.firing.add(fire);
  }

  /** Where that fails too, the claim runs out. */
  private async giveBack(tenantId: string, id: string, error: unknown): Promise<void> {
    if (!isDatabaseAway(error)) this.log.warn(`A schedule could not be served: ${String(error)}`);
    await this.units.run(tenantId, (tx) => release(tx, tenantId, [id])).catch(() => undefined);
  }
}
