import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

/**
 * Results that a rerun inherits from the run that it continues. They are frozen with the rerun and part of its digest.
 */
export class InheritedResults20261123150100 implements MigrationInterface {
  name = 'InheritedResults20261123150100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table inherited_results (
        tenant_id uuid not null,
        execution_id uuid not null,
        step_index integer not null,
        -- For a step that runs once, a server that may not be part of the run.
        server_id uuid not null,
        status text not null,
        exit_code integer,
        changed boolean not null,
        outputs jsonb,
        -- The host does not run the step again.
        done boolean not null,
        -- Run and step of the result.
        from_execution_id uuid not null,
        from_step integer not null,
        primary key (execution_id, step_index, server_id),
        foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
      );
    `);
    // Immutable: deleted only with the run, by the foreign key's cascade.
    await protectTenantTable(runner, 'inherited_results', 'select, insert, delete');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
