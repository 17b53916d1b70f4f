import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseUnavailable } from '../../common/database/database-problem.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { Problem } from '../../common/errors/problem.js';
import { JobQueue } from '../../common/queue/job-queue.js';
import { type JobHandler, WorkerProvider } from '../../common/queue/job-handler.js';
import { QUEUES, type SyncGitSourceJob } from '../../common/queue/queue-names.js';
import { ApplyFolders } from './apply-folders.js';

/** Delay before a retry, in s, after the commit could not be read or the machine was busy. */
const RETRY_SECONDS = 60;

@WorkerProvider()
@Injectable()
export class PlanFolderWorker implements JobHandler<'apply-plan-folders'> {
  readonly queue = QUEUES.applyPlanFolders;
  readonly concurrency = 1;
  private readonly log = new Logger('Git');

  constructor(
    private readonly units: UnitOfWork,
    private readonly jobs: JobQueue,
    private readonly folders: ApplyFolders,
  ) {}

  /** Rejects only while the database is unavailable; the queue then repeats the job. */
  async handle(job: SyncGitSourceJob, ending: AbortSignal): Promise<void> {
    const { tenantId, gitSourceId } = job;
    try {
      ending.throwIfAborted();
      await this.folders.apply(tenantId, gitSourceId, ending);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      if (ending.aborted) return this.retryLater(job, 0);
      const again = await this.folders.storeErrorReport(tenantId, gitSourceId, this.toErrorMessage(gitSourceId, error));
      if (again) await this.retryLater(job, RETRY_SECONDS);
    }
  }

  private retryLater(job: SyncGitSourceJob, inSeconds: number): Promise<void> {
    return this.units.run(job.tenantId, (tx) => this.jobs.enqueueApplyPlanFolders(tx, job, inSeconds));
  }

  private toErrorMessage(gitSourceId: string, error: unknown): string {
    if (error instanceof Problem) return error.detail;
    if (error instanceof DOMException && error.name === 'TimeoutError')
      return 'Reading the files of this commit takes too long. Put fewer files into the folders.';
    this.log.error(`Plans of git source ${gitSourceId}: ${error instanceof Error ? error.stack : String(error)}`);
    return 'Updating the plans failed because of an internal error. Search the server log.';
  }
}
