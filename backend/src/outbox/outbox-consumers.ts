import type { EntityManager } from 'typeorm';
import type { JobQueue } from '../common/queue/job-queue.js';
import type { OutboxEvent } from './outbox-event.js';

/** Events of one tenant, those of one run in the order of their changes. */
export interface OutboxBatch {
  tenantId: string;
  events: readonly OutboxEvent[];
  /** For jobs that are stored with what the consumer stores. */
  queue: JobQueue;
}

/** Who delivers events to the outside. */
export interface OutboxConsumer {
  /** As its interests name it. */
  name: string;
  /**
   * Stores what it has to deliver of these events, in the transaction that takes them out of the outbox: it calls nobody.
   * It is handed what others listen for too. An error keeps all of the batch in the outbox, to be handed over again.
   */
  take(tx: EntityManager, batch: OutboxBatch): Promise<void>;
}

/** Injection token of the list of consumers. */
export const OUTBOX_CONSUMERS = Symbol('outbox consumers');
