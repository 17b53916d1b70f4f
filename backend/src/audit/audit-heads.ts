import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { readHead } from './audit-rows.js';
import { TENANT_LIST, type TenantList } from './tenant-list.js';

/** How often the ends of the chains are told to the log, in ms. */
const PUBLISH_MS = 60_000;

/**
 * Tells the log where each tenant's chain ends: who sets the whole database back to an earlier state can't take that
 * back from wherever the log is kept.
 */
@Injectable()
export class AuditHeads implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('Audit');
  private readonly told = new Map<string, number>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly units: UnitOfWork,
    @Inject(TENANT_LIST) private readonly tenants: TenantList,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(
      () => void this.publish().catch((error) => this.log.warn(`Heads were not told: ${String(error)}`)),
      PUBLISH_MS,
    );
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    if (this.timer) clearInterval(this.timer);
  }

  /** Tells each head that has moved since it was last told. */
  async publish(): Promise<void> {
    const tenants = await this.units.runWithoutTenant((tx) => this.tenants(tx));
    for (const { id } of tenants) {
      const head = await this.units.run(id, (tx) => readHead(tx, id));
      if (!head || this.told.get(id) === head.sequence) continue;
      this.told.set(id, head.sequence);
      this.log.log(`Chain of tenant ${id} ends at entry ${head.sequence} with ${head.hash.toString('hex')}`);
    }
  }
}
