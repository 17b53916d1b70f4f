import { DiscoveryService } from '@nestjs/core';
import type { JobOf, QueueName } from './queue-names.js';

/** Part of a worker process: what it starts, and hands over to other workers before it ends. */
export interface WorkerPart {
  start?(): void | Promise<void>;
  /** Takes no more work and ends when its running work is stored. */
  drain?(): Promise<void>;
}

/** Handles the jobs of one queue. Each queue has exactly one handler; a worker without it does not start. */
export interface JobHandler<Queue extends QueueName = QueueName> extends WorkerPart {
  readonly queue: Queue;
  /** Maximum number of concurrent jobs of this process. */
  readonly concurrency: number;
  /** Maximum number of concurrent jobs of one tenant, so that its slow jobs do not delay other tenants. */
  readonly perTenant?: number;
  /** Time that a worker waits for running jobs before it ends, in ms; absent: until they end. */
  readonly drainMs?: number;
  /**
   * Rejects only if the queue should deliver the job again.
   * @param ending aborted when the worker drains; the job then ends soon, and another worker continues it
   */
  handle(job: JobOf<Queue>, ending: AbortSignal): Promise<void>;
}

/** Class decorator: a worker process starts and drains the provider, and gives it the jobs of its queue. */
export const WorkerProvider = DiscoveryService.createDecorator<void>();
