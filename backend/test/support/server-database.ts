import { AbstractLogger, DataSource } from 'typeorm';
import { createAppConnectionOptions } from '../../src/common/database/connection.js';
import { UnitOfWork } from '../../src/common/database/unit-of-work.js';
import { newId } from '../../src/common/ids.js';
import { Server } from '../../src/inventory/fields/server.entity.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { queryAs } from './table-contents.js';

/** ID of a tenant, and of its only environment and key. */
export type StockTenant = string;

interface Statement {
  sql: string;
  parameters: unknown[];
}

class Statements extends AbstractLogger {
  readonly all: Statement[] = [];

  override logQuery(sql: string, parameters: unknown[] = []): void {
    this.all.push({ sql, parameters });
  }

  protected override writeLog(): void {
    // No log is needed.
  }
}

export interface ServerStock {
  database: TestDatabase;
  dataSource: DataSource;
  units: UnitOfWork;
  statements: Statement[];
  tenant(name: string): Promise<StockTenant>;
  close(): Promise<void>;
}

export async function startServerStock(): Promise<ServerStock> {
  const database = await createTestDatabase();
  const logger = new Statements();
  const options = { ...createAppConnectionOptions(database.appUrl, 2), entities: [Server], logger };
  const dataSource = await new DataSource(options).initialize();
  return {
    database,
    dataSource,
    units: new UnitOfWork(dataSource),
    statements: logger.all,
    async tenant(name) {
      const id = newId();
      const ask = (sql: string, ...values: unknown[]) => queryAs(database, id, sql, [id, ...values]);
      await ask('insert into tenants (id, name) values ($1, $2)', name);
      await ask(`insert into environments (id, tenant_id, name, description) values ($1, $1, 'live', '')`);
      await ask(`insert into ssh_keys (id, tenant_id, name, type, public_key, fingerprint, sealed_private_key)
        values ($1, $1, 'key', 'ssh-ed25519', 'p', 'f', '')`);
      return id;
    },
    async close() {
      await dataSource.destroy();
      await database.drop();
    },
  };
}
