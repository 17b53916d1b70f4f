import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { rows, sql } from '../../common/database/sql.js';
import { type Interest, OutboxInterests } from '../../outbox/outbox-interests.js';

export const CONSUMER = 'webhooks';

@Injectable()
export class WebhookInterests {
  constructor(private readonly interests: OutboxInterests) {}

  /** Must be called after each change of the tenant's subscriptions. Concurrent changes wait for each other. */
  keep(tx: EntityManager, tenantId: string): Promise<void> {
    return this.interests.storeInterests(tx, tenantId, CONSUMER, () =>
      rows(
        tx,
        sql<Interest>`select distinct type, environment_id as "environmentId" from webhooks w, unnest(w.events) type,
            unnest(coalesce(w.environment_ids, '{null}')) environment_id
          where w.tenant_id = ${tenantId} and w.enabled`,
      ),
    );
  }
}
