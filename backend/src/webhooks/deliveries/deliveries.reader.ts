import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { row, rows, sql, type Sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { notFound } from '../../common/errors/problem.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../common/http/paging/page.js';
import { ListOrder } from '../../common/http/paging/sorted-page.js';
import { isId } from '../../common/ids.js';
import { isInVisibleEnvironmentSql } from '../../environments/environments.sql.js';
import { findVisibleWebhook } from '../records/webhook-lookup.js';
import type { ListDeliveriesQuery } from './deliveries.dto.js';
import {
  type AttemptRow,
  type DeliveryDetailView,
  type DeliveryRow,
  type DeliveryView,
  toAttemptView,
  toDeliveryView,
} from './deliveries.view.js';

const COLUMNS = sql`d.id, d.message_id, m.type, d.state, m.at, m.execution_id, d.attempts, d.next_attempt_at, d.attempted_at,
  d.duration_ms, d.status, d.code, d.message, d.finished_at, d.created_at`;
const FROM = sql`webhook_deliveries d join webhook_messages m on m.tenant_id = d.tenant_id and m.id = d.message_id`;

/** Condition on a row of `webhook_deliveries`: the caller may see its environment, with any token. */
export const deliveryVisibleTo = (delivery: Sql, caller: Principal): Sql =>
  sql`(${delivery}.environment_id is null or ${isInVisibleEnvironmentSql(delivery, { ...caller, limits: null })})`;

/** Omits deliveries of environments that the caller cannot see. */
@Injectable()
export class DeliveriesReader {
  constructor(private readonly units: UnitOfWork) {}

  /** @throws Problem 400; 404 */
  list(caller: Principal, webhookId: string, query: ListDeliveriesQuery): Promise<Page<DeliveryView>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const order = new ListOrder(query, {}, 'd');
    return this.units.run(caller.tenantId, async (tx) => {
      await findVisibleWebhook(tx, caller, webhookId);
      const conditions = [
        sql`d.tenant_id = ${caller.tenantId} and d.webhook_id = ${webhookId}`,
        ...(query.status ? [sql`d.state = any (${query.status})`] : []),
        deliveryVisibleTo(sql.raw('d'), caller),
        ...order.afterCursorSql(),
      ];
      const found = await rows(
        tx,
        sql<DeliveryRow & { sort_key: null }>`select ${COLUMNS}, null as sort_key from ${FROM}
          where ${sql.all(conditions)} order by ${order.orderBy} limit ${limit + 1}`,
      );
      return order.toPage(found, limit, toDeliveryView);
    });
  }

  /** @throws Problem 404 */
  get(caller: Principal, webhookId: string, id: string): Promise<DeliveryDetailView> {
    return this.units.run(caller.tenantId, (tx) => this.getIn(tx, caller, webhookId, id));
  }

  /** @throws Problem 404 */
  async getIn(tx: EntityManager, caller: Principal, webhookId: string, id: string): Promise<DeliveryDetailView> {
    await findVisibleWebhook(tx, caller, webhookId);
    const delivery = isId(id)
      ? await row(
          tx,
          sql<DeliveryRow & { body: string }>`select ${COLUMNS}, m.body from ${FROM}
            where d.tenant_id = ${caller.tenantId} and d.webhook_id = ${webhookId} and d.id = ${id}
              and ${deliveryVisibleTo(sql.raw('d'), caller)}`,
        )
      : undefined;
    if (!delivery) throw notFound();
    const attempts = await rows(
      tx,
      sql<AttemptRow>`
        select number, at, duration_ms, status, code, message, answer, truncated from webhook_attempts
          where tenant_id = ${caller.tenantId} and delivery_id = ${id} order by number desc`,
    );
    return { ...toDeliveryView(delivery), body: delivery.body, history: attempts.map(toAttemptView) };
  }
}
