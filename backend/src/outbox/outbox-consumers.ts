import type { EntityManager } from 'typeorm';
import type { JobQueue } from '../common/queue/job-queue.js';
import type { OutboxEvent } from './outbox-event.js';

/** Events of one tenant. Events of the same run are in the order in which the run changed. */
export interface OutboxBatch {
  tenantId: string;
  events: readonly OutboxEvent[];
  /** Queue for jobs that must be stored in the same transaction. */
  queue: JobQueue;
}

export interface OutboxConsumer {
  /** Must equal the name in the consumer's subscriptions. */
  name: string;
  /**
   * Stores deliveries for these events, in the transaction that removes them from the outbox. Must not call anything
   * remote. The batch includes events that only other consumers subscribe to. After an error, the whole batch stays in
   * the outbox for another attempt.
   */
  take(tx: EntityManager, batch: OutboxBatch): Promise<void>;
}

export const OUTBOX_CONSUMERS = Symbol('outbox consumers');
