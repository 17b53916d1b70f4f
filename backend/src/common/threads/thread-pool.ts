import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Piscina } from 'piscina';
import { demandNoOpenUnit } from '../database/open-unit.js';
import { Problem } from '../errors/problem.js';
import { TenantPlaces } from './tenant-places.js';
import type { ThreadBegun, ThreadTask } from './job-thread.js';

/** Computing that must not keep the process from everything else. */
export interface ThreadJob<Input, Answer> {
  /**
   * A module whose default export does it. It imports only types from files beside it, since a thread loads it without
   * a build step; `threadFile` finds it.
   */
  readonly file: URL;
  /** Never there: what types the default export has. */
  readonly work?: (input: Input) => Answer | Promise<Answer>;
  /** After so many ms of running the thread is ended. Native code, such as OpenSSL's, is not interrupted by that. */
  readonly runMs: number;
}

/** Whose share of the threads a job counts against, and how patient its caller is. */
export interface ThreadShare {
  readonly tenantId: string;
  /** A request is refused while too many of its tenant wait; a run of a plan waits longer and in greater number. */
  readonly asks: 'request' | 'run';
}

/** A job was ended because it took too much of something. */
export class JobEnded extends Error {
  override readonly name = 'JobEnded';

  constructor(readonly took: 'time' | 'memory') {
    super(`The job took too much ${took}.`);
  }
}

const PATIENCE = {
  request: { mostWaiting: 20, waitMs: 20_000 },
  run: { mostWaiting: 10_000, waitMs: 600_000 },
} as const;
/** Until a new thread has loaded its code, on a machine that has much else to do. */
const START_MS = 20_000;
/** Threads that nobody needed for so long are ended. */
const IDLE_MS = 60_000;
const RETRY_AFTER_SECONDS = 5;
/** Of each thread. */
const RESOURCES = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 12, stackSizeMb: 4 };

interface Job {
  readonly task: ThreadTask;
  readonly runMs: number;
  readonly enter: () => void;
  readonly leave: (error: Error) => void;
}

/**
 * A few threads for computing whose cost comes from outside: keys that people paste, templates that they write. Tenants
 * take turns, and none gets all of the threads. Whatever a job does, it is over after its time.
 */
@Injectable()
export class ThreadPool implements OnModuleDestroy {
  private readonly queue: TenantPlaces<Job>;
  private readonly threads: Piscina<ThreadTask, unknown>;
  /** What to do when a job's code begins to run. */
  private readonly beginnings = new Map<number, () => void>();
  private numbered = 0;
  private closed = false;
  /** Jobs of one tenant that run at a time: at least two, so that a long one does not hold up the rest. */
  readonly perTenant: number;

  constructor() {
    const places = Math.min(8, Math.max(3, availableParallelism()));
    this.perTenant = places - 1;
    this.queue = new TenantPlaces({ places, perTenant: this.perTenant });
    this.threads = new Piscina({
      filename: fileURLToPath(threadFile('./job-thread', import.meta.url)),
      name: 'default',
      minThreads: 0,
      maxThreads: places,
      idleTimeout: IDLE_MS,
      resourceLimits: RESOURCES,
      recordTiming: false,
    });
    this.threads.on('message', ({ begun }: ThreadBegun) => this.beginnings.get(begun)?.());
    // The fault of a thread without a job; without a listener it would end the process.
    this.threads.on('error', () => undefined);
  }

  /**
   * Runs a job in a thread. A caller may wait here for many seconds, so never within a transaction.
   *
   * @throws JobEnded; Problem 429 `too_many_at_once`, 503 `busy`
   */
  async run<Input, Answer>(job: ThreadJob<Input, Answer>, input: Input, share: ThreadShare): Promise<Answer> {
    demandNoOpenUnit();
    const place = await this.place(job, input, share);
    try {
      return (await this.perform(place)) as Answer;
    } finally {
      this.queue.done(share.tenantId);
      this.next();
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.closed = true;
    for (const job of this.queue.clear()) job.leave(busy());
    await this.threads.destroy();
  }

  private async place<I, A>({ file, runMs }: ThreadJob<I, A>, input: I, { tenantId, asks }: ThreadShare): Promise<Job> {
    const { mostWaiting, waitMs } = PATIENCE[asks];
    if (this.closed) throw busy();
    if (this.queue.waitingOf(tenantId) >= mostWaiting) throw crowded();
    this.numbered += 1;
    const task = { id: this.numbered, file: file.href, input };
    return new Promise<Job>((resolve, reject) => {
      const job: Job = {
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
        if (this.queue.remove(tenantId, job)) reject(busy());
      }, waitMs).unref();
      this.queue.add(tenantId, job);
      this.next();
    });
  }

  private next(): void {
    for (let job = this.queue.take(); job; job = this.queue.take()) job.enter();
  }

  private async perform({ task, runMs }: Job): Promise<unknown> {
    const ending = new AbortController();
    let begun = false;
    let timer = setTimeout(() => ending.abort(), START_MS);
    this.beginnings.set(task.id, () => {
      begun = true;
      clearTimeout(timer);
      timer = setTimeout(() => ending.abort(), runMs);
    });
    try {
      return await this.threads.run(task, { signal: ending.signal });
    } catch (error) {
      if (this.closed) throw busy();
      if (ending.signal.aborted) throw begun ? new JobEnded('time') : busy();
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') throw new JobEnded('memory');
      throw error;
    } finally {
      clearTimeout(timer);
      this.beginnings.delete(task.id);
    }
  }
}

/**
 * The file of a job that stands beside its caller.
 *
 * @param name relative and without an ending, which becomes the same as the caller's: Node.js runs either
 */
export const threadFile = (name: string, caller: string): URL =>
  new URL(`${name}${/\.\w+$/.exec(caller)?.[0] ?? '.js'}`, caller);

const crowded = () =>
  new Problem(
    'too_many_at_once',
    'Too many keys and templates of your organisation wait to be worked on. Try again when some of them are done.',
    { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } },
  );

const busy = () =>
  new Problem('busy', 'There is too much to do at the moment. Try again shortly.', {
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
