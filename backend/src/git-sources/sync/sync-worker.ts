import { Inject, Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import { isDatabaseUnavailable } from '../../common/database/database-problem.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { Problem } from '../../common/errors/problem.js';
import { JobQueue } from '../../common/queue/job-queue.js';
import { type JobHandler, WorkerProvider } from '../../common/queue/job-handler.js';
import { QUEUES, type SyncGitSourceJob } from '../../common/queue/queue-names.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { GitError } from '../mirror/git-error.js';
import type { RemoteAccess } from '../mirror/remote.js';
import { PLAN_FOLDERS, type PlanFolders } from '../records/plan-folders.js';
import type { GitSource } from '../records/git-source.entity.js';
import { GitSourceLookup } from '../records/git-source-lookup.js';
import { GitSourceVault } from '../records/git-source-vault.js';
import {
  claimSync,
  releaseSync,
  renewSync,
  storeSyncOutcome,
  type SyncLease,
  type SyncOutcome,
} from '../records/sync-store.js';
import { MirrorSweep } from './mirror-sweep.js';
import { GitSourceSynchronizer } from './sync-source.js';

/** Interval of lease renewal, in ms. After `LEASE_LOST_AFTER_MS` without a renewal, the sync stops. */
const RENEW_INTERVAL_MS = 5_000;
const LEASE_LOST_AFTER_MS = 15_000;
/** Delay before another attempt while another worker holds the lease, in seconds. */
const HELD_DELAY_SECONDS = 5;
/** Random share of the interval, to spread the syncs of a tenant. */
const JITTER_SHARE = 0.1;

@WorkerProvider()
@Injectable()
export class GitSyncWorker implements JobHandler<'sync-git-source'> {
  readonly queue = QUEUES.syncGitSource;
  readonly concurrency: number;
  private readonly log = new Logger('Git');

  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly jobs: JobQueue,
    private readonly lookup: GitSourceLookup,
    private readonly vault: GitSourceVault,
    private readonly source: GitSourceSynchronizer,
    private readonly sweep: MirrorSweep,
    @Inject(PLAN_FOLDERS) private readonly folders: PlanFolders,
    @Inject(RUNTIME) runtime: Runtime,
  ) {
    this.concurrency = runtime.settings.gitSyncSlots;
  }

  /** Rejects only if the database is unavailable; the queue then delivers the job again. */
  async handle(job: SyncGitSourceJob, ending: AbortSignal): Promise<void> {
    const { tenantId, gitSourceId } = job;
    const lease = await this.units.run(tenantId, async (tx) => {
      const claim = ending.aborted ? 'held' : await claimSync(tx, tenantId, gitSourceId);
      if (claim === 'held') await this.jobs.enqueueGitSync(tx, job, HELD_DELAY_SECONDS);
      return typeof claim === 'string' ? null : claim;
    });
    if (!lease) return;
    this.sweep.sweepIfDue();
    const lost = new AbortController();
    const signal = AbortSignal.any([ending, lost.signal]);
    const renewal = this.keepLeaseRenewed(lease, lost);
    try {
      const begun = await this.units.run(tenantId, async (tx) => {
        const source = await this.lookup.getVisible(tx, tenantId, gitSourceId);
        const access = await this.vault.openRemoteAccess(tx, source).catch((error: unknown) => {
          if (error instanceof GitError) return error;
          throw error;
        });
        return { source, access };
      });
      const outcome = await this.runSync(begun.source, begun.access, signal);
      await this.units.run(tenantId, (tx) =>
        signal.aborted ? this.handOverLease(tx, lease) : this.storeOutcome(tx, lease, begun.source, outcome),
      );
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      // The source was deleted meanwhile.
      if (error instanceof Problem && error.code === 'not_found') return;
      this.log.error(`Git source ${gitSourceId}: ${error instanceof Error ? error.stack : String(error)}`);
      const failed = new GitError(
        'failed',
        'The sync failed because of an internal error. Ask the operator to search the server log.',
      );
      await this.units.run(tenantId, async (tx) => {
        const source = await this.lookup.getVisible(tx, tenantId, gitSourceId);
        await this.storeOutcome(tx, lease, source, { state: 'failed', error: failed, found: null });
      });
    } finally {
      clearInterval(renewal);
    }
  }

  private runSync(source: GitSource, access: RemoteAccess | GitError, signal: AbortSignal): Promise<SyncOutcome> {
    if (access instanceof GitError) return Promise.resolve({ state: 'failed', error: access, found: null });
    return this.source.sync(source, access, signal);
  }

  private keepLeaseRenewed(lease: SyncLease, lost: AbortController): NodeJS.Timeout {
    let renewedAt = performance.now();
    return setInterval(() => {
      if (performance.now() - renewedAt > LEASE_LOST_AFTER_MS) lost.abort();
      this.units
        .run(lease.tenantId, (tx) => renewSync(tx, lease))
        .then(
          (held) => {
            if (held) renewedAt = performance.now();
            else lost.abort();
          },
          () => undefined,
        );
    }, RENEW_INTERVAL_MS);
  }

  /** Hands the sync to another worker, because this worker is ending or has lost its lease. */
  private async handOverLease(tx: EntityManager, lease: SyncLease): Promise<void> {
    await releaseSync(tx, lease);
    await this.jobs.enqueueGitSync(tx, { tenantId: lease.tenantId, gitSourceId: lease.id });
  }

  private async enqueueFolderUpdate(tx: EntityManager, job: SyncGitSourceJob): Promise<void> {
    if (await this.folders.requestUpdate(tx, job.tenantId, job.gitSourceId))
      await this.jobs.enqueueApplyPlanFolders(tx, job);
  }

  private async storeOutcome(
    tx: EntityManager,
    lease: SyncLease,
    before: GitSource,
    outcome: SyncOutcome,
  ): Promise<void> {
    const { syncEverySeconds } = await this.lookup.getLocked(tx, lease.tenantId, lease.id);
    const inSeconds = syncEverySeconds === null ? null : addJitter(syncEverySeconds);
    const stored = await storeSyncOutcome(tx, lease, outcome, inSeconds);
    if (!stored) return;
    const job = { tenantId: lease.tenantId, gitSourceId: lease.id };
    if (stored.again) await this.jobs.enqueueGitSync(tx, job);
    else if (inSeconds !== null) await this.jobs.enqueueGitSync(tx, job, inSeconds);
    const commit = outcome.found?.commit ?? before.commit;
    // A requested sync also updates the plans of an unchanged commit: records that they name may exist now.
    if (outcome.found?.commit && (commit !== before.commit || before.requestedAt !== null))
      await this.enqueueFolderUpdate(tx, job);
    // Audits only changes: a new commit changes the content that runs use.
    if (commit === before.commit && outcome.state === before.state) return;
    const facts = (state: string, at: string | null, code: string | null) => ({ state, commit: at, errorCode: code });
    await this.audit.record(
      tx,
      { kind: 'system', tenantId: lease.tenantId, name: 'worker' },
      {
        action: 'git_source.sync',
        resourceId: lease.id,
        resourceName: before.name,
        before: facts(before.state, before.commit, before.errorCode),
        after: facts(outcome.state, commit, outcome.error?.code ?? null),
      },
    );
  }
}

const addJitter = (seconds: number): number =>
  Math.max(1, Math.round(seconds * (1 + JITTER_SHARE * (2 * Math.random() - 1))));
