import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { readChainHead } from './audit-trail.js';
import { TENANT_LIST, type ListTenants } from './tenant-list.js';

const PUBLISH_INTERVAL_MS = 60_000;

/**
 * Logs the head of each tenant's chain. If someone restores an earlier state of the database, the stored logs reveal
 * it.
 */
@Injectable()
export class AuditHeads implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('Audit');
  private readonly loggedSequences = new Map<string, number>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly units: UnitOfWork,
    @Inject(TENANT_LIST) private readonly tenants: ListTenants,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(
      () =>
        void this.publishChainHeads().catch((error) =>
          this.log.warn(`Audit chain heads could not be logged: ${String(error)}`),
        ),
      PUBLISH_INTERVAL_MS,
    );
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    if (this.timer) clearInterval(this.timer);
  }

  async publishChainHeads(): Promise<void> {
    const tenants = await this.units.runWithoutTenant((tx) => this.tenants(tx));
    for (const { id } of tenants) {
      const head = await this.units.run(id, (tx) => readChainHead(tx, id));
      if (!head || this.loggedSequences.get(id) === head.sequence) continue;
      this.loggedSequences.set(id, head.sequence);
      this.log.log(`Chain of tenant ${id} ends at entry ${head.sequence} with ${head.hash.toString('hex')}`);
    }
  }
}
