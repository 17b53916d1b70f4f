import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { row, sql } from '../common/database/sql.js';
import { MetricProvider, type MetricSource } from '../common/metrics/metric-source.js';
import { createInstallationGauge } from '../common/metrics/metrics.js';

const lag = createInstallationGauge(
  'runward_outbox_lag_seconds',
  'Age of the oldest event in the outbox; 0 = none waits.',
);

@MetricProvider()
@Injectable()
export class OutboxMetrics implements MetricSource {
  readonly name = 'outbox';
  readonly gauges = [lag];

  async readMetrics(tx: EntityManager): Promise<void> {
    const found = await row(
      tx,
      sql<{ seconds: number }>`select coalesce(extract(epoch from now() - min(oldest)), 0)::float8 as seconds
        from oldest_outbox_events() as oldest`,
    );
    lag.set(found?.seconds ?? 0);
  }
}
