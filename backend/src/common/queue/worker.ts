import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { runWithLogFields } from '../logging/log-fields.js';
import { PRODUCT_VERSION } from '../product-version.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { WorkerHeartbeat } from './worker-heartbeat.js';
import { RUNTIME, type Runtime } from '../settings/runtime.js';
import { type JobHandler, type WorkerPart, WorkerProvider } from './job-handler.js';
import { JobQueue } from './job-queue.js';
import { QUEUES } from './queue-names.js';

/** Starts all parts of a worker process, gives jobs to their handlers, and drains them before the process ends. */
@Injectable()
export class Worker implements OnApplicationShutdown {
  private readonly log = new Logger('Worker');
  private readonly heartbeat: WorkerHeartbeat;
  private readonly ending = new AbortController();
  private readonly running = new Map<JobHandler, Set<Promise<void>>>();
  private drainPromise: Promise<void> | null = null;

  constructor(
    private readonly queue: JobQueue,
    private readonly discovery: DiscoveryService,
    units: UnitOfWork,
    @Inject(RUNTIME) runtime: Runtime,
  ) {
    const { runSlots, hostSlots } = runtime.settings;
    const details = { version: PRODUCT_VERSION, runSlots, hostSlots };
    this.heartbeat = new WorkerHeartbeat(units, runtime.processName, details, () => this.stopForNewerCode());
  }

  /** @throws Error unless each queue has exactly one handler */
  async start(): Promise<void> {
    const parts = this.listParts();
    const handlers = filterJobHandlers(parts);
    for (const part of parts) await part.start?.();
    for (const handler of handlers) await this.queue.startHandling(handler, (job) => this.handle(handler, job));
    await this.heartbeat.start();
  }

  get isReady(): boolean {
    return this.drainPromise === null && this.heartbeat.isFresh;
  }

  drain(): Promise<void> {
    return (this.drainPromise ??= this.drainAll());
  }

  /** The worker counts as alive until the process has sent everything. An installation hold waits for that. */
  onApplicationShutdown(): Promise<void> {
    return this.heartbeat.stop();
  }

  private listParts(): WorkerPart[] {
    return this.discovery
      .getProviders({ metadataKey: WorkerProvider.KEY })
      .map(({ instance }) => instance as WorkerPart);
  }

  private async handle(handler: JobHandler, job: Parameters<JobHandler['handle']>[0]): Promise<void> {
    const jobs = this.running.get(handler) ?? new Set();
    this.running.set(handler, jobs);
    const { tenantId: tenant, executionId: run } = job as { tenantId?: string; executionId?: string };
    const work = runWithLogFields({ tenant, run }, () => handler.handle(job, this.ending.signal)).finally(() =>
      jobs.delete(work),
    );
    jobs.add(work);
    await work;
  }

  private async drainAll(): Promise<void> {
    this.ending.abort();
    const drained = this.listParts().map((part) => part.drain?.());
    await this.queue.stopPolling();
    const jobs = [...this.running].map(([{ drainMs }, running]) => {
      const ended = Promise.allSettled([...running]);
      return drainMs === undefined ? ended : Promise.race([ended, sleepUnreferenced(drainMs)]);
    });
    await Promise.allSettled([...drained, ...jobs]);
  }

  /** Stops taking work but keeps the process alive, because a supervisor would restart it. */
  private stopForNewerCode(): void {
    if (this.drainPromise) return;
    this.log.error('A newer Runward has upgraded the database. This worker accepts no more work. Stop this process.');
    // Deferred, because the heartbeat that called this method must end first.
    setImmediate(() => void this.drain().then(() => this.heartbeat.stop()));
  }
}

const sleepUnreferenced = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms).unref());

/** @throws Error unless each queue has exactly one handler */
export function filterJobHandlers(parts: readonly WorkerPart[]): JobHandler[] {
  const handlers = parts.filter((part): part is JobHandler => 'handle' in part);
  for (const queue of Object.values(QUEUES)) {
    const count = handlers.filter((handler) => handler.queue === queue).length;
    if (count !== 1) throw new Error(`The queue ${queue} needs one handler and has ${count}.`);
  }
  return handlers;
}
