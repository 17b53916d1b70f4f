import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { row, sql } from '../common/database/sql.js';
import { MetricProvider, type MetricSource } from '../common/metrics/metric-source.js';
import { createInstallationGauge } from '../common/metrics/metrics.js';

const age = createInstallationGauge(
  'runward_backup_age_seconds',
  'Age of the latest complete backup; before the first one, age of the oldest tenant.',
);

@MetricProvider()
@Injectable()
export class BackupMetrics implements MetricSource {
  readonly name = 'backup';
  readonly gauges = [age];

  async readMetrics(tx: EntityManager): Promise<void> {
    const found = await row(
      tx,
      sql<{ seconds: number }>`
        select coalesce(extract(epoch from now() - coalesce(
          (select max(ended_at) from backups where error is null), (select min(created_at) from tenants))), 0)::float8 as seconds`,
    );
    age.set(found?.seconds ?? 0);
  }
}
