import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Piscina } from 'piscina';
import { requireNoOpenUnit } from '../database/unit-of-work.js';
import { Problem } from '../errors/problem.js';
import { TenantSlots } from './tenant-slots.js';
import type { ThreadBegunMessage, ThreadTask } from './job-thread.js';

/** CPU-intensive work that must not block the process. */
export interface ThreadJob<Input, Answer> {
  /**
   * URL of a module whose default export does the work, from `toThreadFileUrl`. The module imports only types from
   * neighbouring files, because threads load it without a build step.
   */
  readonly file: URL;
  /** Never set; only carries the type of the default export. */
  readonly work?: (input: Input) => Answer | Promise<Answer>;
  /** Time limit in ms, after which the thread is terminated. Native code, such as OpenSSL, is not interrupted. */
  readonly runMs: number;
}

export interface ThreadShare {
  readonly tenantId: string;
  /** `request`: refused when too many jobs of the tenant wait. `run`: waits longer, and may have more waiting jobs. */
  readonly asks: 'request' | 'run';
}

export class JobEndedError extends Error {
  override readonly name = 'JobEnded';

  constructor(readonly exceeded: 'time' | 'memory') {
    super(`The job took too much ${exceeded}.`);
  }
}

const WAIT_LIMITS = {
  request: { maxWaiting: 20, waitMs: 20_000 },
  run: { maxWaiting: 10_000, waitMs: 600_000 },
} as const;
/** Time limit for a new thread to load its code, in ms. A busy machine can need seconds. */
const THREAD_START_TIMEOUT_MS = 20_000;
const THREAD_IDLE_MS = 60_000;
const RETRY_AFTER_SECONDS = 5;
const THREAD_RESOURCE_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 12, stackSizeMb: 4 };

interface PendingJob {
  readonly task: ThreadTask;
  readonly runMs: number;
  readonly enter: () => void;
  readonly leave: (error: Error) => void;
}

/**
 * A few threads for CPU work on user input, such as pasted keys and templates. Tenants take turns, and no tenant gets
 * all threads. Each job ends at its time limit.
 */
@Injectable()
export class ThreadPool implements OnModuleDestroy {
  private readonly queue: TenantSlots<PendingJob>;
  private readonly threads: Piscina<ThreadTask, unknown>;
  private readonly onBegin = new Map<number, () => void>();
  private taskCount = 0;
  private closed = false;
  /**
   * Maximum number of concurrent jobs per tenant. It is at least two, so that one long job does not block the tenant.
   */
  readonly perTenant: number;

  constructor() {
    const places = Math.min(8, Math.max(3, availableParallelism()));
    this.perTenant = places - 1;
    this.queue = new TenantSlots({ places, perTenant: this.perTenant });
    this.threads = new Piscina({
      filename: fileURLToPath(toThreadFileUrl('./job-thread', import.meta.url)),
      name: 'default',
      minThreads: 0,
      maxThreads: places,
      idleTimeout: THREAD_IDLE_MS,
      resourceLimits: THREAD_RESOURCE_LIMITS,
      recordTiming: false,
    });
    this.threads.on('message', ({ begun }: ThreadBegunMessage) => this.onBegin.get(begun)?.());
    // Threads without a job may fail. Without this listener, their errors would end the process.
    this.threads.on('error', () => undefined);
  }

  /**
   * Runs a job in a thread. Do not call it in a transaction, because it may take many seconds.
   *
   * @throws JobEndedError; Problem 429 `too_many_at_once`, 503 `busy`
   */
  async run<Input, Answer>(job: ThreadJob<Input, Answer>, input: Input, share: ThreadShare): Promise<Answer> {
    requireNoOpenUnit();
    const place = await this.createPendingJob(job, input, share);
    try {
      return (await this.runInThread(place)) as Answer;
    } finally {
      this.queue.releaseSlot(share.tenantId);
      this.startNextJobs();
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.closed = true;
    for (const job of this.queue.clear()) job.leave(busyProblem());
    await this.threads.destroy();
  }

  private async createPendingJob<I, A>(
    { file, runMs }: ThreadJob<I, A>,
    input: I,
    { tenantId, asks: caller }: ThreadShare,
  ): Promise<PendingJob> {
    const { maxWaiting, waitMs } = WAIT_LIMITS[caller];
    if (this.closed) throw busyProblem();
    if (this.queue.countWaiting(tenantId) >= maxWaiting) throw tooManyWaitingProblem();
    this.taskCount += 1;
    const task = { id: this.taskCount, file: file.href, input };
    return new Promise<PendingJob>((resolve, reject) => {
      const job: PendingJob = {
        task,
        runMs,
        enter: () => {
          clearTimeout(timer);
          resolve(job);
        },
        leave: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      const timer = setTimeout(() => {
        if (this.queue.remove(tenantId, job)) reject(busyProblem());
      }, waitMs).unref();
      this.queue.add(tenantId, job);
      this.startNextJobs();
    });
  }

  private startNextJobs(): void {
    for (let job = this.queue.take(); job; job = this.queue.take()) job.enter();
  }

  private async runInThread({ task, runMs }: PendingJob): Promise<unknown> {
    const ending = new AbortController();
    let begun = false;
    let timer = setTimeout(() => ending.abort(), THREAD_START_TIMEOUT_MS);
    this.onBegin.set(task.id, () => {
      begun = true;
      clearTimeout(timer);
      timer = setTimeout(() => ending.abort(), runMs);
    });
    try {
      return await this.threads.run(task, { signal: ending.signal });
    } catch (error) {
      if (this.closed) throw busyProblem();
      if (ending.signal.aborted) throw begun ? new JobEndedError('time') : busyProblem();
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') throw new JobEndedError('memory');
      throw error;
    } finally {
      clearTimeout(timer);
      this.onBegin.delete(task.id);
    }
  }
}

/**
 * Returns the URL of a job module in the caller's folder.
 *
 * @param name relative path without extension. The caller's extension is appended, because Node.js runs .ts and .js
 *   files.
 */
export const toThreadFileUrl = (name: string, caller: string): URL =>
  new URL(`${name}${/\.\w+$/.exec(caller)?.[0] ?? '.js'}`, caller);

const tooManyWaitingProblem = () =>
  new Problem(
    'too_many_at_once',
    'Too many keys and templates of your tenant are waiting. Try again when some of them are done.',
    { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } },
  );

const busyProblem = () =>
  new Problem('busy', 'The server is busy. Try again shortly.', {
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
