import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { isDatabaseUnavailable } from '../../common/database/database-problem.js';
import { rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { CHANNELS, Notifications } from '../../common/database/notifications.js';
import { RoundRobin } from '../../common/fairness/round-robin.js';
import type { WebhookRef } from './claim-deliveries.js';
import { OldDeliveries } from './old-deliveries.js';
import { WebhookSender } from './webhook-sender.js';

/**
 * Number of webhooks that a worker serves concurrently, in total and per tenant. The limit per tenant leaves capacity
 * for others.
 */
const SERVED_AT_ONCE = 32;
const SERVED_OF_TENANT = 8;
/**
 * Interval of the search for due deliveries, in ms. It finds deliveries after a lost notification or the death of a
 * worker.
 */
const SWEEP_MS = 15_000;

/** Serves webhooks whose deliveries are due. Tenants take turns. */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Webhooks');
  private readonly waiting = new RoundRobin<string>();
  /** Webhooks that are being served or queued. True = a notification arrived since the last service. */
  private readonly known = new Map<string, boolean>();
  private readonly served = new Map<string, number>();
  private readonly timers = new Map<string, { at: number; timer: NodeJS.Timeout }>();
  private readonly running = new Set<Promise<void>>();
  private stopListening: () => unknown = () => undefined;
  private sweep: NodeJS.Timeout | null = null;
  private sweepPromise: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly units: UnitOfWork,
    private readonly notifications: Notifications,
    private readonly sender: WebhookSender,
    private readonly old: OldDeliveries,
  ) {}

  onApplicationBootstrap(): void {
    this.stopListening = this.notifications.subscribe(CHANNELS.webhooks, (payload) => {
      const [tenantId, webhookId] = payload.split('/');
      if (tenantId && webhookId) this.wake({ tenantId, webhookId });
      else this.startSweep();
    });
    this.sweep = setInterval(() => this.startSweep(), SWEEP_MS);
    this.startSweep();
  }

  /** Nest calls this before it reports the worker as stopped. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.stopListening();
    if (this.sweep) clearInterval(this.sweep);
    for (const { timer } of this.timers.values()) clearTimeout(timer);
    this.waiting.takeAll();
    await Promise.allSettled([this.sweepPromise, ...this.running]);
  }

  private startSweep(): void {
    this.sweepPromise = this.sweepPromise
      .then(() => this.findDue())
      .catch((error: unknown) => this.warn('Polling for deliveries', error));
  }

  private async findDue(): Promise<void> {
    if (this.stopped) return;
    const due = await this.units.runWithoutTenant((tx) =>
      rows(
        tx,
        sql<{ tenant_id: string; webhook_id: string; ms: number }>`
          select tenant_id, webhook_id, (extract(epoch from due_at - now()) * 1000)::float8 as ms
            from due_webhooks(now() + ${SWEEP_MS}::int * interval '1 millisecond')`,
      ),
    );
    for (const { tenant_id: tenantId, webhook_id: webhookId, ms } of due) this.wakeIn({ tenantId, webhookId }, ms);
    await this.old.deleteHourly(() => this.stopped);
  }

  private wakeIn(ref: WebhookRef, ms: number): void {
    if (ms <= 0) return this.wake(ref);
    // Sets no timer for deliveries that the next sweep will find.
    const set = this.timers.get(ref.webhookId);
    const at = performance.now() + ms;
    if (this.stopped || ms > SWEEP_MS || (set && set.at <= at)) return;
    if (set) clearTimeout(set.timer);
    const fire = () => {
      this.timers.delete(ref.webhookId);
      this.wake(ref);
    };
    this.timers.set(ref.webhookId, { at, timer: setTimeout(fire, ms) });
  }

  private wake({ tenantId, webhookId }: WebhookRef): void {
    if (this.stopped) return;
    if (this.known.has(webhookId)) {
      this.known.set(webhookId, true);
      return;
    }
    this.known.set(webhookId, false);
    this.waiting.add(tenantId, webhookId);
    this.serveNext();
  }

  private serveNext(): void {
    while (!this.stopped && this.running.size < SERVED_AT_ONCE) {
      const taken = this.waiting.takeNext((tenantId) => (this.served.get(tenantId) ?? 0) < SERVED_OF_TENANT);
      if (!taken) return;
      const ref = { tenantId: taken.key, webhookId: taken.item };
      this.count(ref.tenantId, 1);
      const run = this.sendDeliveries(ref).finally(() => {
        this.running.delete(run);
        this.count(ref.tenantId, -1);
        this.serveNext();
      });
      this.running.add(run);
    }
  }

  private async sendDeliveries(ref: WebhookRef): Promise<void> {
    this.known.set(ref.webhookId, false);
    let next: number | null = null;
    try {
      next = await this.sender.serve(ref, () => this.stopped);
    } catch (error) {
      // If a result could not be stored, the next sweep finds the delivery and sends it again.
      this.warn('Sending', error);
    }
    const again = this.known.get(ref.webhookId);
    this.known.delete(ref.webhookId);
    if (again) this.wake(ref);
    else if (next !== null) this.wakeIn(ref, next);
  }

  private count(tenantId: string, by: number): void {
    const count = (this.served.get(tenantId) ?? 0) + by;
    if (count > 0) this.served.set(tenantId, count);
    else this.served.delete(tenantId);
  }

  private warn(what: string, error: unknown): void {
    if (!isDatabaseUnavailable(error)) this.log.warn(`${what} failed: ${String(error)}`);
  }
}
