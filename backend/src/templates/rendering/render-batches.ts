import type { ThreadFile } from './template-request.js';

const MAX_FILES = 32;
/**
 * Starting a thread takes about 100 ms of CPU time, in which a running thread renders thousands of usual files. A
 * second job therefore starts only if the last job took longer than the first limit, or one has run longer than the
 * second limit, in ms.
 */
const MIN_SPLIT_MS = 50;
const PATIENCE_MS = 500;

interface PendingFile<Scope> {
  readonly scope: Scope;
  readonly resolve: (file: ThreadFile) => void;
  readonly reject: (error: unknown) => void;
}

/** Renders files of one template. May return fewer than requested, but at least one. */
export type RenderFiles<Scope> = (content: string, scopes: readonly Scope[]) => Promise<readonly ThreadFile[]>;

/**
 * Batches concurrent requests for the same template, so that a thread parses it once for many hosts. While all jobs
 * run, further requests wait for the next job.
 */
export class RenderBatches<Scope> {
  private readonly waiting = new Map<string, PendingFile<Scope>[]>();
  private running = 0;
  private scheduled = false;
  /** Duration of the last job, in ms. The first job counts as 0, because it includes starting a thread. */
  private lastMs: number | null = null;
  private slowBatchCount = 0;

  constructor(
    private readonly make: RenderFiles<Scope>,
    private readonly mostJobs: number,
    /** Whether the error means that the job's thread was stopped. The job's files are then rendered one by one. */
    private readonly isStopError: (error: unknown) => boolean,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws errors of {@link RenderFiles} */
  file(content: string, scope: Scope): Promise<ThreadFile> {
    return new Promise((resolve, reject) => {
      const pending = this.waiting.get(content) ?? [];
      if (pending.length === 0) this.waiting.set(content, pending);
      pending.push({ scope, resolve, reject });
      this.schedule();
    });
  }

  /** Collects the requests of one turn of the event loop. */
  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.start();
    });
  }

  private start(): void {
    const jobs = this.slowBatchCount > 0 || (this.lastMs ?? 0) > MIN_SPLIT_MS ? this.mostJobs : 1;
    while (this.running < jobs) {
      const [next] = this.waiting;
      if (!next) return;
      const [content, pending] = next;
      // Divides the waiting files among the jobs that may run.
      const part = Math.min(MAX_FILES, Math.ceil(pending.length / (jobs - this.running)));
      const taken = pending.splice(0, part);
      this.waiting.delete(content);
      if (pending.length > 0) this.waiting.set(content, pending);
      this.running += 1;
      void this.runTimed(() => this.renderPending(content, taken)).finally(() => {
        this.running -= 1;
        this.schedule();
      });
    }
  }

  private async runTimed(job: () => Promise<void>): Promise<void> {
    const from = this.now();
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.slowBatchCount += 1;
      this.schedule();
    }, PATIENCE_MS);
    try {
      await job();
    } finally {
      clearTimeout(timer);
      if (isSlow) this.slowBatchCount -= 1;
      this.lastMs = this.lastMs === null ? 0 : this.now() - from;
    }
  }

  private async renderPending(content: string, pending: readonly PendingFile<Scope>[]): Promise<void> {
    let rest = pending;
    let limit = pending.length;
    while (rest.length > 0) {
      const batch = rest.slice(0, limit);
      try {
        const files = await this.make(
          content,
          batch.map(({ scope }) => scope),
        );
        files.forEach((file, index) => batch[index]?.resolve(file));
        rest = rest.slice(Math.max(1, files.length));
      } catch (error) {
        if (this.isStopError(error) && limit > 1) {
          limit = 1;
          continue;
        }
        for (const file of batch) file.reject(error);
        rest = rest.slice(batch.length);
      }
    }
  }
}
