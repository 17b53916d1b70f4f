import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import type { Gauge } from 'prom-client';

/** Values of the whole installation, read from the database at most once per interval. */
export interface MetricSource {
  readonly name: string;
  /** Gauges that `readMetrics` sets. They have no series after a failed read. */
  readonly gauges: readonly Gauge<string>[];
  /** Sets the gauges. Runs in a transaction without tenant and with a short statement timeout. */
  readMetrics(tx: EntityManager): Promise<void>;
}

/** Class decorator: the API process reads this `MetricSource` for scrapes. The module lists it as a provider. */
export const MetricProvider = DiscoveryService.createDecorator<void>();
