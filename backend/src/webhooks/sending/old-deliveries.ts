import { Injectable } from '@nestjs/common';
import { affected, rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';

/** Number of days to keep finished deliveries. Dead ones are kept longer, because they can be replayed. */
export const DELIVERED_KEPT_DAYS = 7;
export const DEAD_KEPT_DAYS = 30;
/** Minimum time between two deletions in one process, in ms, and number of rows per transaction. */
const INTERVAL_MS = 3_600_000;
const AT_ONCE = 1_000;

@Injectable()
export class OldDeliveries {
  private nextRunAt = 0;

  constructor(private readonly units: UnitOfWork) {}

  /** Deletes at most once per {@link INTERVAL_MS}, however often it is called. */
  async deleteHourly(stops: () => boolean): Promise<void> {
    if (Date.now() < this.nextRunAt) return;
    this.nextRunAt = Date.now() + INTERVAL_MS;
    await this.delete(stops);
  }

  async delete(stops: () => boolean = () => false): Promise<void> {
    const tenants = await this.units.runWithoutTenant((tx) =>
      rows(tx, sql<{ id: string }>`select tenants_with_webhook_messages(now() - interval '1 day') as id`),
    );
    for (const { id } of tenants) while (!stops() && (await this.deleteBatch(id)));
  }

  /** @returns whether more rows may remain */
  private deleteBatch(tenantId: string): Promise<boolean> {
    return this.units.run(tenantId, async (tx) => {
      const deliveries = await affected(
        tx,
        sql`delete from webhook_deliveries where tenant_id = ${tenantId} and id in (
          select id from webhook_deliveries where tenant_id = ${tenantId}
            and (state = 'delivered' and finished_at < now() - make_interval(days => ${DELIVERED_KEPT_DAYS})
              or state = 'dead' and finished_at < now() - make_interval(days => ${DEAD_KEPT_DAYS})) limit ${AT_ONCE})`,
      );
      const messages = await affected(
        tx,
        sql`delete from webhook_messages where tenant_id = ${tenantId} and id in (
          select m.id from webhook_messages m where m.tenant_id = ${tenantId} and m.created_at < now() - interval '1 day'
            and not exists (select from webhook_deliveries d where d.message_id = m.id) limit ${AT_ONCE})`,
      );
      return deliveries === AT_ONCE || messages === AT_ONCE;
    });
  }
}
