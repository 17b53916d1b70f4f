import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { isDatabaseAway } from '../../common/database/database-problem.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { CHANNELS, Notifications } from '../../common/notify/notifications.js';
import { RoundRobin } from '../../common/round-robin.js';
import type { WebhookRef } from './claim-deliveries.js';
import { OldDeliveries } from './old-deliveries.js';
import { WebhookSender } from './webhook-sender.js';

/** Webhooks that one worker serves at a time, and those of one tenant among them: others always find a place. */
const SERVED_AT_ONCE = 32;
const SERVED_OF_TENANT = 8;
/** A notification may get lost, or a worker die that had a webhook; what is due is looked for this often, in ms. */
const SWEEP_MS = 15_000;

/** Serves webhooks as deliveries of theirs become due, tenants by turns. */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Webhooks');
  private readonly waiting = new RoundRobin<string>();
  /** Webhooks that are served or wait for it; true: something came for them meanwhile. */
  private readonly known = new Map<string, boolean>();
  private readonly served = new Map<string, number>();
  private readonly timers = new Map<string, { at: number; timer: NodeJS.Timeout }>();
  private readonly running = new Set<Promise<void>>();
  private stopListening: () => unknown = () => undefined;
  private sweep: NodeJS.Timeout | null = null;
  private sweeping: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly units: UnitOfWork,
    private readonly notifications: Notifications,
    private readonly sender: WebhookSender,
    private readonly old: OldDeliveries,
  ) {}

  onApplicationBootstrap(): void {
    this.stopListening = this.notifications.on(CHANNELS.webhooks, (payload) => {
      const [tenantId, webhookId] = payload.split('/');
      if (tenantId && webhookId) this.wake({ tenantId, webhookId });
      else this.look();
    });
    this.sweep = setInterval(() => this.look(), SWEEP_MS);
    this.look();
  }

  /** Before the worker counts as ended. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.stopListening();
    if (this.sweep) clearInterval(this.sweep);
    for (const { timer } of this.timers.values()) clearTimeout(timer);
    this.waiting.clear();
    await Promise.allSettled([this.sweeping, ...this.running]);
  }

  private look(): void {
    this.sweeping = this.sweeping
      .then(() => this.findDue())
      .catch((error: unknown) => this.warn('Looking for deliveries', error));
  }

  private async findDue(): Promise<void> {
    if (this.stopped) return;
    const rows = await this.units.runWithoutTenant((tx) =>
      tx.query<{ tenant_id: string; webhook_id: string; ms: string }[]>(
        `select tenant_id, webhook_id, extract(epoch from due_at - now()) * 1000 as ms
          from due_webhooks(now() + interval '${SWEEP_MS} milliseconds')`,
      ),
    );
    for (const { tenant_id: tenantId, webhook_id: webhookId, ms } of rows)
      this.wakeIn({ tenantId, webhookId }, Number(ms));
    await this.old.inTime(() => this.stopped);
  }

  private wakeIn(ref: WebhookRef, ms: number): void {
    if (ms <= 0) return this.wake(ref);
    // What is due later is found by a sweep.
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
      const taken = this.waiting.take((tenantId) => (this.served.get(tenantId) ?? 0) < SERVED_OF_TENANT);
      if (!taken) return;
      const ref = { tenantId: taken.key, webhookId: taken.item };
      this.count(ref.tenantId, 1);
      const run = this.serve(ref).finally(() => {
        this.running.delete(run);
        this.count(ref.tenantId, -1);
        this.serveNext();
      });
      this.running.add(run);
    }
  }

  private async serve(ref: WebhookRef): Promise<void> {
    this.known.set(ref.webhookId, false);
    let next: number | null = null;
    try {
      next = await this.sender.serve(ref, () => this.stopped);
    } catch (error) {
      // What was sent and could not be noted is sent again: found by the next sweep.
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
    if (!isDatabaseAway(error)) this.log.warn(`${what} failed: ${String(error)}`);
  }
}
