import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { row, sql } from '../common/database/sql.js';
import { MetricProvider, type MetricSource } from '../common/metrics/metric-source.js';
import { createInstallationGauge } from '../common/metrics/metrics.js';

const lag = createInstallationGauge(
  'runward_schedule_lag_seconds',
  'Time that the oldest due schedule is overdue; 0 = none.',
);

@MetricProvider()
@Injectable()
export class ScheduleMetrics implements MetricSource {
  readonly name = 'schedules';
  readonly gauges = [lag];

  async readMetrics(tx: EntityManager): Promise<void> {
    const found = await row(
      tx,
      sql<{ seconds: number }>`select coalesce(extract(epoch from now() - min(oldest)), 0)::float8 as seconds
        from oldest_due_schedules() as oldest`,
    );
    lag.set(found?.seconds ?? 0);
  }
}
