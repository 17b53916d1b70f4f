import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Interest, OutboxInterests } from '../../outbox/outbox-interests.js';

/** What the room is called among those who take events. */
export const CONSUMER = 'webhooks';

/** Tells the outbox which events somebody is to be told of. */
@Injectable()
export class WebhookInterests {
  constructor(private readonly interests: OutboxInterests) {}

  /** To be called after each change of what webhooks of the tenant listen for; others who change it wait. */
  keep(tx: EntityManager, tenantId: string): Promise<void> {
    return this.interests.keep(tx, tenantId, CONSUMER, () =>
      tx.query<Interest[]>(
        `select distinct type, environment_id as "environmentId" from webhooks w, unnest(w.events) type,
            unnest(coalesce(w.environment_ids, '{null}')) environment_id
          where w.tenant_id = $1 and w.enabled`,
        [tenantId],
      ),
    );
  }
}
