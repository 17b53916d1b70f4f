import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Tells who had a hand in a record that is there no more: its trail outlives it. */
@Injectable()
export class AuditActors {
  /** Ids of the users who did any of this to the record, or whom a commit names that it was done from. */
  async of(tx: EntityManager, tenantId: string, resourceId: string, actions: readonly string[]): Promise<string[]> {
    const rows = await tx.query<{ actor_id: string }[]>(
      `select distinct done.actor_id from (
          select case actor_kind when 'user' then actor_id::text when 'system' then after->>'commitAuthorId' end as actor_id
            from audit_entries where tenant_id = $1 and resource_id = $2 and action = any ($3)
        ) done where done.actor_id is not null`,
      [tenantId, resourceId, actions],
    );
    return rows.map(({ actor_id }) => actor_id);
  }
}
