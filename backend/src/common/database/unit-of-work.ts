import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/**
 * The only door to tenant data. Each unit is one transaction whose first statement names the tenant to row-level
 * security (design: security.md). Outside of a unit no repository exists; with no tenant named the database shows no row.
 */
@Injectable()
export class UnitOfWork {
  constructor(private readonly dataSource: DataSource) {}

  /** Runs `work` in one transaction that sees and writes this tenant's rows only; commits when it resolves. */
  run<T>(tenantId: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(async (tx) => {
      await tx.query(`select set_config('app.tenant', $1, true)`, [tenantId]);
      return work(tx);
    });
  }

  /** Runs `work` in one transaction that sees no tenant's rows: directory look-ups, and the creation of a tenant. */
  runWithoutTenant<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(work);
  }
}
