import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** A kind of event that somebody listens for. */
export interface Interest {
  type: string;
  /** Null: wherever it happens. */
  environmentId: string | null;
}

/** Who of a tenant listens for what: of anything else no event is stored. */
@Injectable()
export class OutboxInterests {
  /**
   * Puts what a consumer listens for in place of what it listened for before. Others who do so for the same tenant and
   * consumer wait for the end of the unit: what is found by `find` includes what they have stored.
   * @param find tells all that the consumer's rows ask for now
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
