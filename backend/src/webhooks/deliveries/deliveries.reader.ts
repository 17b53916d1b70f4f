import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { StatementValues } from '../../common/database/statement-values.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { notFound } from '../../common/errors/problem.js';
import { DEFAULT_LIMIT, type Page } from '../../common/http/paging/page.js';
import { ListOrder } from '../../common/http/paging/sorted-page.js';
import { isId } from '../../common/ids.js';
import { isInVisibleEnvironment } from '../../environments/visible-environment.js';
import { visibleWebhook } from '../records/webhook-lookup.js';
import type { ListDeliveriesQuery } from './deliveries.dto.js';
import {
  type AttemptRow,
  type DeliveryDetailView,
  type DeliveryRow,
  type DeliveryView,
  toAttemptView,
  toDeliveryView,
} from './deliveries.view.js';

const COLUMNS = `d.id, d.message_id, m.type, d.state, m.at, m.execution_id, d.attempts, d.next_attempt_at, d.attempted_at,
  d.duration_ms, d.status, d.code, d.message, d.finished_at, d.created_at`;
const FROM = `webhook_deliveries d join webhook_messages m on m.tenant_id = d.tenant_id and m.id = d.message_id`;

const isVisible = (role: string, user: string) =>
  `(d.environment_id is null or ${isInVisibleEnvironment('d', { role, user, limits: 'null' })})`;

/** Omits deliveries of environments that the caller cannot see. */
@Injectable()
export class DeliveriesReader {
  constructor(private readonly units: UnitOfWork) {}

  /** @throws Problem 400; 404 */
  list(caller: Principal, webhookId: string, query: ListDeliveriesQuery): Promise<Page<DeliveryView>> {
    const limit = query.limit ?? DEFAULT_LIMIT;
    const order = new ListOrder(query, {}, 'd');
    return this.units.run(caller.tenantId, async (tx) => {
      await visibleWebhook(tx, caller, webhookId);
      const values = new StatementValues();
      const conditions = [
        `d.tenant_id = ${values.of(caller.tenantId)}`,
        `d.webhook_id = ${values.of(webhookId)}`,
        ...(query.state ? [`d.state = any (${values.of(query.state)})`] : []),
        `${isVisible(`${values.of(caller.role)}::text`, `${values.of(caller.userId)}::uuid`)}`,
        ...order.afterCursor(values),
      ];
      const rows = await tx.query<(DeliveryRow & { sort_key: null })[]>(
        `select ${COLUMNS}, null as sort_key from ${FROM} where ${conditions.join(' and ')}
          order by ${order.orderBy} limit ${values.of(limit + 1)}`,
        values.list,
      );
      return order.page(rows, limit, toDeliveryView);
    });
  }

  /** @throws Problem 404 */
  get(caller: Principal, webhookId: string, id: string): Promise<DeliveryDetailView> {
    return this.units.run(caller.tenantId, (tx) => this.getIn(tx, caller, webhookId, id));
  }

  /** @throws Problem 404 */
  async getIn(tx: EntityManager, caller: Principal, webhookId: string, id: string): Promise<DeliveryDetailView> {
    await visibleWebhook(tx, caller, webhookId);
    const [row] = isId(id)
      ? await tx.query<(DeliveryRow & { body: string })[]>(
          `select ${COLUMNS}, m.body from ${FROM}
            where d.tenant_id = $1 and d.webhook_id = $2 and d.id = $3 and ${isVisible('$4::text', '$5::uuid')}`,
          [caller.tenantId, webhookId, id, caller.role, caller.userId],
        )
      : [];
    if (!row) throw notFound();
    const attempts = await tx.query<AttemptRow[]>(
      `select number, at, duration_ms, status, code, message, answer, truncated from webhook_attempts
        where tenant_id = $1 and delivery_id = $2 order by number desc`,
      [caller.tenantId, id],
    );
    return { ...toDeliveryView(row), body: row.body, history: attempts.map(toAttemptView) };
  }
}
