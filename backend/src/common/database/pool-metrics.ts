import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Pool } from 'pg';
import { beforeScrape, poolConnections } from '../metrics/metrics.js';

/** Reports the connections of the pool of this process. */
@Injectable()
export class PoolMetrics implements OnModuleInit, OnApplicationShutdown {
  private stop: () => void = () => undefined;

  constructor(private readonly dataSource: DataSource) {}

  onModuleInit(): void {
    const { master: pool } = this.dataSource.driver as unknown as { master: Pool };
    this.stop = beforeScrape(() => {
      poolConnections.set({ state: 'total' }, pool.totalCount);
      poolConnections.set({ state: 'idle' }, pool.idleCount);
      poolConnections.set({ state: 'waiting' }, pool.waitingCount);
    });
  }

  onApplicationShutdown(): void {
    this.stop();
  }
}
