import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict } from '../../common/errors/problem.js';
import { closeLanes, openLanes, notifySenders } from '../records/delivery-lanes.js';
import type { Webhook } from '../records/webhook.entity.js';
import { lockVisibleWebhook } from '../records/webhook-lookup.js';
import { DeliveriesReader, deliveryVisibleTo } from './deliveries.reader.js';
import type { DeliveryDetailView, ReplayedDeliveriesView } from './deliveries.view.js';

export const REPLAYED_AT_ONCE = 1_000;

/** Replays finished deliveries with the same body and message ID, in the order of each run's events. */
@Injectable()
export class ReplayDeliveries {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly reader: DeliveriesReader,
  ) {}

  /** @throws Problem 404; 409 `webhook_not_enabled`, `delivery_pending` */
  one(caller: Principal, webhookId: string, id: string): Promise<DeliveryDetailView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const webhook = await this.lockWebhook(tx, caller, webhookId);
      const { status, messageId, type } = await this.reader.getIn(tx, caller, webhookId, id);
      requireEnabled(webhook);
      if (status === 'pending') throw conflict('delivery_pending', 'The delivery is already waiting to be sent.');
      await this.send(tx, caller, webhookId, [id]);
      await this.recordReplay(tx, caller, webhook, { messageId, type });
      return this.reader.getIn(tx, caller, webhookId, id);
    });
  }

  /** Replays the oldest dead deliveries first. @throws Problem 404; 409 `webhook_not_enabled` */
  dead(caller: Principal, webhookId: string): Promise<ReplayedDeliveriesView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const webhook = await this.lockWebhook(tx, caller, webhookId);
      requireEnabled(webhook);
      const found = await rows(
        tx,
        sql<{ id: string }>`select d.id from webhook_deliveries d
          where d.tenant_id = ${caller.tenantId} and d.webhook_id = ${webhookId} and d.state = 'dead'
            and ${deliveryVisibleTo(sql.raw('d'), caller)}
          order by d.id limit ${REPLAYED_AT_ONCE + 1}`,
      );
      const ids = found.slice(0, REPLAYED_AT_ONCE).map(({ id }) => id);
      if (ids.length > 0) {
        await this.send(tx, caller, webhookId, ids);
        await this.recordReplay(tx, caller, webhook, { dead: ids.length });
      }
      return { replayed: ids.length, more: found.length > ids.length };
    });
  }

  private lockWebhook(tx: EntityManager, caller: Principal, id: string): Promise<Webhook> {
    return lockVisibleWebhook(tx, caller, id);
  }

  private async send(tx: EntityManager, { tenantId }: Principal, webhookId: string, ids: string[]): Promise<void> {
    const sent = await rows(
      tx,
      sql<{ lane: string }>`
        update webhook_deliveries set state = 'pending', tries = 0, tries_since = now(), next_attempt_at = null,
            finished_at = null, code = null, message = null, status = null
          where tenant_id = ${tenantId} and webhook_id = ${webhookId} and id = any (${ids}) and state <> 'pending'
          returning lane`,
    );
    const lanes = [...new Set(sent.map(({ lane }) => lane))].map((lane) => ({ webhookId, lane }));
    await closeLanes(tx, tenantId, lanes);
    await openLanes(tx, tenantId, lanes, null);
    await notifySenders(tx, tenantId, [webhookId]);
  }

  private recordReplay(tx: EntityManager, caller: Principal, { id, name }: Webhook, after: object): Promise<void> {
    return this.audit.record(tx, caller, {
      ...{ action: 'webhook.replay', resourceId: id, resourceName: name, after },
    });
  }
}

function requireEnabled({ enabled, name }: Webhook): void {
  if (!enabled) throw conflict('webhook_not_enabled', `"${name}" is disabled. Enable it, then replay the delivery.`);
}
