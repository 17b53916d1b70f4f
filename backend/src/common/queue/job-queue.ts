import type { EntityManager } from 'typeorm';
import { Logger } from '@nestjs/common';
import { PgBoss, type SendOptions } from 'pg-boss';
import { row, sql, type Sql, registerPreparedStatement } from '../database/sql.js';
import { createTimeoutOptions, APP_SESSION_SETTINGS } from '../database/connection.js';
import type { JobHandler } from './job-handler.js';
import { Pollers } from './pollers.js';
import {
  type AdvanceRunJob,
  type CheckHostJob,
  type ImportServersJob,
  type JobOf,
  type QueueName,
  QUEUES,
  type RotateKeyJob,
  type RunSliceJob,
  type SendNotificationJob,
  type SyncGitSourceJob,
} from './queue-names.js';

/** Condition on a row of `pgboss.job`: the job is in this queue and a worker could take it now. */
export const isWaitingInSql = (queue: string): Sql =>
  sql`name = ${queue} and state < 'active' and start_after <= now()`;

/**
 * Returns the turn of a tenant's new job: one after the tenant's latest waiting job, but not before the turn that is
 * being served. Workers take jobs in order of turns, so tenants alternate, and a tenant with many jobs does not delay
 * others.
 */
export async function computeFairTurn(tx: EntityManager, queue: string, tenantId: string): Promise<number> {
  const next = await row(
    tx,
    // Each subquery reads only one end of an index, however many jobs wait.
    sql.prepared<{ turn: number }>`select greatest(0,
        (select -priority from pgboss.job where ${isWaitingInSql(queue)} and not blocked order by priority desc limit 1),
        (select 1 - priority from pgboss.job where ${isWaitingInSql(queue)} and data->>'tenantId' = ${tenantId} order by priority limit 1))::int as turn`,
  );
  return next?.turn ?? 0;
}

async function isJobWaiting(tx: EntityManager, queue: string, job: object): Promise<boolean> {
  const found = await row(
    tx,
    sql`select 1 from pgboss.job where ${isWaitingInSql(queue)} and data = ${JSON.stringify(job)}::jsonb limit 1`,
  );
  return found !== undefined;
}

/** Whether a job with this content waits and is due within this number of seconds. */
async function isJobAmongFirst(tx: EntityManager, queue: string, job: object, seconds: number): Promise<boolean> {
  const found = await row(
    tx,
    sql`select 1 from pgboss.job
      where name = ${queue} and state < 'active' and start_after <= now() + ${seconds} * interval '1 second'
        and data = ${JSON.stringify(job)}::jsonb limit 1`,
  );
  return found !== undefined;
}

/**
 * Suffix of pg-boss that names the failing poller. It is removed, because all pollers fail alike when the database is
 * unavailable.
 */
const POLLER_SUFFIX_PATTERN = / \(Queue: [^()]*\)$/;

/** Durable job queue (pg-boss on the same database). Jobs are sent in the caller's transaction. */
export class JobQueue {
  private readonly log = new Logger('Queue');
  private readonly boss: PgBoss;
  private readonly queuesInUse = new Set<string>();
  private readonly pollers = new Set<{ end(): void }>();

  /**
   * @param url connection URL
   * @param works whether this process takes jobs
   */
  constructor(url: string, works: boolean) {
    const session = { session: APP_SESSION_SETTINGS };
    this.boss = new PgBoss({
      connectionString: url,
      ...session,
      application_name: works ? 'runward-queue-worker' : 'runward-queue',
      max: works ? 4 : 2,
      ...createTimeoutOptions(),
      migrate: false,
      createSchema: false,
      schedule: false,
      supervise: works,
      useListenNotify: works,
      reindex: false,
      monitorVacuum: false,
      superviseIntervalSeconds: 1,
      monitorIntervalSeconds: 1,
      queueCacheIntervalSeconds: 1,
    });
    this.boss.on('error', ({ message }) =>
      this.log.warn(`The queue had an error and continues: ${message.replace(POLLER_SUFFIX_PATTERN, '')}`),
    );
  }

  async start(): Promise<void> {
    await this.boss.start();
  }

  /**
   * Sends a job that makes a worker advance this run. Takes effect when the transaction commits.
   * @param more.atMostEverySeconds sends at most one job within this time, and none while another job of the run waits.
   *   Several workers may find the same stalled run.
   * @param more.at earliest time
   * @param more.turn result of `computeAdvanceTurn`; absent = determined here
   */
  async enqueueAdvanceRun(
    tx: EntityManager,
    job: AdvanceRunJob,
    more: { atMostEverySeconds?: number; at?: Date; turn?: number } = {},
  ): Promise<void> {
    await this.sendJob(tx, QUEUES.advanceRun, job, { key: job.executionId, ...more });
  }

  /** Returns the turn of a new job for a tenant's run. Callers can combine this query with others. */
  computeAdvanceTurn(tx: EntityManager, tenantId: string): Promise<number> {
    return computeFairTurn(tx, QUEUES.advanceRun, tenantId);
  }

  async enqueueRunSlice(
    tx: EntityManager,
    job: RunSliceJob,
    more: { atMostEverySeconds?: number } = {},
  ): Promise<void> {
    await this.sendJob(tx, QUEUES.runSlice, job, { key: job.sliceId, ...more });
  }

  /** Sends a job that checks the result of a command on a host, if the transaction commits. */
  async enqueueHostCheck(tx: EntityManager, job: CheckHostJob): Promise<void> {
    await this.sendJob(tx, QUEUES.checkHost, job, { key: job.executionId });
  }

  async enqueueServerImport(tx: EntityManager, job: ImportServersJob): Promise<void> {
    await this.sendJob(tx, QUEUES.importServers, job, { key: job.importId });
  }

