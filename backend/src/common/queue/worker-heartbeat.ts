import { Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isSchemaTooNew } from '../database/database-problem.js';
import { affected, type Executor, sql, row, rows } from '../database/sql.js';
import type { UnitOfWork } from '../database/unit-of-work.js';

const HEARTBEAT_INTERVAL_MS = 5_000;
/** A worker without a heartbeat for this time counts as gone, in seconds. */
export const WORKER_GONE_AFTER_SECONDS = 15;
const RETENTION_DAYS = 1;

export interface WorkerDetails {
  version: string;
  /** Maximum number of concurrent runs, and of concurrent hosts. */
  runSlots: number;
  hostSlots: number;
}

/** Stores heartbeats of this worker with the time of the database, and records whether they succeed. */
export class WorkerHeartbeat {
  private readonly log = new Logger('Heartbeat');
  private timer: NodeJS.Timeout | null = null;
  private heartbeat: Promise<void> = Promise.resolve();
  /** Monotonic time of the latest heartbeat, in ms; null = none yet, or stopped. */
  private lastBeat: number | null = null;

  constructor(
    private readonly units: UnitOfWork,
    private readonly name: string,
    private readonly details: WorkerDetails,
    /** Called when a newer version has locked the database for this code. */
    private readonly onClosed: () => void = () => undefined,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  get isFresh(): boolean {
    return this.lastBeat !== null && this.clock() - this.lastBeat < WORKER_GONE_AFTER_SECONDS * 1000;
  }

  async start(): Promise<void> {
    await this.writeHeartbeat();
    this.timer = setInterval(() => {
      this.heartbeat = this.heartbeat.then(() => this.writeHeartbeat());
    }, HEARTBEAT_INTERVAL_MS);
  }

  /** Removes the heartbeat of a worker that has ended, so that it is no longer counted. */
  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.heartbeat;
    this.lastBeat = null;
    await this.units
      .runWithoutTenant((tx) => affected(tx, sql`delete from worker_heartbeats where name = ${this.name}`))
      .catch(() => undefined);
  }

  private async writeHeartbeat(): Promise<void> {
    try {
      await this.units.runWithoutTenant(async (tx) => {
        await affected(
          tx,
          sql`insert into worker_heartbeats (name, version, run_slots, host_slots)
            values (${this.name}, ${this.details.version}, ${this.details.runSlots}, ${this.details.hostSlots})
            on conflict (name) do update set seen_at = now()`,
        );
        await affected(
          tx,
          sql`delete from worker_heartbeats where seen_at < now() - make_interval(days => ${RETENTION_DAYS})`,
        );
      });
      this.lastBeat = this.clock();
    } catch (error) {
      if (isSchemaTooNew(error)) this.onClosed();
      this.log.debug(`The heartbeat of this worker failed: ${String(error)}`);
    }
  }
}

export async function livingWorkers(tx: EntityManager): Promise<number> {
  const living = await row(
    tx,
    sql<{ count: number }>`select count(*)::int as count from worker_heartbeats
      where seen_at > now() - make_interval(secs => ${WORKER_GONE_AFTER_SECONDS})`,
  );
  return living?.count ?? 0;
}

export interface LivingWorker {
  name: string;
  /** Null: a worker of a version that does not report it. So are the slots. */
  version: string | null;
  runSlots: number | null;
  hostSlots: number | null;
  uptimeSeconds: number;
  /** Time since the latest heartbeat, in seconds. */
  seenSecondsAgo: number;
}

export const MAX_LISTED_WORKERS = 500;

/** Oldest first, at most `MAX_LISTED_WORKERS`. */
export const listLivingWorkers = (executor: Executor): Promise<LivingWorker[]> =>
  rows(
    executor,
    sql<LivingWorker>`select name, version, run_slots as "runSlots", host_slots as "hostSlots",
        floor(extract(epoch from now() - started_at))::int as "uptimeSeconds",
        greatest(0, floor(extract(epoch from now() - seen_at)))::int as "seenSecondsAgo"
      from worker_heartbeats where seen_at > now() - make_interval(secs => ${WORKER_GONE_AFTER_SECONDS})
      order by started_at, name limit ${MAX_LISTED_WORKERS}`,
  );
