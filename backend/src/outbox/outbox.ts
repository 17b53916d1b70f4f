import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { row, sql } from '../common/database/sql.js';
import type { NewOutboxEvent } from './outbox-event.js';
import { insertSubscribedEvents, NOTIFY_STORED_EVENTS } from './outbox.sql.js';

/** Stores events for receivers, in the transaction of the change. */
@Injectable()
export class Outbox {
  /** Stores the event if the tenant has a subscription for it. */
  async add(tx: EntityManager, tenantId: string, event: NewOutboxEvent): Promise<void> {
    const { type, data, environmentId = null, planId = null, executionId = null } = event;
    const added = sql`(select 1 as n, ${type}::text as type, ${JSON.stringify(data)}::jsonb as data,
      ${environmentId}::uuid as environment_id, ${planId}::uuid as plan_id, ${executionId}::uuid as execution_id,
      null::jsonb as run)`;
    await row(
      tx,
      sql`with heard as (${insertSubscribedEvents(sql`${tenantId}::uuid`, added)}) select ${NOTIFY_STORED_EVENTS}`,
    );
  }
}
