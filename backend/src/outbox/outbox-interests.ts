import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** A subscription to an event type. */
export interface Interest {
  type: string;
  /** Null: all environments. */
  environmentId: string | null;
}

/** Subscriptions of a tenant. Events without one are not stored. */
@Injectable()
export class OutboxInterests {
  /**
   * Replaces the subscriptions of a consumer. Concurrent calls for the same tenant and consumer wait, so `find` sees
   * what earlier calls stored.
   * @param find returns all current subscriptions of the consumer
   */
  async keep(
    tx: EntityManager,
    tenantId: string,
    consumer: string,
    find: () => Promise<readonly Interest[]>,
  ): Promise<void> {
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `outbox-interests:${consumer}:${tenantId}`,
    ]);
    const interests = await find();
    await tx.query('delete from outbox_interests where tenant_id = $1 and consumer = $2', [tenantId, consumer]);
    await tx.query(
      `insert into outbox_interests (tenant_id, consumer, type, environment_id)
        select distinct $1::uuid, $2, type, environment_id from unnest($3::text[], $4::uuid[]) as x (type, environment_id)`,
      [tenantId, consumer, interests.map(({ type }) => type), interests.map(({ environmentId }) => environmentId)],
    );
  }
}
