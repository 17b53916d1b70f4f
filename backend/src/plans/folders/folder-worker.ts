import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseAway } from '../../common/database/database-problem.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { Problem } from '../../common/errors/problem.js';
import { JobQueue } from '../../common/queue/job-queue.js';
import type { SyncGitSourceJob } from '../../common/queue/queue-names.js';
import { ApplyFolders } from './apply-folders.js';

/** Delay before a retry, in s, after the commit could not be read or the machine was busy. */
const RETRY_SECONDS = 60;

@Injectable()
export class PlanFolderWorker {
  private readonly log = new Logger('Git');
  private readonly ending = new AbortController();
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly units: UnitOfWork,
    private readonly queue: JobQueue,
    private readonly folders: ApplyFolders,
  ) {}

  /** Rejects only while the database is unavailable; the queue then repeats the job. */
  async run(job: SyncGitSourceJob): Promise<void> {
    const work = this.work(job).finally(() => this.running.delete(work));
    this.running.add(work);
    await work;
  }

  /** Aborts running jobs. The next worker restarts them. */
  async drain(): Promise<void> {
    this.ending.abort();
    await Promise.allSettled([...this.running]);
  }

  private async work(job: SyncGitSourceJob): Promise<void> {
    const { tenantId, gitSourceId } = job;
    try {
      this.ending.signal.throwIfAborted();
      await this.folders.apply(tenantId, gitSourceId, this.ending.signal);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      if (this.ending.signal.aborted) return this.again(job, 0);
      const again = await this.folders.noteError(tenantId, gitSourceId, this.messageOf(gitSourceId, error));
      if (again) await this.again(job, RETRY_SECONDS);
    }
  }

  private again(job: SyncGitSourceJob, inSeconds: number): Promise<void> {
    return this.units.run(job.tenantId, (tx) => this.queue.enqueuePlanFolders(tx, job, inSeconds));
  }

  private messageOf(gitSourceId: string, error: unknown): string {
    if (error instanceof Problem) return error.detail;
    if (error instanceof DOMException && error.name === 'TimeoutError')
      return 'Reading the files of this commit takes too long. Put fewer files into the folders.';
    this.log.error(`Plans of git source ${gitSourceId}: ${error instanceof Error ? error.stack : String(error)}`);
    return 'Updating the plans failed because of an internal error. Search the server log.';
  }
}
