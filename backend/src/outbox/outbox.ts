import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { NewOutboxEvent } from './outbox-event.js';
import { insertSubscribedEvents, NOTIFY_STORED_EVENTS } from './outbox.sql.js';

/** Stores events for receivers in the transaction of the change. */
@Injectable()
export class Outbox {
  /** Stores the event if the tenant has a subscription for it, in the transaction of `tx`. */
  async add(tx: EntityManager, tenantId: string, event: NewOutboxEvent): Promise<void> {
    await tx.query(ADD, [
      tenantId,
      event.type,
      JSON.stringify(event.data),
      event.environmentId ?? null,
      event.planId ?? null,
      event.executionId ?? null,
    ]);
  }
}

const ADD = `with heard as (
    ${insertSubscribedEvents(
      '$1::uuid',
      `(select 1 as n, $2::text as type, $3::jsonb as data, $4::uuid as environment_id, $5::uuid as plan_id,
          $6::uuid as execution_id, null::jsonb as run)`,
    )})
  select ${NOTIFY_STORED_EVENTS}`;
