import { Logger } from '@nestjs/common';
import { PgBoss } from 'pg-boss';
import type { EntityManager } from 'typeorm';
import { APP_ROLE } from '../database/connection.js';
import { type AdvanceRunJob, QUEUES } from './queue-names.js';

/** The durable queue (pg-boss on the same database). Sending happens inside the caller's transaction. */
export class JobQueue {
  private readonly log = new Logger('Queue');
  private readonly boss: PgBoss;

  /** @param url the database; @param works whether this process also takes jobs */
  constructor(url: string, works: boolean) {
    this.boss = new PgBoss({
      connectionString: url,
      options: `-c role=${APP_ROLE}`,
      application_name: works ? 'runward-queue-worker' : 'runward-queue',
      max: works ? 4 : 2,
      migrate: false,
      createSchema: false,
      schedule: false,
      supervise: works,
      useListenNotify: works,
      // Rebuilding indexes is the owner's right; the application role has none.
      reindex: false,
      monitorVacuum: false,
      superviseIntervalSeconds: 1,
      monitorIntervalSeconds: 1,
      queueCacheIntervalSeconds: 1,
    });
    this.boss.on('error', (error) => this.log.warn(`The queue met an error and goes on: ${error.message}`));
  }

  async start(): Promise<void> {
    await this.boss.start();
  }

  /**
   * Asks for a worker to drive this run on. Rings only if the surrounding transaction commits.
   * @param atMostEverySeconds several who find the same stalled run ring once within this time
   */
  async ringAdvanceRun(tx: EntityManager, job: AdvanceRunJob, atMostEverySeconds?: number): Promise<void> {
    await this.boss.send(QUEUES.advanceRun, job, {
      ...(atMostEverySeconds ? { singletonKey: job.executionId, singletonSeconds: atMostEverySeconds } : {}),
      db: {
        executeSql: async (text, values) => {
          const result: unknown = await tx.queryRunner!.query(text, values, true);
          return { rows: (result as { records?: unknown[] }).records ?? [] };
        },
      },
    });
  }

  /**
   * Takes `advance-run` jobs, at most `slots` at a time, until `stopTaking`. The handler's promise holds the slot.
   * Settings as tried in design: stack.md §4: without the short polls a backlog drains one job per 30 s.
   */
  async workAdvanceRun(slots: number, handler: (job: AdvanceRunJob) => Promise<void>): Promise<void> {
    await this.boss.work<AdvanceRunJob>(
      QUEUES.advanceRun,
      {
        localConcurrency: slots,
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

  /** Stops claiming jobs; handlers that run keep running. */
  async stopTaking(): Promise<void> {
    await this.boss.offWork(QUEUES.advanceRun, { wait: false });
  }

  async stop(): Promise<void> {
    await this.boss.stop({ graceful: false, close: true });
  }
}
