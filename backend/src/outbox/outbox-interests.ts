import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { affected, row, sql } from '../common/database/sql.js';
import type { EventType } from './event-types.js';

export interface Interest {
  type: EventType;
  /** Null: all environments. */
  environmentId: string | null;
}

/** Subscriptions of a tenant. An event without a subscription is not stored. */
@Injectable()
export class OutboxInterests {
  /**
   * Replaces the subscriptions of a consumer. Concurrent calls for the same tenant and consumer wait, so `find` sees
   * what earlier calls stored.
   * @param find returns all current subscriptions of the consumer
   */
  async storeInterests(
    tx: EntityManager,
    tenantId: string,
    consumer: string,
    find: () => Promise<readonly Interest[]>,
  ): Promise<void> {
    await row(
      tx,
      sql`select pg_advisory_xact_lock(hashtextextended(${`outbox-interests:${consumer}:${tenantId}`}, 0))`,
    );
    const interests = await find();
    await affected(tx, sql`delete from outbox_interests where tenant_id = ${tenantId} and consumer = ${consumer}`);
    const types = interests.map(({ type }) => type);
    const environmentIds = interests.map(({ environmentId }) => environmentId);
    await affected(
      tx,
      sql`insert into outbox_interests (tenant_id, consumer, type, environment_id)
        select distinct ${tenantId}::uuid, ${consumer}, type, environment_id
          from unnest(${types}::text[], ${environmentIds}::uuid[]) as x (type, environment_id)`,
    );
  }
}
