import { Logger } from '@nestjs/common';
import { isClosedToThisCode } from '../database/database-problem.js';
import type { UnitOfWork } from '../database/unit-of-work.js';

/** How often a worker says that it lives, in ms. */
const BEAT_MS = 5_000;
/** A worker that has said nothing for so long is taken for gone, in seconds. */
export const GONE_AFTER_SECONDS = 15;
/** Rows of workers that never came back are removed after so many days. */
const KEPT_DAYS = 1;

/** Tells the installation that this worker lives, by the database's clock; and this process whether that arrived. */
export class WorkerHeartbeat {
  private readonly log = new Logger('Heartbeat');
  private timer: NodeJS.Timeout | null = null;
  private beating: Promise<void> = Promise.resolve();
  /** By this process' clock, in ms; null: not since the start, or it takes no more work. */
  private lastBeat: number | null = null;

  constructor(
    private readonly units: UnitOfWork,
    private readonly name: string,
    /** Called when a newer version has closed the database to this code. */
    private readonly onClosed: () => void = () => undefined,
    /** In ms, never set back. */
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** Whether the database has heard of this worker lately. */
  get isFresh(): boolean {
    return this.lastBeat !== null && this.clock() - this.lastBeat < GONE_AFTER_SECONDS * 1000;
  }

  async start(): Promise<void> {
    await this.beat();
    this.timer = setInterval(() => {
      this.beating = this.beating.then(() => this.beat());
    }, BEAT_MS);
  }

  /** The worker has ended its work: it is no longer counted. */
  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.beating;
    this.lastBeat = null;
    await this.units
      .runWithoutTenant((tx) => tx.query('delete from worker_heartbeats where name = $1', [this.name]))
      .catch(() => undefined);
  }

  private async beat(): Promise<void> {
    try {
      await this.units.runWithoutTenant(async (tx) => {
        await tx.query(
          'insert into worker_heartbeats (name) values ($1) on conflict (name) do update set seen_at = now()',
          [this.name],
        );
        await tx.query('delete from worker_heartbeats where seen_at < now() - make_interval(days => $1)', [KEPT_DAYS]);
      });
      this.lastBeat = this.clock();
    } catch (error) {
      if (isClosedToThisCode(error)) this.onClosed();
      this.log.debug(`This worker could not say that it lives: ${String(error)}`);
    }
  }
}
