import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { isDatabaseUnavailable } from '../common/database/database-problem.js';
import { rows, sql } from '../common/database/sql.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { CHANNELS, Notifications } from '../common/database/notifications.js';
import { JobQueue } from '../common/queue/job-queue.js';
import { RUNTIME, type Runtime } from '../common/settings/runtime.js';
import { OUTBOX_CONSUMERS, type OutboxConsumer } from './outbox-consumers.js';
import { lockOutbox, takeEvents } from './outbox-rows.js';

/** Maximum number of events per transaction. A tenant with more events waits until other tenants had their turn. */
const AT_ONCE = 200;
/** Delay between a notification and the dispatch, in ms. Simultaneous events are thus dispatched in one batch. */
const GATHER_MS = 50;
/**
 * Interval of the search in all outboxes, in ms. It finds events after a lost notification or the death of a worker.
 */
const SWEEP_MS = 15_000;

/**
 * Passes events to the consumers, tenant by tenant. Consumers store their deliveries in the transaction that removes
 * the events, so a crash neither loses nor repeats a delivery. Several workers may run; each tenant's outbox is locked
 * by one of them.
 */
@Injectable()
export class OutboxDispatcher implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('Outbox');
  private readonly waiting = new Set<string>();
  private stopListening: () => unknown = () => undefined;
  private gatherTimer: NodeJS.Timeout | null = null;
  private sweep: NodeJS.Timeout | null = null;
  private isSweepDue = false;
  private dispatchPromise: Promise<void> | null = null;
  private stopped = false;

  constructor(
    private readonly units: UnitOfWork,
    private readonly notifications: Notifications,
    private readonly queue: JobQueue,
    @Inject(RUNTIME) private readonly runtime: Runtime,
    @Inject(OUTBOX_CONSUMERS) private readonly consumers: readonly OutboxConsumer[],
  ) {}

  onApplicationBootstrap(): void {
    this.stopListening = this.notifications.subscribe(CHANNELS.outbox, (tenantId) => this.wake(tenantId));
    this.sweep = setInterval(() => this.wake(''), SWEEP_MS);
    this.wake('');
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.stopListening();
    if (this.sweep) clearInterval(this.sweep);
    if (this.gatherTimer) clearTimeout(this.gatherTimer);
    await this.dispatchPromise;
  }

  /** @param tenantId tenant with events; empty: search the outboxes of all tenants */
  private wake(tenantId: string): void {
    if (this.stopped) return;
    if (tenantId === '') this.isSweepDue = true;
    else this.waiting.add(tenantId);
    if (this.dispatchPromise) return;
    this.gatherTimer ??= setTimeout(() => {
      this.gatherTimer = null;
      this.dispatchPromise = this.work().finally(() => {
        this.dispatchPromise = null;
        if (this.isSweepDue || this.waiting.size > 0) this.wake([...this.waiting][0] ?? '');
      });
    }, GATHER_MS);
  }

  private async work(): Promise<void> {
    try {
      if (this.isSweepDue) {
        this.isSweepDue = false;
        for (const id of await this.tenants()) this.waiting.add(id);
      }
    } catch (error) {
      this.warn('Looking for events', error);
    }
    for (const tenantId of this.waiting) {
      if (this.stopped) return;
      this.waiting.delete(tenantId);
      try {
        // A Set keeps insertion order, so this tenant's next turn is after all other tenants.
        if ((await this.handOver(tenantId)) === AT_ONCE) this.waiting.add(tenantId);
      } catch (error) {
        // The events are still in the outbox, where the next sweep finds them.
        this.warn('Handing events over', error);
      }
    }
  }

  private async tenants(): Promise<string[]> {
    const tenants = await this.units.runWithoutTenant((tx) =>
      rows(tx, sql<{ id: string }>`select tenants_with_outbox_events() as id`),
    );
    return tenants.map(({ id }) => id);
  }

  /**
   * Passes the first events of a tenant to the consumers. @returns number of events; also 0 if another worker holds the
   * outbox
   */
  handOver(tenantId: string): Promise<number> {
    return this.units.run(tenantId, async (tx) => {
      if (!(await lockOutbox(tx, tenantId))) return 0;
      const events = await takeEvents(tx, tenantId, AT_ONCE, this.runtime.settings.publicUrl);
      if (events.length === 0) return 0;
      for (const consumer of this.consumers) await consumer.take(tx, { tenantId, events, queue: this.queue });
      return events.length;
    });
  }

  private warn(what: string, error: unknown): void {
    if (!isDatabaseUnavailable(error)) this.log.warn(`${what} failed: ${String(error)}`);
  }
}
