import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { row, rows, sql } from '../../common/database/sql.js';
import { MetricProvider, type MetricSource } from '../../common/metrics/metric-source.js';
import { createInstallationGauge } from '../../common/metrics/metrics.js';

const runs = createInstallationGauge('runward_runs', 'Runs that have not ended, by status.', ['status']);
const waitingRuns = createInstallationGauge('runward_waiting_runs', 'Waiting runs by reason.', ['reason']);
const oldestWait = createInstallationGauge(
  'runward_waiting_run_oldest_seconds',
  'Time that the oldest waiting run has waited, by reason.',
  ['reason'],
);
const restRows = createInstallationGauge(
  'runward_rows_outside_partitions',
  'Estimated number of rows in default partitions, because the partition of their month is missing.',
);

const STATUSES = ['PENDING', 'RUNNING', 'PAUSED', 'CANCELLING'];
const REASONS = ['worker', 'approval', 'overlap', 'start_time', 'window', 'decision'];

@MetricProvider()
@Injectable()
export class RunMetrics implements MetricSource {
  readonly name = 'runs';
  readonly gauges = [runs, waitingRuns, oldestWait, restRows];

  async readMetrics(tx: EntityManager): Promise<void> {
    const [found, rest] = await Promise.all([
      rows(
        tx,
        sql<{ status: string; reason: string | null; count: number; oldest: number }>`
          select status, reason, count(*)::int as count,
              greatest(0, extract(epoch from now() - min(since)))::float8 as oldest
            from measure_runs() group by 1, 2`,
      ),
      row(
        tx,
        sql<{ count: number }>`select coalesce(sum(n_live_tup), 0)::float8 as count from pg_stat_user_tables
          where relname in ('output_chunks_rest', 'execution_events_rest', 'host_results_rest')`,
      ),
    ]);
    // A status or reason without runs has a series too: its absence would mean a failed read.
    for (const status of STATUSES) runs.set({ status }, 0);
    for (const reason of REASONS) {
      waitingRuns.set({ reason }, 0);
      oldestWait.set({ reason }, 0);
    }
    for (const { status, reason, count, oldest } of found) {
      runs.inc({ status }, count);
      if (reason === null) continue;
      waitingRuns.inc({ reason }, count);
      oldestWait.set({ reason }, oldest);
    }
    restRows.set(rest?.count ?? 0);
  }
}