  /**
   * Sends a job that continues a key rotation, unless a waiting job is due at the same time or earlier.
   * @param inSeconds delay
   */
  async enqueueKeyRotation(tx: EntityManager, job: RotateKeyJob, inSeconds = 0): Promise<void> {
    if (await isJobAmongFirst(tx, QUEUES.rotateKey, job, inSeconds)) return;
    const at = inSeconds > 0 ? new Date(Date.now() + inSeconds * 1000) : undefined;
    await this.sendJob(tx, QUEUES.rotateKey, job, { key: job.rotationId, at });
  }

  /**
   * Sends a job that syncs a git source, unless a waiting job is due at the same time or earlier.
   * @param inSeconds delay
   */
  async enqueueGitSync(tx: EntityManager, job: SyncGitSourceJob, inSeconds = 0): Promise<void> {
    if (await isJobAmongFirst(tx, QUEUES.syncGitSource, job, inSeconds)) return;
    const at = inSeconds > 0 ? new Date(Date.now() + inSeconds * 1000) : undefined;
    await this.sendJob(tx, QUEUES.syncGitSource, job, { key: job.gitSourceId, at });
  }

  /**
   * Sends a job that applies the plan folders of a git source, unless a waiting job is due at the same time or earlier.
   * @param inSeconds delay
   */
  async enqueueApplyPlanFolders(tx: EntityManager, job: SyncGitSourceJob, inSeconds = 0): Promise<void> {
    if (await isJobAmongFirst(tx, QUEUES.applyPlanFolders, job, inSeconds)) return;
    const at = inSeconds > 0 ? new Date(Date.now() + inSeconds * 1000) : undefined;
    await this.sendJob(tx, QUEUES.applyPlanFolders, job, { key: job.gitSourceId, at });
  }

  /**
   * Sends a job that sends a message, if the transaction commits.
   * @param more.inSeconds delay
   */
  async enqueueNotification(
    tx: EntityManager,
    job: SendNotificationJob,
    { inSeconds = 0, ...more }: { inSeconds?: number; atMostEverySeconds?: number } = {},
  ): Promise<void> {
    const at = inSeconds > 0 ? new Date(Date.now() + inSeconds * 1000) : undefined;
    await this.sendJob(tx, QUEUES.sendNotification, job, { key: job.deliveryId, at, grouped: true, ...more });
  }

  /** Takes jobs of a queue until `stopPolling`. A job uses its slot until the promise of `handle` settles. */
  async startHandling<Queue extends QueueName>(
    { queue, concurrency, perTenant }: Pick<JobHandler<Queue>, 'queue' | 'concurrency' | 'perTenant'>,
    handle: (job: JobOf<Queue>) => Promise<void>,
  ): Promise<void> {
    this.queuesInUse.add(queue);
    if (perTenant !== undefined) {
      // pg-boss counts the running jobs of a tenant only if it knows all pollers of the queue.
      await this.startPolling(queue, handle, { localConcurrency: concurrency, localGroupConcurrency: perTenant });
      return;
    }
    const source = {
      begin: async (take: (job: JobOf<Queue>) => Promise<void>) => {
        const id = await this.startPolling(queue, take, { localConcurrency: 1 });
        return () => void this.boss.offWork(queue, { id, wait: false }).catch(this.logFault);
      },
    };
    const pollers = new Pollers<JobOf<Queue>>(source, concurrency, handle, this.logFault);
    this.pollers.add(pollers);
    await pollers.start();
  }

  async stopPolling(): Promise<void> {
    for (const pollers of this.pollers) pollers.end();
    this.pollers.clear();
    for (const queue of this.queuesInUse) await this.boss.offWork(queue, { wait: false });
    this.queuesInUse.clear();
  }

  private async sendJob(
    tx: EntityManager,
    queue: string,
    job: { tenantId: string },
    {
      key,
      atMostEverySeconds,
      at,
      turn,
      grouped,
    }: { key: string; atMostEverySeconds?: number; at?: Date; turn?: number; grouped?: boolean },
  ): Promise<void> {
    if (atMostEverySeconds && (await isJobWaiting(tx, queue, job))) return;
    const singletonOptions: SendOptions = atMostEverySeconds
      ? { singletonKey: key, singletonSeconds: atMostEverySeconds }
      : {};
    await this.boss.send(queue, job, {
      ...singletonOptions,
      startAfter: at,
      ...(grouped ? { group: { id: job.tenantId } } : {}),
      // Jobs of higher priority are taken first. A delayed job gets the highest, because it has waited long enough when
      // it is due.
      priority: at ? 0 : -(turn ?? (await computeFairTurn(tx, queue, job.tenantId))),
      db: {
        executeSql: async (text, values) => {
          const result: unknown = await tx.queryRunner!.query(registerPreparedStatement(text), values, true);
          return { rows: (result as { records?: unknown[] }).records ?? [] };
        },
      },
    });
  }

  private readonly logFault = (error: unknown): void =>
    this.log.warn(`The queue had an error and continues: ${error instanceof Error ? error.message : String(error)}`);

  /** Polls at short intervals. Otherwise only one waiting job would be taken every 30 s. */
  private startPolling<T extends object>(
    queue: string,
    handler: (job: T) => Promise<void>,
    at: { localConcurrency: number; localGroupConcurrency?: number },
  ): Promise<string> {
    return this.boss.work<T>(
      queue,
      {
        ...at,
        pollingIntervalSeconds: 0.5,
        notifyPollingIntervalSeconds: 1,
        burstWhenReadyExceeds: 1,
        heartbeatRefreshSeconds: 3,
      },
      async ([job]) => {
        if (job) await handler(job.data);
      },
    );
  }

  async stop(): Promise<void> {
    await this.boss.stop({ graceful: false, close: true });
  }
}
