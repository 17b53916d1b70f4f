import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class RunLabels20261212000000 implements MigrationInterface {
  name = 'RunLabels20261212000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table executions add column labels jsonb not null default '{}';

      create table execution_labels (
        tenant_id uuid not null,
        execution_id uuid not null,
        key text not null,
        value text not null,
        primary key (tenant_id, execution_id, key),
        foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
      );
      -- In the order of the run list.
      create index execution_labels_value on execution_labels (tenant_id, key, value, execution_id);
    `);
    await protectTenantTable(runner, 'execution_labels', 'select, insert, delete');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
