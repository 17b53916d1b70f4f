import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseUnusableError } from '../database/database-cause.js';
import { row, sql } from '../database/sql.js';
import { isWaitingInSql } from '../queue/job-queue.js';
import { QUEUES } from '../queue/queue-names.js';
import { WORKER_GONE_AFTER_SECONDS } from '../queue/worker-heartbeat.js';

/** Minimum time between two database queries, in ms. Needed because the probes are public. */
const CACHE_MS = 1_000;

export interface InstallationHealthState {
  workers: number;
  /** How long the oldest waiting run has waited for a worker, in whole seconds; null = no run waits. */
  oldestWaitingSeconds: number | null;
}

@Injectable()
export class InstallationHealth {
  private cachedState: { at: number; state: Promise<InstallationHealthState> } | null = null;

  constructor(private readonly dataSource: DataSource) {}

  /** Rejects while the database is unavailable or read-only. */
  getHealthState(): Promise<InstallationHealthState> {
    const now = performance.now();
    if (this.cachedState && now - this.cachedState.at <= CACHE_MS) return this.cachedState.state;
    const state = this.readHealthState();
    this.cachedState = { at: now, state };
    // Does not cache failures, so that a recovered database is reported at once.
    state.catch(() => (this.cachedState = null));
    return state;
  }

  private async readHealthState(): Promise<InstallationHealthState> {
    const found = await row(
      this.dataSource,
      sql<{ workers: number; waiting: number | null; read_only: boolean }>`
        select (select count(*)::int from worker_heartbeats
            where seen_at > now() - make_interval(secs => ${WORKER_GONE_AFTER_SECONDS})) as workers,
          (select floor(extract(epoch from now() - min(greatest(created_on, start_after))))::int
            from pgboss.job where ${isWaitingInSql(QUEUES.advanceRun)}) as waiting,
          current_setting('transaction_read_only') = 'on' as read_only`,
    );
    if (found?.read_only) throw new DatabaseUnusableError('database_read_only');
    return { workers: found?.workers ?? 0, oldestWaitingSeconds: found?.waiting ?? null };
  }
}
