import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { allOf, StatementValues } from '../common/database/statement-values.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { conflict, notFound } from '../common/errors/problem.js';
import { DEFAULT_LIMIT, type Page } from '../common/http/paging/page.js';
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
import { DELIVERY_IS_VISIBLE } from './rule-reader.js';

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
    const { limit = DEFAULT_LIMIT } = query;
    const order = new ListOrder(query, {}, 'd');
    return this.units.run(caller.tenantId, async (tx) => {
      const rule = await this.lookup.visible(tx, caller, id);
      const values = new StatementValues(caller.tenantId, caller.role, caller.userId, caller.limits, rule.id);
      const conditions = ['d.tenant_id = $1', 'd.rule_id = $5', DELIVERY_IS_VISIBLE, ...order.afterCursor(values)];
      const rows = await tx.query<(DeliveryRow & { sort_key: null })[]>(
        `select ${DELIVERY_COLUMNS}, ${order.key} as sort_key from notification_deliveries d
          where ${allOf(conditions)} order by ${order.orderBy} limit ${values.of(limit + 1)}`,
        values.list,
      );
      return order.page(rows, limit, toDeliveryView);
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
        resourceType: 'notification_rule',
        resourceId: rule.id,
        resourceName: rule.name,
        after: { deliveryId: after.id, subject: after.subject },
      });
      return toDeliveryView(after);
    });
  }

  private async visible(tx: EntityManager, caller: Principal, ruleId: string, id: string): Promise<DeliveryRow> {
    const [row] = isId(id)
      ? await tx.query<DeliveryRow[]>(
          `select ${DELIVERY_COLUMNS} from notification_deliveries d
            where d.tenant_id = $1 and d.rule_id = $5 and d.id = $6 and ${DELIVERY_IS_VISIBLE}`,
          [caller.tenantId, caller.role, caller.userId, caller.limits, ruleId, id],
        )
      : [];
    if (!row) throw notFound();
    return row;
  }
}
