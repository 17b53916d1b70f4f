import { Inject, Injectable, Optional } from '@nestjs/common';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { WebhookSwitch } from '../records/webhook-switch.js';
import { WebhookVault } from '../records/webhook-vault.js';
import {
  type ClaimedWebhook,
  claimDeliveries,
  type DueDelivery,
  releaseWebhook,
  type WebhookRef,
} from './claim-deliveries.js';
import { endDelivery, finishAttempt, toOutcome } from './finish-delivery.js';
import { WebhookHttp } from './webhook-http.js';

const CALLS_AT_ONCE = 4;
/** Maximum time for which a webhook is served before others get a turn, in ms. */
const TURN_TIMEOUT_MS = 20_000;

/**
 * Interval of the search for further due deliveries during a call, in ms. Without it, a call that hangs would delay
 * other lanes.
 */
const POLL_MS = 1_000;

/** Injection token of a clock with which tests replace the database's clock. */
export const DELIVERY_CLOCK = Symbol('delivery clock');
export type DeliveryClock = () => Date;

const NOT_VISIBLE = {
  code: 'not_visible',
  message: 'The owner of the webhook can no longer see this event, so it was not sent.',
};

/** Sends due deliveries of a webhook: lanes concurrently, deliveries of one lane in sequence. */
@Injectable()
export class WebhookSender {
  constructor(
    private readonly units: UnitOfWork,
    private readonly vault: WebhookVault,
    private readonly http: WebhookHttp,
    private readonly webhooks: WebhookSwitch,
    @Inject(RUNTIME) private readonly runtime: Runtime,
    @Optional() @Inject(DELIVERY_CLOCK) private readonly clock?: DeliveryClock,
  ) {}

  /**
   * Serves a webhook until nothing is due or {@link TURN_TIMEOUT_MS} has passed.
   * @param stops true = begin no further call
   * @returns ms until the next delivery is due; null = none is scheduled, or another worker leases the webhook
   */
  async serve(ref: WebhookRef, stops: () => boolean = () => false): Promise<number | null> {
    const until = performance.now() + TURN_TIMEOUT_MS;
    const calls = new Map<string, Promise<void>>();
    let isHeld = false;
    try {
      while (!stops() && performance.now() < until) {
        const idle = calls.size === 0;
        const limit = CALLS_AT_ONCE - calls.size;
        const claimed = limit > 0 ? await this.claim(ref, [...calls.keys()], limit) : null;
        isHeld ||= claimed !== null;
        for (const due of claimed?.due ?? []) {
          const call = this.deliver(ref, claimed!, due).finally(() => calls.delete(due.lane));
          calls.set(due.lane, call);
          // Prevents an unhandled rejection while another call that failed is awaited.
          call.catch(() => undefined);
        }
        if (calls.size > 0) await this.waitForCall(calls);
        else if (idle) break;
      }
    } finally {
      await Promise.allSettled(calls.values());
    }
    if (!isHeld) return null;
    return this.units.run(ref.tenantId, (tx) => releaseWebhook(tx, ref, this.runtime.processName, this.now()));
  }

  private async waitForCall(calls: ReadonlyMap<string, Promise<void>>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const soon = new Promise<void>((resolve) => (timer = setTimeout(resolve, POLL_MS)));
    try {
      await Promise.race([...calls.values(), soon]);
    } finally {
      clearTimeout(timer);
    }
  }

  private claim(ref: WebhookRef, busy: readonly string[], limit: number): Promise<ClaimedWebhook | null> {
    const options = { sender: this.runtime.processName, busy, max: limit, now: this.now() };
    return this.units.run(ref.tenantId, (tx) => claimDeliveries(tx, ref, options));
  }

  private async deliver(ref: WebhookRef, webhook: ClaimedWebhook, due: DueDelivery): Promise<void> {
    const { tenantId, webhookId } = ref;
    if (!due.visible) {
      await this.units.run(tenantId, (tx) => endDelivery(tx, ref, due, NOT_VISIBLE, this.now()));
      return;
    }
    const secrets = this.vault.open(tenantId, webhookId, webhook);
    const message = { tenantId, url: webhook.url, messageId: due.message_id, body: due.body, secrets };
    const attempt = await this.http.send(message);
    const outcome = toOutcome(due, attempt, Math.random());
    await this.units.run(tenantId, async (tx) => {
      const reason = await finishAttempt(tx, ref, due, attempt, outcome, this.now());
      if (reason) await this.webhooks.disable(tx, { tenantId, id: webhookId }, reason);
    });
  }

  private now(): Date | null {
    return this.clock?.() ?? null;
  }
}
