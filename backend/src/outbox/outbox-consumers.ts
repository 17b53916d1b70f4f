import type { EntityManager } from 'typeorm';
import type { JobQueue } from '../common/queue/job-queue.js';
import type { OutboxEvent } from './outbox-event.js';

/** Events of one tenant. Those of one run are in the order of its changes. */
export interface OutboxBatch {
  tenantId: string;
  events: readonly OutboxEvent[];
  /** For jobs that must be stored in the same transaction. */
  queue: JobQueue;
}

/** Delivers events outside Runward. */
export interface OutboxConsumer {
  /** Same name as in the consumer's interests. */
  name: string;
  /**
   * Stores deliveries for these events in the transaction that removes them from the outbox. Must not call anything
   * remote. The batch includes events that only other consumers subscribe to. An error keeps the whole batch in the
   * outbox for another attempt.
   */
  take(tx: EntityManager, batch: OutboxBatch): Promise<void>;
}

export const OUTBOX_CONSUMERS = Symbol('outbox consumers');
