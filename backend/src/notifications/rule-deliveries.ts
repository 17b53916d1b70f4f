import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { row, rows, sql } from '../common/database/sql.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { conflict, notFound } from '../common/errors/problem.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../common/http/paging/page.js';
import { ListOrder } from '../common/http/paging/sorted-page.js';
import { isId } from '../common/ids.js';
import { JobQueue } from '../common/queue/job-queue.js';
import type { ListNotificationDeliveriesQuery } from './notification-rules.dto.js';
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  type NotificationDeliveryView,
  toDeliveryView,
} from './notification-rules.view.js';
import { resendDelivery } from './records/delivery-rows.js';
import { RuleLookup } from './records/rule-lookup.js';
import { isDeliveryVisibleSql } from './rule-reader.js';

@Injectable()
export class RuleDeliveries {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly queue: JobQueue,
    private readonly lookup: RuleLookup,
  ) {}

  /** @throws Problem 404 */
  list(caller: Principal, id: string, query: ListNotificationDeliveriesQuery): Promise<Page<NotificationDeliveryView>> {
    const { limit = DEFAULT_PAGE_LIMIT } = query;
    const order = new ListOrder(query, {}, 'd');
    return this.units.run(caller.tenantId, async (tx) => {
      const rule = await this.lookup.visible(tx, caller, id);
      const conditions = [
        sql`d.tenant_id = ${caller.tenantId} and d.rule_id = ${rule.id}`,
        isDeliveryVisibleSql(sql.raw('d'), caller),
        ...order.afterCursorSql(),
      ];
      const found = await rows(
        tx,
        sql<DeliveryRow & { sort_key: string | null }>`
          select ${DELIVERY_COLUMNS}, ${order.key} as sort_key from notification_deliveries d
            where ${sql.all(conditions)} order by ${order.orderBy} limit ${limit + 1}`,
      );
      return order.toPage(found, limit, toDeliveryView);
    });
  }

  /** @throws Problem 404; 409 `delivery_not_failed` */
  resend(caller: Principal, id: string, deliveryId: string): Promise<NotificationDeliveryView> {
    const { tenantId } = caller;
    return this.units.run(tenantId, async (tx) => {
      const rule = await this.lookup.visible(tx, caller, id);
      const { state } = await this.visible(tx, caller, rule.id, deliveryId);
      if (!(await resendDelivery(tx, tenantId, deliveryId)))
        throw conflict('delivery_not_failed', `The message is ${state}. Only failed messages can be resent.`);
      await this.queue.enqueueNotification(tx, { tenantId, deliveryId: deliveryId.toLowerCase() });
      const after = await this.visible(tx, caller, rule.id, deliveryId);
      await this.audit.record(tx, caller, {
        action: 'notification_rule.resend',
        resourceId: rule.id,
        resourceName: rule.name,
        after: { deliveryId: after.id, subject: after.subject },
      });
      return toDeliveryView(after);
    });
  }

  private async visible(tx: EntityManager, caller: Principal, ruleId: string, id: string): Promise<DeliveryRow> {
    if (!isId(id)) throw notFound();
    const delivery = await row(
      tx,
      sql<DeliveryRow>`select ${DELIVERY_COLUMNS} from notification_deliveries d
        where d.tenant_id = ${caller.tenantId} and d.rule_id = ${ruleId} and d.id = ${id}
          and ${isDeliveryVisibleSql(sql.raw('d'), caller)}`,
    );
    if (!delivery) throw notFound();
    return delivery;
  }
}
