import { Inject, Injectable, Logger } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import { row, sql } from '../database/sql.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { MetricProvider, type MetricSource } from '../metrics/metric-source.js';
import { clearGauge, createInstallationGauge } from '../metrics/metrics.js';
import { WORKER_GONE_AFTER_SECONDS } from '../queue/worker-heartbeat.js';
import { RUNTIME, type Runtime } from '../settings/runtime.js';
import { readFreeBytes } from './disk-space.js';

/** Minimum time between two reads of the database, in ms. */
const CACHE_MS = 10_000;
/** Time limit of each source, enforced by the database, and of all sources together. */
const STATEMENT_TIMEOUT_MS = 2_000;
const READ_TIMEOUT_MS = 5_000;

const databaseUp = createInstallationGauge('runward_database_up', '1 = the database answers, 0 = it does not.');
const sourceUp = createInstallationGauge(
  'runward_metric_source_up',
  '1 = the latest read of the source succeeded, 0 = it failed and its metrics are missing.',
  ['source'],
);
const databaseBytes = createInstallationGauge('runward_database_size_bytes', 'Size of the database on its disk.');
const diskFree = createInstallationGauge(
  'runward_disk_free_bytes',
  'Free space on the disk of the embedded database; no series for an external database.',
);
const workers = createInstallationGauge('runward_workers', 'Worker processes with a recent heartbeat.');
/** Size of the database, free space, and living workers. */
@MetricProvider()
@Injectable()
export class DatabaseMetrics implements MetricSource {
  readonly name = 'database';
  readonly gauges = [databaseBytes, workers];

  async readMetrics(tx: EntityManager): Promise<void> {
    const found = await row(
      tx,
      sql<{ bytes: number; workers: number }>`select pg_database_size(current_database())::float8 as bytes,
        (select count(*)::int from worker_heartbeats
          where seen_at > now() - make_interval(secs => ${WORKER_GONE_AFTER_SECONDS})) as workers`,
    );
    databaseBytes.set(found?.bytes ?? 0);
    workers.set(found?.workers ?? 0);
  }
}

/** Reads all sources of metrics for scrapes, at most once per `CACHE_MS`. */
@Injectable()
export class InstallationMetrics {
  private readonly log = new Logger('Metrics');
  private readAt = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | null = null;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly units: UnitOfWork,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  /** Resolves after at most `READ_TIMEOUT_MS`, also while the database is unavailable. */
  async refreshMetrics(): Promise<void> {
    if (!this.reading && performance.now() - this.readAt < CACHE_MS) return;
    this.reading ??= this.readSources().finally(() => {
      this.readAt = performance.now();
      this.reading = null;
    });
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        databaseUp.set(0);
        resolve();
      }, READ_TIMEOUT_MS);
    });
    await Promise.race([this.reading, timeout]);
    clearTimeout(timer);
  }

  private async readSources(): Promise<void> {
    const { databaseFolder } = this.runtime;
    if (databaseFolder !== undefined) {
      const bytes = await readFreeBytes(databaseFolder);
      if (bytes !== null) diskFree.set(bytes);
    }
    const results = await Promise.all(this.listSources().map((source) => this.readSource(source)));
    databaseUp.set(results.some(Boolean) ? 1 : 0);
  }

  private listSources(): MetricSource[] {
    return this.discovery
      .getProviders({ metadataKey: MetricProvider.KEY })
      .map(({ instance }) => instance as MetricSource);
  }

  /** @returns whether the read succeeded */
  private async readSource(source: MetricSource): Promise<boolean> {
    try {
      await this.units.runWithoutTenant(async (tx) => {
        await tx.query(`set local statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
        await source.readMetrics(tx);
      });
      sourceUp.set({ source: source.name }, 1);
      return true;
    } catch (error) {
      for (const gauge of source.gauges) clearGauge(gauge);
      sourceUp.set({ source: source.name }, 0);
      this.log.warn(`Metrics of ${source.name} are missing: ${String(error)}`);
      return false;
    }
  }
}
