import { Inject, Injectable, Optional } from '@nestjs/common';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { RUNTIME, type Runtime } from '../../common/runtime.js';
import { WebhookSwitch } from '../records/webhook-switch.js';
import { WebhookVault } from '../records/webhook-vault.js';
import {
  type ClaimedWebhook,
  claimDeliveries,
  type DueDelivery,
  releaseWebhook,
  type WebhookRef,
} from './claim-deliveries.js';
import { endDelivery, finishAttempt, outcomeOf } from './finish-delivery.js';
import { WebhookHttp } from './webhook-http.js';

/** Calls to one address at a time. */
const CALLS_AT_ONCE = 4;
/** How long one webhook is served before it is another's turn, in ms. */
const TURN_MS = 20_000;

/** While calls go on, others are looked for this often, in ms: one that hangs keeps nothing else of its address. */
const LOOK_MS = 1_000;

/** Tells the time instead of the database: for tests that do not wait. */
export const DELIVERY_CLOCK = Symbol('delivery clock');
export type DeliveryClock = () => Date;

const NOT_VISIBLE = {
  code: 'not_visible',
  message: 'The owner of the webhook may not see this any more, so it was not sent.',
};

/** Sends what is due of a webhook: lanes side by side, the deliveries of each one after the other. */
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
   * Serves a webhook until nothing of it is due, or its turn is over.
   * @param stops whether nothing new is to be begun
   * @returns in how many ms something of it is due; null: nothing is, or another worker has it
   */
  async serve(ref: WebhookRef, stops: () => boolean = () => false): Promise<number | null> {
    const until = performance.now() + TURN_MS;
    const calls = new Map<string, Promise<void>>();
    let held = false;
    try {
      while (!stops() && performance.now() < until) {
        const idle = calls.size === 0;
        const most = CALLS_AT_ONCE - calls.size;
        const claimed = most > 0 ? await this.claim(ref, [...calls.keys()], most) : null;
        held ||= claimed !== null;
        for (const due of claimed?.due ?? []) {
          const call = this.deliver(ref, claimed!, due).finally(() => calls.delete(due.lane));
          calls.set(due.lane, call);
          // Whoever awaits it may be another one that failed.
          call.catch(() => undefined);
        }
        // A call that ended meanwhile has made the next one of its lane due.
        if (calls.size > 0) await this.untilSome(calls);
        else if (idle) break;
      }
    } finally {
      await Promise.allSettled(calls.values());
    }
    if (!held) return null;
    return this.units.run(ref.tenantId, (tx) => releaseWebhook(tx, ref, this.runtime.processName, this.now()));
  }

  /** Until one of the calls has ended, or others may have become due beside them. */
  private async untilSome(calls: ReadonlyMap<string, Promise<void>>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const soon = new Promise<void>((resolve) => (timer = setTimeout(resolve, LOOK_MS)));
    try {
      await Promise.race([...calls.values(), soon]);
    } finally {
      clearTimeout(timer);
    }
  }

  private claim(ref: WebhookRef, busy: readonly string[], most: number): Promise<ClaimedWebhook | null> {
    const asked = { sender: this.runtime.processName, busy, most, now: this.now() };
    return this.units.run(ref.tenantId, (tx) => claimDeliveries(tx, ref, asked));
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
    const outcome = outcomeOf(due, attempt, Math.random());
    await this.units.run(tenantId, async (tx) => {
      const reason = await finishAttempt(tx, ref, due, attempt, outcome, this.now());
      if (reason) await this.webhooks.disable(tx, { tenantId, id: webhookId }, reason);
    });
  }

  private now(): Date | null {
    return this.clock?.() ?? null;
  }
}
