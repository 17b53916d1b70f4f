import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { rows, sql } from '../common/database/sql.js';

/** Finds users who changed a record. Also works for deleted records, because the audit trail is kept. */
@Injectable()
export class AuditActors {
  /** Returns the IDs of users who performed one of the actions on the record, or who wrote the commit that did. */
  async findActorNames(
    tx: EntityManager,
    tenantId: string,
    resourceId: string,
    actions: readonly string[],
  ): Promise<string[]> {
    const actors = await rows(
      tx,
      sql<{ actor_id: string }>`select distinct done.actor_id from (
          select case actor_kind when 'user' then actor_id::text when 'system' then after->>'commitAuthorId' end as actor_id
            from audit_entries where tenant_id = ${tenantId} and resource_id = ${resourceId} and action = any (${actions})
        ) done where done.actor_id is not null`,
    );
    return actors.map(({ actor_id }) => actor_id);
  }
}
