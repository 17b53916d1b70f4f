import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { isDatabaseAway } from '../common/database/database-problem.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { CHANNELS, Notifications } from '../common/notify/notifications.js';
import { JobQueue } from '../common/queue/job-queue.js';
import { RUNTIME, type Runtime } from '../common/runtime.js';
import { OUTBOX_CONSUMERS, type OutboxConsumer } from './outbox-consumers.js';
import { holdOutbox, takeEvents } from './outbox-rows.js';

/** Events that one transaction hands over: a tenant with more waits for the others' turns. */
const AT_ONCE = 200;
/** Events are handed over this often at the most, in ms: those of one moment go together. */
const GATHER_MS = 50;
/** A notification may get lost, or a worker that held a tenant's outbox; all are looked at this often, in ms. */
const SWEEP_MS = 15_000;

/**
 * Hands events over to those who deliver them, tenant by tenant. What a transaction takes out of the outbox, its
 * consumers have stored in the same one: a process that dies leaves nothing lost and nothing doubled. Any number of
 * workers do so; a tenant's outbox is one's at a time.
 */
@Injectable()
export class OutboxDispatcher implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('Outbox');
  /** Tenants whose events wait, in the order of their turns. */
  private readonly waiting = new Set<string>();
  private stopListening: () => unknown = () => undefined;
  private gather: NodeJS.Timeout | null = null;
  private sweep: NodeJS.Timeout | null = null;
  private sweeps = false;
  private working: Promise<void> | null = null;
  private stopped = false;

  constructor(
    private readonly units: UnitOfWork,
    private readonly notifications: Notifications,
    private readonly queue: JobQueue,
    @Inject(RUNTIME) private readonly runtime: Runtime,
    @Inject(OUTBOX_CONSUMERS) private readonly consumers: readonly OutboxConsumer[],
  ) {}

  onApplicationBootstrap(): void {
    this.stopListening = this.notifications.on(CHANNELS.outbox, (tenantId) => this.wake(tenantId));
    this.sweep = setInterval(() => this.wake(''), SWEEP_MS);
    this.wake('');
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.stopListening();
    if (this.sweep) clearInterval(this.sweep);
    if (this.gather) clearTimeout(this.gather);
    await this.working;
  }

  /** @param tenantId whose events wait; empty: it is to be looked for */
  private wake(tenantId: string): void {
    if (this.stopped) return;
    if (tenantId === '') this.sweeps = true;
    else this.waiting.add(tenantId);
    if (this.working) return;
    this.gather ??= setTimeout(() => {
      this.gather = null;
      this.working = this.work().finally(() => {
        this.working = null;
        if (this.sweeps || this.waiting.size > 0) this.wake([...this.waiting][0] ?? '');
      });
    }, GATHER_MS);
  }

  private async work(): Promise<void> {
    try {
      if (this.sweeps) {
        this.sweeps = false;
        for (const id of await this.tenants()) this.waiting.add(id);
      }
    } catch (error) {
      this.warn('Looking for events', error);
    }
    for (const tenantId of this.waiting) {
      if (this.stopped) return;
      this.waiting.delete(tenantId);
      try {
        // Behind all others: its next turn comes after theirs.
        if ((await this.handOver(tenantId)) === AT_ONCE) this.waiting.add(tenantId);
      } catch (error) {
        // They are still in the outbox, and found by the next sweep.
        this.warn('Handing events over', error);
      }
    }
  }

  private async tenants(): Promise<string[]> {
    const rows = await this.units.runWithoutTenant((tx) =>
      tx.query<{ id: string }[]>('select tenants_with_outbox_events() as id'),
    );
    return rows.map(({ id }) => id);
  }

  /** Hands the first events of a tenant over. @returns how many; 0 also while another worker does so */
  handOver(tenantId: string): Promise<number> {
    return this.units.run(tenantId, async (tx) => {
      if (!(await holdOutbox(tx, tenantId))) return 0;
      const events = await takeEvents(tx, tenantId, AT_ONCE, this.runtime.settings.publicUrl);
      if (events.length === 0) return 0;
      for (const consumer of this.consumers) await consumer.take(tx, { tenantId, events, queue: this.queue });
      return events.length;
    });
  }

  private warn(what: string, error: unknown): void {
    if (!isDatabaseAway(error)) this.log.warn(`${what} failed: ${String(error)}`);
  }
}
